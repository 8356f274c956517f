//! `--mode`: the mode is set by what the agent offers.

use std::process::{Command, Stdio};

use super::AGENT;

const MODES: &str = r#""modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"},{"id":"c","name":"C"}]}"#;
const OPTION: &str = r#""configOptions":[{"ID":"m","name":"Mode","category":"mode","type":"select","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}]"#;

/// Runs with an agent whose answer to `session/new` has these members. Returns the exit code and
/// the method that the agent got before the prompt.
fn set(version: u8, members: &str, mode: &str) -> (Option<i32>, String) {
    let id = if version == 1 { "id" } else { "configId" };
    let (members, option) = (members.replace("ID", id), OPTION.replace("ID", id));
    let (initialized, turn) = match version {
        1 => (r#"{"protocolVersion":1}"#, r#"give '{"stopReason":"end_turn"}'"#),
        _ => (
            r#"{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}"#,
            r#"give '{"messageId":"m1"}'
            update '{"sessionUpdate":"user_message","messageId":"m1","content":[{"type":"text","text":"hello"}]}'
            update '{"sessionUpdate":"state_update","state":"running"}'
            update '{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}'"#,
        ),
    };
    let script = format!(
        r#"take; give '{initialized}'
        take; give '{{"sessionId":"s1",{members}}}'
        take; printf '%s\n' "$line" >&2
        case $line in
          *session/set_mode*) give null;;
          *session/set_config_option*) give '{{{option}}}';;
        esac
        take; {turn}
        take"#
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["prompt", "hello", "--timeout", "60", "--verbose", "--mode", mode]);
    command.args(["--protocol", &version.to_string(), "--", "sh", "-c", &format!("{AGENT}{script}")]);
    let output = command.stdin(Stdio::null()).output().expect("acp runs");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    let method = |line: &str| Some(line.split_once(r#""method":""#)?.1.split_once('"')?.0.to_owned());
    (output.status.code(), err.lines().find_map(method).unwrap_or_default())
}

#[test]
fn a_mode_is_set_by_what_the_agent_offers() {
    let both = format!("{MODES},{OPTION}");
    let (mode, option) = ("session/set_mode", "session/set_config_option");
    for (version, members, wanted, code, method) in [
        (1, MODES, "b", 0, mode),
        (1, OPTION, "b", 0, option),
        (1, &both, "b", 0, option),
        // The option does not have it.
        (1, &both, "c", 0, mode),
        (2, OPTION, "b", 0, option),
        // Nothing is sent for a mode that is not there.
        (1, MODES, "z", 1, ""),
        (1, OPTION, "z", 1, ""),
        (1, &both, "z", 1, ""),
        (2, OPTION, "z", 1, ""),
    ] {
        let got = set(version, members, wanted);
        assert_eq!(got, (Some(code), method.to_owned()), "{version} {wanted} {members}");
    }
}
