//! `--config`: options of the session are set before the prompt, if it has them.

use std::process::{Command, Stdio};

use super::AGENT;

const OPTIONS: &str = r#"[{"ID":"model","name":"Model","type":"select","currentValue":"small","options":[{"value":"small","name":"S"},{"value":"large","name":"L"}]},{"ID":"web","name":"Web","type":"boolean","currentValue":false}]"#;

/// Runs with an agent of these options. Returns the exit code, stderr, and the requests that set
/// something.
fn set(version: u8, options: &str, config: &[&str]) -> (Option<i32>, String, Vec<String>) {
    let options = options.replace("ID", if version == 1 { "id" } else { "configId" });
    let (initialized, turn) = match version {
        1 => (r#"{"protocolVersion":1}"#, r#"give '{"stopReason":"end_turn"}'"#),
        _ => (
            r#"{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}"#,
            r#"give '{"messageId":"m1"}'
            update '{"sessionUpdate":"state_update","state":"running"}'
            update '{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}'"#,
        ),
    };
    let script = format!(
        r#"{AGENT}take; give '{initialized}'
        take; give '{{"sessionId":"s1","configOptions":{options}}}'
        while :; do take; case $line in
          *session/set_config_option*) printf '%s\n' "$line" >&2; give '{{"configOptions":{options}}}';;
          *) break;;
        esac; done
        {turn}
        take"#
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["prompt", "hello", "--timeout", "60", "--verbose", "--protocol", &version.to_string()]);
    for config in config {
        command.args(["--config", config]);
    }
    command.args(["--", "sh", "-c", &script]);
    let output = command.stdin(Stdio::null()).output().expect("acp runs");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    let sent =
        err.lines().filter(|line| line.contains("session/set_config_option")).map(str::to_owned).collect();
    (output.status.code(), err, sent)
}

#[test]
fn options_are_set_in_order() {
    for version in [1, 2] {
        let (code, err, sent) = set(version, OPTIONS, &["model=large", "web=true"]);
        assert_eq!((code, sent.len()), (Some(0), 2), "{err}");
        assert!(
            sent[0].contains(r#""configId":"model""#) && sent[0].contains(r#""value":"large""#),
            "{sent:?}"
        );
        assert!(sent[1].contains(r#""configId":"web""#) && sent[1].contains(r#""value":true"#), "{sent:?}");
    }
}

#[test]
fn nothing_is_sent_for_an_option_or_a_value_that_is_not_there() {
    for (options, config, wants) in [
        (OPTIONS, "modle=large", "no option `modle`: did you mean `model`? (its options are `model`, `web`)"),
        (OPTIONS, "model=larg", "no value `larg`: did you mean `large`? (its values are `small`, `large`)"),
        (OPTIONS, "model=x", "no value `x` (its values are `small`, `large`)"),
        (OPTIONS, "web=yes", "`--config web=yes`: it must be true or false"),
        ("[]", "model=large", "the session has no option `model`: it has no options"),
    ] {
        let (code, err, sent) = set(1, options, &[config]);
        assert_eq!((code, sent.len()), (Some(1), 0), "{err}");
        assert!(err.contains(wants), "{config}: {err}");
    }
}
