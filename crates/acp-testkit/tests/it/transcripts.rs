//! Decoding recordings: counts, refusals, losses.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use acp_testkit::transcripts::{Summary, decode};

/// Makes a folder with one recording of these lines, each with its direction.
fn recording(name: &str, lines: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    let line = |(dir, line): &(&str, &str)| {
        format!("{{\"t\":0.5,\"dir\":\"{dir}\",\"line\":{}}}\n", acp_json::to_string(line))
    };
    fs::write(folder.join("some.ndjson"), lines.iter().map(line).collect::<String>()).unwrap();
    folder
}

fn decoded(name: &str, lines: &[(&str, &str)]) -> Summary {
    decode(&recording(name, lines)).unwrap()
}

#[test]
fn messages_are_read_by_method_and_by_the_request_they_answer() {
    let summary = decoded(
        "by-method",
        &[
            (
                "c2a",
                r#"{"jsonrpc":"2.0","id":0,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}"#,
            ),
            // An equal id in the other direction is another request.
            (
                "a2c",
                r#"{"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/f"}}"#,
            ),
            ("c2a", r#"{"jsonrpc":"2.0","id":0,"result":{"content":"text"}}"#),
            ("a2c", r#"{"jsonrpc":"2.0","id":0,"result":{"sessionId":"s","models":{}}}"#),
            ("c2a", r#"{"jsonrpc":"2.0","id":"0","method":"_x/y"}"#),
            ("a2c", r#"{"jsonrpc":"2.0","id":"0","error":{"code":-32601,"message":"no"}}"#),
            ("c2a", r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#),
            ("a2c", r#"{"jsonrpc":"2.0","id":77,"result":{}}"#),
        ],
    );
    let total = summary.total();
    assert_eq!((total.lines, total.requests, total.notifications, total.results), (8, 2, 1, 2));
    assert_eq!((total.errors, total.extensions, total.unreadable), (1, 1, 0));
    let report = summary.to_string();
    for line in [
        "1  session/new result  models",
        "1  request to the agent  _x/y",
        "1  _x/y  -32601",
        "1  result to the client",
    ] {
        assert!(report.contains(line), "`{line}` is missing in\n{report}");
    }
}

#[test]
fn what_is_lost_is_named_by_method_and_path() {
    let update = r#"{"jsonrpc":"2.0","method":"session/update","trace":1,"params":{"sessionId":"s","update":{
        "sessionUpdate":"tool_call","toolCallId":"t","title":"T","kind":"other","later":1,"rawInput":null,
        "content":[{"type":"terminal"},{"type":"terminal","terminalId":"x"}],"locations":7}}}"#;
    let summary = decoded("lost", &[("a2c", &update.replace('\n', ""))]);
    assert_eq!((summary.total().notifications, summary.changed()), (1, 0));
    let report = summary.to_string();
    for line in [
        "1  envelope  trace",
        "1  session/update params  update.later",
        "1  session/update params  update.content[]: `update.content[].terminalId`: required, but missing",
        "1  session/update params  update.locations: expected an array, found a number",
        "1  session/update params  update.kind = \"other\"",
        "1  session/update params  update.rawInput = null",
    ] {
        assert!(report.contains(line), "`{line}` is missing in\n{report}");
    }
}

#[test]
fn what_cannot_be_read_is_named_by_file_and_line() {
    let summary = decoded(
        "unreadable",
        &[
            ("c2a", r#"{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"prompt":[]}}"#),
            ("a2c", "not JSON"),
            ("a2c", "[]"),
            ("a2c", r#"{"jsonrpc":"2.0","id":1.5,"method":"session/prompt"}"#),
            ("sideways", "{}"),
            // The schema accepts it, because it ignores `format`. Only such refusals count as ours.
            ("c2a", r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1e30}}"#),
        ],
    );
    let found: Vec<_> =
        summary.unreadable().iter().map(|found| (&*found.place, &*found.part, found.valid)).collect();
    assert_eq!(
        found,
        [
            ("some.ndjson:1", "session/prompt params", false),
            ("some.ndjson:2", "envelope", false),
            ("some.ndjson:3", "envelope", false),
            ("some.ndjson:4", "envelope", false),
            ("some.ndjson:5", "recording", false),
            ("some.ndjson:6", "$/cancel_request params", true),
        ]
    );
    assert_eq!(summary.refused_valid(), 1);
}

#[test]
fn a_folder_without_recordings_is_an_error() {
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty");
    fs::create_dir_all(&empty).unwrap();
    assert!(decode(&empty).unwrap_err().to_string().contains("no recording"));
    assert!(decode(&empty.join("none")).is_err());
}

/// Recordings of real programs hold other people's words, so they are not part of this repository.
#[test]
fn recordings_of_real_programs_are_read() {
    let Some(folder) = std::env::var_os("ACP_TRANSCRIPTS") else {
        // `println!` is not used, because the harness shows its output for failed tests only.
        writeln!(std::io::stderr(), "skipped: ACP_TRANSCRIPTS names no folder with recordings").unwrap();
        return;
    };
    let summary = decode(Path::new(&folder)).unwrap();
    println!("{summary}");
    assert_eq!(summary.refused_valid(), 0, "{summary}");
    assert_eq!(summary.changed(), 0, "{summary}");
}
