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
    /// Returns the names of the variables, or `None` for all of them.
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
