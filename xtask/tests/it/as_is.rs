//! Messages of version 2 are written and read by functions that take what is alike, and no others.

use std::fs;
use std::path::Path;

/// The folders whose files write messages of version 2 or read them.
const FOLDERS: [(&str, &str); 3] = [
    ("acp-agent", "acp-agent/src/wire/v2"),
    ("acp-client", "acp-client/src/wire/v2"),
    ("acp-types", "acp-types/src/v2"),
];

/// The file whose functions take what is alike, and the file that says which types those are.
const DOORS: [&str; 2] = ["acp-types/as_is.rs", "acp-types/alike.rs"];

/// Calls that write any value, or read one of version 1.
const CALLS: [&str; 9] = [
    ".serialize_entry(",
    ".serialize_element(",
    ".serialize_field(",
    ".serialize(serializer)",
    "acp_json::read(",
    "acp_json::read::<",
    "acp_json::from_",
    "acp_types::to_string(",
    "Value::new(",
];

/// Calls that stay, by crate and file, and the reasons.
const EXCEPTED: [(&str, &str, &str); 2] = [
    ("acp-agent/state.rs", "self.0.serialize(serializer)", "an error of JSON-RPC"),
    (
        "acp-client/incoming.rs",
        "acp_json::read(",
        "params of the list of those that are alike, and of extensions",
    ),
];

#[test]
fn version_2_is_written_and_read_by_what_the_versions_have_alike() {
    let mut needed = [false; EXCEPTED.len()];
    let mut files = 0;
    for (name, folder) in FOLDERS {
        for entry in fs::read_dir(root().join("crates").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let file = format!("{name}/{}", path.file_name().unwrap().to_str().unwrap());
            if path.is_dir() || DOORS.contains(&&*file) {
                continue;
            }
            files += 1;
            for (number, line) in code(&fs::read_to_string(&path).unwrap()).enumerate() {
                let Some(call) = CALLS.iter().find(|call| line.contains(**call)) else { continue };
                let excepted = EXCEPTED.iter().position(|(of, part, _)| *of == file && line.contains(part));
                let excepted =
                    excepted.unwrap_or_else(|| panic!("{file}:{}: `{call}` in {line}", number + 1));
                needed[excepted] = true;
            }
        }
    }
    assert!(files > 40, "{files}");
    assert_eq!(needed, [true; EXCEPTED.len()], "an exception is not needed any more");
}

#[test]
fn a_call_that_takes_any_value_is_found() {
    let found = |text: &str| code(text).any(|line| CALLS.iter().any(|call| line.contains(call)));
    assert!(found("map.serialize_entry(\"a\", &v1)?;"));
    assert!(found("let read: T = acp_json::read(node)?;"));
    assert!(!found("// map.serialize_entry(\"a\", &v1)?;"));
    assert!(!found("member(map, \"a\", &v1)?;\n#[cfg(test)]\nmod tests { acp_json::read(node) }"));
}

/// Returns the lines of the code itself.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    lines.map(|line| line.split("//").next().unwrap_or_default())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
