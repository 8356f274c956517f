//! Every rule that binds a client, and every situation and row of the table in `docs/MCP.md`, has a
//! test that is named by its id.

use std::fs;
use std::path::Path;

/// Rules that bind servers only. rmcp keeps them for the servers that are provided here.
const OF_SERVERS: &[u32] = &[5, 6, 8, 9, 10, 43, 45, 52, 53, 58, 59];

/// Collects the text of tests in a folder of the crate: all files below `tests`, and the `mod
/// tests` of others.
fn read_tests(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_tests(&path, text);
            continue;
        }
        let inside = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap();
        if inside.extension().is_none_or(|extension| extension != "rs")
            || inside == Path::new("tests/it/rules.rs")
        {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        if inside.components().any(|part| part.as_os_str() == "tests") {
            text.push_str(&source);
        } else if let Some((_, tests)) = source.split_once("mod tests {") {
            text.push_str(tests);
        }
    }
}

#[test]
fn every_rule_has_a_test_by_its_id() {
    let mut text = String::new();
    for folder in ["src", "tests"] {
        read_tests(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut text);
    }
    // `mcp-neg-01`, `mcp_neg_01_…`, `D1, …`, `m1_…`: the words of an id in order.
    let text = text.to_ascii_lowercase();
    let words: Vec<&str> =
        text.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |id: &[&str]| words.windows(id.len()).any(|window| window == id);
    let rules = (1..=62).filter(|rule| !OF_SERVERS.contains(rule)).map(|rule| format!("mcp neg {rule:02}"));
    let situations = (1..=15).map(|situation| format!("d{situation}"));
    let rows = (1..=8).map(|row| format!("m{row}"));
    let ids = rules.chain(situations).chain(rows);
    let without: Vec<_> = ids.filter(|id| !has(&id.split(' ').collect::<Vec<_>>())).collect();
    assert_eq!(without, Vec::<String>::new(), "these have no test");
}
