//! Columns of the overlay's operations that the schema or another column contradicts.

use std::fs;
use std::path::Path;

use xtask::codegen::emit;
use xtask::codegen::overlay::Overlay;
use xtask::codegen::version::VERSIONS;

/// A row, a line in it, the lines that replace that line, and the fault.
const FAULTS: &[(&str, &str, &str, &str)] = &[
    (
        "operations.new_session",
        "session",
        "session = \"opens\"\nbefore_login = true",
        "`before_login`, but there is no session before the login",
    ),
    (
        "operations.set_mode",
        "session",
        "session = \"on\"\nbefore_login = true",
        "`before_login`, but there is no session before the login",
    ),
    (
        "operations.mcp_message",
        "session",
        "session = \"none\"\nbefore_login = true",
        "`before_login`, but \"mcp/message\" is a notification",
    ),
    (
        "client_operations.read_text_file",
        "session",
        "session = \"on\"\nbefore_login = true",
        "`before_login` is for operations of agents",
    ),
    (
        "operations.new_session",
        "session",
        "session = \"opens\"\nstored = true",
        "`stored`, but neither do its params name a stored session nor does it list them",
    ),
    (
        "operations.prompt",
        "session",
        "session = \"on\"\nstored = true",
        "`stored`, but neither do its params name a stored session nor does it list them",
    ),
    (
        "operations.logout",
        "session",
        "session = \"none\"\nstored = true",
        "`stored`, but neither do its params name a stored session nor does it list them",
    ),
    (
        "operations.archive_session",
        "session",
        "session = \"ends\"\nstored = true",
        "`stored`: the library has the code for it, so it is `by_hand`",
    ),
    (
        "operations.auth_methods",
        "returns",
        "returns = [\"Vec<SessionInfo>\"]",
        "`hook`: `InitializeResponse` has no member of the type `Vec<SessionInfo>`",
    ),
    (
        "operations.auth_methods",
        "by_hand",
        "",
        "`hook`: it is `by_hand`, takes the params and returns one type",
    ),
    (
        "operations.mcp_message",
        "session",
        "session = \"none\"\nhook = true",
        "`hook`, but \"mcp/message\" is a notification",
    ),
];

/// The overlay with these lines instead of a line in a row.
fn edited(overlay: &str, row: &str, key: &str, lines: &str) -> String {
    let (before, after) = overlay.split_once(&format!("[{row}]\n")).unwrap();
    let start = after.find(&format!("{key} = ")).unwrap();
    let end = start + after[start..].find('\n').unwrap();
    format!("{before}[{row}]\n{}{lines}{}", &after[..start], &after[end..])
}

#[test]
fn columns_that_contradict_the_schema_are_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = fs::read_to_string(root.join("schema/overlay/v1.toml")).unwrap();
    let schema = VERSIONS[0].read(root, &Overlay::parse(&text).unwrap()).unwrap();
    let emit = |text: &str| emit::operations(root, &schema, &Overlay::parse(text).unwrap(), "");
    emit(&text).unwrap();
    for (row, key, lines, fault) in FAULTS {
        let error = emit(&edited(&text, row, key, lines)).err().unwrap_or_else(|| panic!("[{row}] {lines}"));
        let error = format!("{error:#}");
        assert!(error.contains(fault) && error.contains(&format!("[{row}]")), "{error}");
    }
}

#[test]
fn columns_become_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = fs::read_to_string(root.join("schema/overlay/v1.toml")).unwrap();
    let schema = VERSIONS[0].read(root, &Overlay::parse(&text).unwrap()).unwrap();
    let code = |text: &str| {
        let outputs = emit::operations(root, &schema, &Overlay::parse(text).unwrap(), "").unwrap();
        let op = outputs.into_iter().find(|output| output.path.ends_with("acp-agent/src/generated/op.rs"));
        op.unwrap().text
    };
    let exempt = "Operation::Logout => false";
    // It is among all operations, too.
    let stored = |text: &str| code(text).matches("    Operation::ListSessions,\n").count();
    assert!(code(&text).contains(exempt));
    let later = edited(&text, "operations.logout", "before_login", "");
    assert!(!code(&later).contains(exempt));
    let unstored = edited(&text, "operations.list_sessions", "stored", "");
    assert_eq!(stored(&unstored) + 1, stored(&text));
}
