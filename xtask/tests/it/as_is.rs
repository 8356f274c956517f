//! Messages of version 2 are written and read by functions that take what is alike, and no others.

use std::fs;
use std::path::Path;

/// Calls that take any value, in the files beside `as_is.rs`.
const CALLS: [&str; 9] = [
    ".serialize_entry(",
    ".serialize_element(",
    ".serialize_field(",
    ".serialize(serializer)",
    "acp_json::read(",
    "acp_json::read::<",
    "acp_json::from_",
    "acp_types::from_",
    "acp_types::to_string(",
];

/// Calls that stay, and the reasons.
const EXCEPTED: [(&str, &str, &str); 2] = [
    ("state.rs", "self.0.serialize(serializer)", "an error of JSON-RPC"),
    ("update.rs", "acp_types::to_string(", "records, which are of version 1"),
];

#[test]
fn version_2_is_written_and_read_by_what_the_versions_have_alike() {
    let folder = root().join("crates/acp-agent/src/wire/v2");
    let mut files = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "as_is.rs" {
            continue;
        }
        files += 1;
        for (number, line) in code(&fs::read_to_string(&path).unwrap()).enumerate() {
            let is_excepted = EXCEPTED.iter().any(|(file, call, _)| *file == name && line.contains(call));
            let call = CALLS.iter().find(|call| line.contains(**call)).filter(|_| !is_excepted);
            assert_eq!(call, None, "{}:{}: {line}", path.display(), number + 1);
        }
    }
    assert!(files > 10);
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
