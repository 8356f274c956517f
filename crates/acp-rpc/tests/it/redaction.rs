//! Secrets are hidden, and everything else stays as it was.

use acp_rpc::tap::Redaction;

fn redacted(redaction: &Redaction, json: &str) -> String {
    String::from_utf8(redaction.line(json.as_bytes()).unwrap()).unwrap()
}

#[test]
fn secrets_are_hidden_at_any_depth() {
    for (json, expected) in [
        (r#"{"token":"x"}"#, r#"{"token":"[redacted]"}"#),
        (r#"[[{"a":[{"accessToken":"x"}]}]]"#, r#"[[{"a":[{"accessToken":"[redacted]"}]}]]"#),
        (
            r#"{"API_KEY":"x","x-api-key":"y","openAiApiKey":"z"}"#,
            r#"{"API_KEY":"[redacted]","x-api-key":"[redacted]","openAiApiKey":"[redacted]"}"#,
        ),
        (r#"{"Authorization":"Bearer x"}"#, r#"{"Authorization":"[redacted]"}"#),
        (r#"{"client_secret":1234.5}"#, r#"{"client_secret":"[redacted]"}"#),
        (
            r#"{"password":{"a":["x",true,null]},"passwords":["y"]}"#,
            r#"{"password":{"a":["[redacted]",true,null]},"passwords":["[redacted]"]}"#,
        ),
        (r#"{"env":{"HOME":"/h","KEY":"x"}}"#, r#"{"env":{"HOME":"[redacted]","KEY":"[redacted]"}}"#),
        (
            r#"{"mcpServers":[{"name":"m","env":[{"name":"KEY","value":"x"}],"headers":[]}]}"#,
            r#"{"mcpServers":[{"name":"m","env":[{"name":"KEY","value":"[redacted]"}],"headers":[]}]}"#,
        ),
        (
            r#"{"headers":[{"value":"x","name":"A","_meta":{"b":"y"}},["C","z"],"D: w"]}"#,
            r#"{"headers":[{"value":"[redacted]","name":"A","_meta":{"b":"[redacted]"}},["[redacted]","[redacted]"],"[redacted]"]}"#,
        ),
        (
            r#"[{"name":"GITHUB_TOKEN","value":"x"},{"name":"HOME","value":"/h"}]"#,
            r#"[{"name":"GITHUB_TOKEN","value":"[redacted]"},{"name":"HOME","value":"/h"}]"#,
        ),
        (
            r#"{"args":["-v","--token","x","y","--api-key=z","--a=b"]}"#,
            r#"{"args":["-v","--token","[redacted]","y","--api-key=[redacted]","--a=b"]}"#,
        ),
        (r#"{"token":"a","token":"b"}"#, r#"{"token":"[redacted]","token":"[redacted]"}"#),
    ] {
        assert_eq!(redacted(&Redaction::default(), json), expected);
    }
}

#[test]
fn what_is_no_secret_stays_as_it_is() {
    for json in [
        r#"{"b":1,"a":-2,"c":1.0,"d":1e+300,"e":18446744073709551615,"f":"ä\n","g":[],"h":{}}"#,
        r#"{"inputTokens":5,"used_tokens":7,"maxTokens":null}"#,
        r#"{"name":"token","description":"x"}"#,
        r#"{"environments":"x","tokenizer":"y","secretary":"z"}"#,
        r#"["--tokens-left","x","token","y"]"#,
        r#""token: x""#,
    ] {
        assert_eq!(redacted(&Redaction::default(), json), json);
    }
}

#[test]
fn names_can_be_added() {
    let redaction = Redaction::default().name("session-ID").name("pin");
    assert_eq!(
        redacted(&redaction, r#"{"sessionId":"x","pin":7,"spin":8,"token":"y"}"#),
        r#"{"sessionId":"[redacted]","pin":"[redacted]","spin":8,"token":"[redacted]"}"#
    );
}

#[test]
fn pointers_can_be_added() {
    let redaction =
        Redaction::default().pointer("/a/b").pointer("/list/*/text").pointer("/list/1").pointer("/x~1y");
    for (json, expected) in [
        (r#"{"a":{"b":"x","c":"y"}}"#, r#"{"a":{"b":"[redacted]","c":"y"}}"#),
        (r#"{"a":{"b":{"c":[1,"x",true]}}}"#, r#"{"a":{"b":{"c":["[redacted]","[redacted]",true]}}}"#),
        (r#"{"b":"x","z":{"a":{"b":"y"}}}"#, r#"{"b":"x","z":{"a":{"b":"y"}}}"#),
        (
            r#"{"list":[{"text":"x","n":1},{"n":2},"y"]}"#,
            r#"{"list":[{"text":"[redacted]","n":1},{"n":"[redacted]"},"y"]}"#,
        ),
        (
            r#"{"list":{"k":{"text":"x"}},"x/y":"z"}"#,
            r#"{"list":{"k":{"text":"[redacted]"}},"x/y":"[redacted]"}"#,
        ),
        (r#"{"a":"b"}"#, r#"{"a":"b"}"#),
    ] {
        assert_eq!(redacted(&redaction, json), expected);
    }
}

#[test]
fn what_is_not_json_is_not_shown() {
    assert_eq!(Redaction::default().line(b"token=x"), None);
    assert_eq!(Redaction::default().line(b"{\"a\":1"), None);
}
