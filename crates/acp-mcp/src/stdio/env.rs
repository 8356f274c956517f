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
    /// The names of the variables, unless it is all of them.
    pub(crate) fn names(&self) -> Option<Vec<OsString>> {
        match self {
            Self::Inherit => None,
            Self::Usual => Some(USUAL.iter().map(OsString::from).collect()),
            Self::Only(names) => Some(names.iter().map(OsString::from).collect()),
            Self::Empty => Some(Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_let_through_what_they_say() {
        let all = ["PATH", "HOME", "API_KEY", "MINE"];
        for (policy, names) in [
            (EnvPolicy::Inherit, &["PATH", "HOME", "API_KEY", "MINE"][..]),
            (EnvPolicy::Usual, &["PATH", "HOME"]),
            (EnvPolicy::Only(vec!["MINE".to_owned(), "OTHER".to_owned()]), &["MINE"]),
            (EnvPolicy::Empty, &[]),
        ] {
            let of_policy = policy.names();
            let is_let_through =
                |name: &&str| of_policy.as_ref().is_none_or(|names| names.iter().any(|known| known == name));
            let left: Vec<&str> = all.into_iter().filter(is_let_through).collect();
            assert_eq!(left, names, "{policy:?}");
        }
    }
}
