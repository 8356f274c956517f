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
        "`before_login`, but there is no session before the login: remove `before_login = true`",
    ),
    (
        "operations.set_mode",
        "session",
        "session = \"on\"\nbefore_login = true",
        "`before_login`, but there is no session before the login: remove `before_login = true`",
    ),
    (
        "operations.mcp_message",
        "session",
        "session = \"none\"\nbefore_login = true",
        "`before_login`, but \"mcp/message\" is a notification: remove `before_login = true`",
    ),
    (
        "client_operations.read_text_file",
        "session",
        "session = \"on\"\nbefore_login = true",
        "`before_login` is for operations of agents: remove `before_login = true`",
    ),
    (
        "operations.new_session",
        "session",
        "session = \"opens\"\nstored = true",
        "`stored`, but neither do its params name a stored session nor does it list them: remove `stored = true`",
    ),
    (
        "operations.prompt",
        "session",
        "session = \"on\"\nstored = true",
        "`stored`, but neither do its params name a stored session nor does it list them: remove `stored = true`",
    ),
    (
        "operations.logout",
        "session",
        "session = \"none\"\nstored = true",
        "`stored`, but neither do its params name a stored session nor does it list them: remove `stored = true`",
    ),
    (
        "operations.archive_session",
        "session",
        "session = \"ends\"\nstored = true",
        "`stored`: the library has the code for it, so write `by_hand = true` as well",
    ),
    (
        "operations.auth_methods",
        "returns",
        "returns = [\"Vec<SessionInfo>\"]",
        "`hook`: `InitializeResponse` has no member of the type `Vec<SessionInfo>`: write `returns` with the type of one, such as `returns = [\"",
    ),
    (
        "operations.auth_methods",
        "by_hand",
        "",
        "leave out `takes` and write `by_hand = true` and one type in `returns`, such as `returns = [\"Vec<AuthMethod>\"]`",
    ),
    (
        "operations.mcp_message",
        "session",
        "session = \"none\"\nhook = true",
        "`hook`, but \"mcp/message\" is a notification: remove `hook = true`",
    ),
    (
        "operations.prompt",
        "method",
        "",
        "`method` is missing: write the name on the wire, such as `method = \"session/prompt\"`",
    ),
    (
        "operations.prompt",
        "doc",
        "",
        "`doc` is missing: write a sentence that begins with a verb, such as `doc = \"Answers a prompt.\"`",
    ),
    (
        "operations.prompt",
        "session",
        "",
        "`session` is missing: write `session = \"none\"`, or \"opens\", \"on\" or \"ends\"",
    ),
    (
        "operations.prompt",
        "session",
        "session = \"in\"",
        "`session` is not \"in\": write `session = \"none\"`, or \"opens\", \"on\" or \"ends\"",
    ),
    (
        "operations.prompt",
        "method",
        "method = \"session/promt\"",
        "the schema has no method \"session/promt\": write `method` with one that an agent handles: \"",
    ),
    (
        "operations.prompt",
        "method",
        "method = \"session/update\"",
        "\"session/update\" is not handled by an agent: write the row as [client_operations.prompt]",
    ),
    (
        "client_operations.update",
        "method",
        "method = \"session/prompt\"",
        "\"session/prompt\" is not handled by a client: write the row as [operations.update]",
    ),
    (
        "operations.logout",
        "session",
        "session = \"on\"",
        "`session = \"on\"`, but `LogoutRequest` has no required `sessionId`: write `session = \"none\"`",
    ),
    (
        "operations.mcp_message",
        "session",
        "session = \"opens\"",
        "a notification opens no session: write `session = \"on\"` or `session = \"none\"`",
    ),
    (
        "client_operations.read_text_file",
        "session",
        "session = \"none\"",
        "the params name a session: for a client, write `session = \"on\"`",
    ),
    (
        "operations.mcp_message",
        "session",
        "session = \"none\"\nreturns = [\"()\"]",
        "`returns`, but a notification is not answered: leave out `returns`",
    ),
    (
        "operations.set_mode",
        "session",
        "session = \"on\"\ntakes = [\"ContentBlock\"]",
        "has 0 required members of the type `ContentBlock`, and not one: leave it out, and write `takes = [\"SetSessionModeRequest\"]` for the whole params",
    ),
    (
        "operations.new_session",
        "returns",
        "returns = [\"String\"]",
        "does not return `String`: write `returns = [\"Opened<T>\", \"T\"]`",
    ),
    (
        "client_operations.read_text_file",
        "returns",
        "returns = [\"()\"]",
        "has required members, so `()` does not make one: leave out \"()\", and write `returns = [\"String\"]`",
    ),
    (
        "client_operations.read_text_file",
        "returns",
        "returns = [\"SessionInfo\"]",
        "nor has its members: leave out \"SessionInfo\", and handlers return `ReadTextFileResponse`",
    ),
    (
        "client_operations.read_text_file",
        "returns",
        "returns = [\"Text\"]",
        "leave it out, or write `answer = \"Text\"` for a type of the library that stands for the response",
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
