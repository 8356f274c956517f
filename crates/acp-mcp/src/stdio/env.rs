//! The part of this process's environment that a server gets.

use std::ffi::OsString;

/// The variables that programs need to run. As a rule, none of them is a secret.
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

/// The part of this process's environment that a server gets. The variables of its configuration
/// are added, and take precedence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvPolicy {
    /// The whole environment. The default, because editors rely on it.
    #[default]
    Inherit,
    /// `PATH`, `HOME` and the like: the variables that programs need to run, without API keys.
    Usual,
    /// The variables of these names.
    Only(Vec<String>),
    /// No variable.
    Empty,
}

impl EnvPolicy {
    /// Returns the variables of an environment that the policy lets through.
    pub(crate) fn apply(&self, all: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
        // Windows ignores case in names.
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
