//! What of this process's environment a server sees.

use std::ffi::OsString;

/// What a program needs to run at all, and nothing that is a secret as a rule.
const USUAL: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "LANG",
    "LC_ALL",
    "LOCALAPPDATA",
    "LOGNAME",
    "PATH",
    "PATHEXT",
    "PROGRAMFILES",
    "SHELL",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "USER",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
    "XDG_RUNTIME_DIR",
];

/// What of this process's environment a server sees. The variables of its configuration are added, and override.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvPolicy {
    /// All of it. The default, because it is what editors count on.
    #[default]
    Inherit,
    /// `PATH`, `HOME` and the like: what programs need to run, and no API keys.
    Usual,
    /// The variables of these names.
    Only(Vec<String>),
    /// Nothing.
    Empty,
}

impl EnvPolicy {
    /// What is left of an environment.
    pub(crate) fn apply(&self, all: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
        // Windows has no case in names.
        let is_in = |name: &OsString, wanted: &str| {
            name.to_str().is_some_and(|name| {
                if cfg!(windows) { name.eq_ignore_ascii_case(wanted) } else { name == wanted }
            })
        };
        all.filter(|(name, _)| match self {
            Self::Inherit => true,
            Self::Usual => USUAL.iter().any(|wanted| is_in(name, wanted)),
            Self::Only(names) => names.iter().any(|wanted| is_in(name, wanted)),
            Self::Empty => false,
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_let_through_what_they_say() {
        let all =
            || ["PATH", "HOME", "API_KEY", "MINE"].into_iter().map(|name| (name.into(), "value".into()));
        for (policy, names) in [
            (EnvPolicy::Inherit, &["PATH", "HOME", "API_KEY", "MINE"][..]),
            (EnvPolicy::Usual, &["PATH", "HOME"]),
            (EnvPolicy::Only(vec!["MINE".to_owned(), "OTHER".to_owned()]), &["MINE"]),
            (EnvPolicy::Empty, &[]),
        ] {
            let left: Vec<OsString> = policy.apply(all()).into_iter().map(|(name, _)| name).collect();
            assert_eq!(left, names, "{policy:?}");
        }
    }
}
