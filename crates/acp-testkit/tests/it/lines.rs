//! The line protocol of `roundtrip`: one answer for each line, with any content.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use acp_testkit::{Definition, answer};

#[test]
fn every_line_gets_its_answer() {
    let table: &[(&str, &str)] = &[
        (
            r#"{"version":"v1","def":"ContentBlock","value":{"text":"hi","later":1,"type":"text"}}"#,
            r#"{"ok":{"type":"text","text":"hi"}}"#,
        ),
        (r#" {"value":null,"def":"LogoutResponse","version":"v1"} "#, r#"{"ok":{}}"#),
        (r#"{"version":"v1","def":"RequestId","value":null}"#, r#"{"ok":null}"#),
        (
            r#"{"version":"v1","def":"ContentBlock","value":{"type":"text"}}"#,
            r#"{"error":"`text`: required, but missing"}"#,
        ),
        (r#"{"version":"v1","def":"Role"}"#, r#"{"error":"the line has no `value`"}"#),
        (r#"{"version":"v1","value":1}"#, r#"{"error":"the line has no `def`"}"#),
        (
            r#"{"version":1,"def":"Role","value":1}"#,
            r#"{"error":"`version` of the line must be a string, not a number"}"#,
        ),
        ("[1]", r#"{"error":"the line must hold an object, not an array"}"#),
    ];
    for (line, expected) in table {
        assert_eq!(answer(line.as_bytes()).as_deref(), Some(*expected), "{line}");
    }
}

#[test]
fn what_another_version_or_feature_has_is_named() {
    let unknown_version = r#"{"error":"there are no types for version \"VERSION\", but for \"v1\"V2"}"#;
    let other_version =
        if cfg!(feature = "v2") { r#" and \"v2\""# } else { r#"; \"v2\" needs the feature `v2`"# };
    let unknown_version = |version| unknown_version.replace("VERSION", version).replace("V2", other_version);
    let role =
        |version| answer(format!(r#"{{"version":"{version}","def":"Role","value":"user"}}"#).as_bytes());
    assert_eq!(role("v9"), Some(unknown_version("v9")));
    let v2 = if cfg!(feature = "v2") { r#"{"ok":"user"}"#.to_owned() } else { unknown_version("v2") };
    assert_eq!(role("v2"), Some(v2));

    let null = |def| answer(format!(r#"{{"version":"v1","def":"{def}","value":null}}"#).as_bytes());
    let hint = if cfg!(feature = "unstable") {
        ""
    } else {
        ", and what only the unstable one has needs the feature `unstable`"
    };
    let unknown_definition = |name| {
        let message = r#"there is no type for a definition \"NAME\"; names are those of the schema"#;
        format!(r#"{{"error":"{}{hint}"}}"#, message.replace("NAME", name))
    };
    assert_eq!(null("logoutResponse"), Some(unknown_definition("logoutResponse")));
    let unstable = "ArchiveSessionResponse";
    let expected =
        if cfg!(feature = "unstable") { r#"{"ok":{}}"#.to_owned() } else { unknown_definition(unstable) };
    assert_eq!(null(unstable), Some(expected));
}

#[test]
fn broken_lines_get_an_error_and_blank_ones_nothing() {
    let too_deep = format!(r#"{{"version":"v1","def":"ExtRequest","value":{}"#, "[".repeat(100_000));
    for line in [&b"{"[..], b"\xff\xfe", b"\0", too_deep.as_bytes()] {
        let answer = answer(line).unwrap();
        assert!(answer.starts_with(r#"{"error":"the line is not "#), "{answer}");
    }
    for line in [&b""[..], b"\n", b" \t\r\n"] {
        assert_eq!(answer(line), None);
    }
}

#[test]
fn definitions_are_found_by_name() {
    let all: Vec<_> = Definition::all("v1").unwrap().map(|definition| definition.name()).collect();
    assert!(all.contains(&"SessionUpdate"));
    for name in &all {
        assert_eq!(Definition::find("v1", name).unwrap().name(), *name);
    }
    assert!(Definition::all("v0").is_err());
}

#[test]
fn the_binary_answers_while_its_input_is_open() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_roundtrip"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for value in ["user", "later"] {
        writeln!(input, "\n{{\"version\":\"v1\",\"def\":\"Role\",\"value\":\"{value}\"}}").unwrap();
        assert_eq!(answers.next().unwrap().unwrap(), format!("{{\"ok\":\"{value}\"}}"));
    }
    write!(input, "no line end").unwrap();
    drop(input);
    assert!(answers.next().unwrap().unwrap().starts_with(r#"{"error":"#));
    assert!(answers.next().is_none());
    assert!(child.wait().unwrap().success());
}
