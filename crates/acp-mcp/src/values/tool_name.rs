//! Names for the tools of many servers, in the form that the interfaces of models accept.

/// The longest name that all interfaces accept.
const LONGEST: usize = 64;
/// The separator between server and tool.
const BETWEEN: &str = "__";

/// Returns the name of a tool among the tools of all servers: 1 to 64 of `A-Z a-z 0-9 _ -`.
///
/// The name depends only on the name of the server, the number of servers of that name before it,
/// and the name of the tool. It stays the same while other tools come and go, and when the session
/// is loaded again. A name that is not just `server__tool` ends with a hash, so that two tools
/// never get the same name.
pub(super) fn qualified(server: &str, ordinal: usize, tool: &str) -> String {
    let (server_part, tool_part) = (valid(server), valid(tool));
    let plain = format!("{server_part}{BETWEEN}{tool_part}");
    let is_exact =
        server_part == server && tool_part == tool && ordinal == 0 && !server.is_empty() && !tool.is_empty();
    // Cut at the first `__`, the name must give back its two parts. It must not look like one with
    // a hash.
    let is_clear =
        !server.contains(BETWEEN) && !server.ends_with('_') && !tool.starts_with('_') && !ends_in_hash(tool);
    if is_exact && is_clear && plain.len() <= LONGEST {
        return plain;
    }
    let hash =
        format!("_{:016x}", hash(&[server.as_bytes(), &(ordinal as u64).to_le_bytes(), tool.as_bytes()]));
    // All of these are ASCII.
    let kept = plain.get(..LONGEST - hash.len()).unwrap_or(&plain);
    format!("{kept}{hash}")
}

fn valid(name: &str) -> String {
    name.chars()
        .map(|char| if char.is_ascii_alphanumeric() || char == '-' || char == '_' { char } else { '_' })
        .collect()
}

fn ends_in_hash(tool: &str) -> bool {
    let digits = tool.rsplit('_').next().unwrap_or_default();
    digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Computes FNV-1a, which is the same in every build. The standard hasher does not promise that.
fn hash(parts: &[&[u8]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        // The length keeps ("ab", "c") and ("a", "bc") apart.
        for byte in (part.len() as u64).to_le_bytes().iter().chain(*part) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn plain_names_are_plain() {
        assert_eq!(qualified("files", 0, "read_file"), "files__read_file");
        assert_eq!(qualified("my-server", 0, "x"), "my-server__x");
    }

    #[test]
    fn every_name_is_valid_and_no_two_are_the_same() {
        let long = "x".repeat(100);
        let servers = ["a", "a_", "a__b", "a b", "a.b", "ä", "", "a_b", &long];
        let tools = ["b", "_b", "b__c", "b c", "b.c", "", "ü", "c", "x_0123456789abcdef", &long];
        let mut names = HashSet::new();
        for (server, ordinal, tool) in servers
            .iter()
            .flat_map(|server| tools.iter().flat_map(move |tool| [(server, 0, tool), (server, 1, tool)]))
        {
            let name = qualified(server, ordinal, tool);
            assert!((1..=64).contains(&name.len()), "{name}");
            assert_eq!(valid(&name), name);
            assert_eq!(name, qualified(server, ordinal, tool), "the same each time");
            assert!(names.insert(name.clone()), "{name} twice: `{server}` {ordinal} `{tool}`");
        }
    }

    #[test]
    fn names_with_a_hash_stay_as_they_are_over_releases() {
        assert_eq!(qualified("my files", 0, "read"), "my_files__read_8fe1d15432380f24");
    }
}
