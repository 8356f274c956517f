//! The entry of an agent, with the text that it was read from.

use acp_client::RegistryAgent;

/// The entry of an agent in a list.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) agent: RegistryAgent,
    /// The entry in JSON, for the lock file.
    pub(crate) text: String,
    /// The list that it is from.
    pub(crate) list: String,
    pub(crate) version: String,
}

/// Refuses ids and versions that cannot be names of folders. The error is a sentence about them.
pub(super) fn check_names(id: &str, version: &str) -> Result<(), String> {
    let is_id = id.starts_with(|first: char| first.is_ascii_lowercase())
        && id.len() <= 64
        && id.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-');
    if !is_id {
        return Err(
            "its `id` must begin with a letter a to z, and have only such letters, digits and `-`".to_owned()
        );
    }
    let is_version = version.starts_with(|first: char| first.is_ascii_alphanumeric())
        && version.len() <= 64
        && version.chars().all(|char| char.is_ascii_alphanumeric() || "._+-".contains(char));
    if !is_version || version == "latest" {
        return Err("its `version` must name a version, such as 3.1.0".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_names;

    #[test]
    fn names_of_folders_stay_in_their_folder() {
        for (id, version) in [("robot", "3.1.0"), ("r2-d2", "2026.08.11"), ("a", "1.0.0-rc.1+linux")] {
            assert_eq!(check_names(id, version), Ok(()), "{id} {version}");
        }
        for (id, version) in [
            ("", "1"),
            ("Robot", "1"),
            ("../x", "1"),
            ("a/b", "1"),
            ("a.lock", "1"),
            ("2a", "1"),
            ("-a", "1"),
            ("a", ""),
            ("a", ".."),
            ("a", "../1"),
            ("a", "1/2"),
            ("a", ".new-1"),
            ("a", "latest"),
            ("a", "1\n2"),
        ] {
            assert!(check_names(id, version).is_err(), "{id} {version}");
        }
    }
}
