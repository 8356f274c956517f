//! Whatever a peer sends: the right answer, and the next valid request is served.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use acp_rpc::{Noise, Options};

use common::{Lab, Wire, raw};

const NOT_JSON: &str =
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is not valid JSON"}}"#;

/// `-32600` under this id.
fn refused(id: &str, message: &str) -> String {
    error(id, -32600, message)
}

fn error(id: &str, code: i32, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}

const NO_OBJECT: &str = "a message must be a JSON object";
const BATCH: &str = "a message must be one JSON object: batches are not supported";
const NO_MEMBER: &str = "a message needs a `method`, a `result` or an `error`";
const BAD_ID: &str = "an `id` must be a string, a 64-bit integer or null";
const NO_VERSION: &str = "`jsonrpc` is missing: it must be \\\"2.0\\\"";
const OTHER_VERSION: &str = "`jsonrpc` must be \\\"2.0\\\"";
const PANICKED: &str = "the handler failed unexpectedly";

/// Sends the bytes and a newline, then a request; everything before that request's answer is what came back.
async fn answers(input: &[u8], options: Options) -> (Vec<String>, Vec<String>) {
    let (lab, _events) = Lab::new();
    let faults = lab.clone();
    let (mut wire, _peer, driver) = raw(lab, options);
    let driver = tokio::spawn(driver);
    wire.send(input).await;
    let served = |id: &str, wire: Wire| {
        let id = id.to_owned();
        async move { until_served(&id, wire).await }
    };
    // Two in a row: answers of handlers may overtake the first, but then not the second as well.
    let (mut lines, wire) = served("probe-1", wire).await;
    let (more, wire) = served("probe-2", wire).await;
    lines.extend(more);
    lines.extend(wire.finish().await);
    driver.await.unwrap();
    (lines, faults.faults())
}

async fn until_served(id: &str, mut wire: Wire) -> (Vec<String>, Wire) {
    wire.send(format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"echo","params":[true]}}"#)).await;
    let answer = format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":[true]}}"#);
    let mut lines = Vec::new();
    loop {
        let line = wire.next().await;
        if line == answer {
            return (lines, wire);
        }
        lines.push(line);
    }
}

#[tokio::test]
async fn every_line_gets_its_answer_and_the_next_request_is_served() {
    let nested = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{}{}}}"#,
        "[".repeat(128),
        "]".repeat(128)
    );
    let nested_enough = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{}{}}}"#,
        "[".repeat(120),
        "]".repeat(120)
    );
    let nested_answer =
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}{}}}"#, "[".repeat(120), "]".repeat(120));
    let ok = |id: &str, result: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);

    let table: Vec<(&str, &[u8], Vec<String>)> = vec![
        // Not JSON.
        ("a banner", b"Listening on port 1234 ...", vec![NOT_JSON.into()]),
        ("half an object", b"{", vec![NOT_JSON.into()]),
        ("two objects in a line", b"{} {}", vec![NOT_JSON.into()]),
        (
            "not UTF-8",
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":[\"\xff\"]}",
            vec![NOT_JSON.into()],
        ),
        ("not UTF-8 in a batch", b"[\"\xff\"]", vec![NOT_JSON.into()]),
        ("too deep", nested.as_bytes(), vec![NOT_JSON.into()]),
        ("deep", nested_enough.as_bytes(), vec![nested_answer]),
        // White space.
        ("blank lines", b"\n\n  \n\r\n\t", vec![]),
        ("CRLF", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"empty\"}\r", vec![ok("1", "{}")]),
        ("BOM", b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"empty\"}", vec![ok("1", "{}")]),
        // JSON, but no message.
        ("a number", b"42", vec![refused("null", NO_OBJECT)]),
        ("a string", b"\"hi\"", vec![refused("null", NO_OBJECT)]),
        ("null", b"null", vec![refused("null", NO_OBJECT)]),
        ("an empty object", b"{}", vec![refused("null", NO_MEMBER)]),
        ("only a version", br#"{"jsonrpc":"2.0"}"#, vec![refused("null", NO_MEMBER)]),
        ("an id of nobody, alone", br#"{"jsonrpc":"2.0","id":7}"#, vec![refused("null", NO_MEMBER)]),
        ("an empty batch", b"[]", vec![refused("null", BATCH)]),
        (
            "a batch",
            br#"[{"jsonrpc":"2.0","id":1,"method":"empty"},{"jsonrpc":"2.0","id":2,"method":"empty"}]"#,
            vec![refused("null", BATCH)],
        ),
        // Versions.
        ("no version", br#"{"id":1,"method":"empty"}"#, vec![refused("1", NO_VERSION)]),
        (
            "version 1",
            br#"{"jsonrpc":"1.0","id":"a","method":"empty"}"#,
            vec![refused(r#""a""#, OTHER_VERSION)],
        ),
        (
            "version as number",
            br#"{"jsonrpc":2.0,"id":1,"method":"empty"}"#,
            vec![refused("1", OTHER_VERSION)],
        ),
        // Methods and params.
        (
            "method of another type",
            br#"{"jsonrpc":"2.0","id":1,"method":5}"#,
            vec![refused("1", "`method` must be a string")],
        ),
        (
            "an unknown method",
            br#"{"jsonrpc":"2.0","id":1,"method":"x/y"}"#,
            vec![error("1", -32601, "method not found: x/y")],
        ),
        ("an unknown notification", br#"{"jsonrpc":"2.0","method":"x/y"}"#, vec![]),
        ("an unknown $/ notification", br#"{"jsonrpc":"2.0","method":"$/y","params":[1]}"#, vec![]),
        ("no params", br#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#, vec![ok("1", "null")]),
        ("null params", br#"{"jsonrpc":"2.0","id":1,"method":"echo","params":null}"#, vec![ok("1", "null")]),
        (
            "members in any order",
            br#"{"params":[1],"method":"echo","id":1,"jsonrpc":"2.0"}"#,
            vec![ok("1", "[1]")],
        ),
        (
            "further members",
            br#"{"jsonrpc":"2.0","id":1,"method":"empty","trace":{"x":[]}}"#,
            vec![ok("1", "{}")],
        ),
        ("a member twice", br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"empty"}"#, vec![ok("2", "{}")]),
        // Ids.
        ("id 0", br#"{"jsonrpc":"2.0","id":0,"method":"empty"}"#, vec![ok("0", "{}")]),
        ("id -1", br#"{"jsonrpc":"2.0","id":-1,"method":"empty"}"#, vec![ok("-1", "{}")]),
        ("id \"0\"", br#"{"jsonrpc":"2.0","id":"0","method":"empty"}"#, vec![ok(r#""0""#, "{}")]),
        (
            "an id with escapes",
            br#"{"jsonrpc":"2.0","id":"a\"\u0041","method":"empty"}"#,
            vec![ok(r#""a\"A""#, "{}")],
        ),
        ("id null", br#"{"jsonrpc":"2.0","id":null,"method":"empty"}"#, vec![ok("null", "{}")]),
        (
            "largest id",
            br#"{"jsonrpc":"2.0","id":9223372036854775807,"method":"empty"}"#,
            vec![ok("9223372036854775807", "{}")],
        ),
        (
            "id 2^63",
            br#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"empty"}"#,
            vec![refused("null", BAD_ID)],
        ),
        ("id 1.5", br#"{"jsonrpc":"2.0","id":1.5,"method":"empty"}"#, vec![refused("null", BAD_ID)]),
        ("id true", br#"{"jsonrpc":"2.0","id":true,"method":"empty"}"#, vec![refused("null", BAD_ID)]),
        ("id {}", br#"{"jsonrpc":"2.0","id":{},"method":"empty"}"#, vec![refused("null", BAD_ID)]),
        // Responses to nothing: never answered.
        ("a stray result", br#"{"jsonrpc":"2.0","id":99,"result":{}}"#, vec![]),
        ("a stray error", br#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}"#, vec![]),
        ("an error for nobody", br#"{"jsonrpc":"2.0","id":null,"error":{"code":400,"message":"m"}}"#, vec![]),
        ("an error without id", br#"{"jsonrpc":"2.0","error":{"code":400,"message":"m"}}"#, vec![]),
        ("a result without version", br#"{"id":99,"result":{}}"#, vec![]),
        // Cancelling nothing.
        (
            "cancel of nothing",
            br#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}}"#,
            vec![],
        ),
        ("cancel without id", br#"{"jsonrpc":"2.0","method":"$/cancel_request"}"#, vec![]),
        // Handlers.
        (
            "an error with data",
            br#"{"jsonrpc":"2.0","id":1,"method":"fail","params":[{"a":1}]}"#,
            vec![
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no good","data":[{"a":1}]}}"#
                    .into(),
            ],
        ),
        ("a panic", br#"{"jsonrpc":"2.0","id":1,"method":"panic"}"#, vec![error("1", -32603, PANICKED)]),
        (
            "a panic on the reader",
            br#"{"jsonrpc":"2.0","id":1,"method":"panic_at_once"}"#,
            vec![error("1", -32603, PANICKED)],
        ),
        ("a panic in a lane", br#"{"jsonrpc":"2.0","method":"explode"}"#, vec![]),
        ("a panic on the reader, notified", br#"{"jsonrpc":"2.0","method":"explode_at_once"}"#, vec![]),
        (
            "a result that is not JSON",
            br#"{"jsonrpc":"2.0","id":1,"method":"unwritable"}"#,
            vec![error("1", -32603, "the result cannot be written as JSON")],
        ),
        (
            "something right after the reply",
            br#"{"jsonrpc":"2.0","id":1,"method":"after"}"#,
            vec![ok("1", "{}"), r#"{"jsonrpc":"2.0","method":"followed"}"#.into()],
        ),
    ];
    for (what, input, expected) in table {
        let (lines, _) = answers(input, Options::default()).await;
        assert_eq!(lines, expected, "{what}");
    }
}

#[tokio::test]
async fn faults_are_reported_and_do_not_show_what_was_sent() {
    let table: Vec<(&[u8], &str)> = vec![
        (b"secret banner", "a line of 13 bytes is not JSON (at byte 1)"),
        (b"[1]", "refused message null: a message must be one JSON object: batches are not supported"),
        (br#"{"jsonrpc":"2.0","id":99,"result":{}}"#, "a response has an id that nobody waits for: 99"),
        (
            br#"{"jsonrpc":"2.0","error":{"code":400,"message":"secret"}}"#,
            "the peer reported an error without an id (code 400)",
        ),
        (br#"{"jsonrpc":"2.0","id":null,"result":1}"#, "a response has no usable id"),
        (
            br#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1.5}}"#,
            "`$/cancel_request` has no usable `requestId`",
        ),
        (br#"{"jsonrpc":"2.0","id":1,"method":"panic"}"#, "the handler of `panic` panicked"),
        (br#"{"jsonrpc":"2.0","id":1,"method":"panic_at_once"}"#, "the handler of `panic_at_once` panicked"),
        (br#"{"jsonrpc":"2.0","method":"explode"}"#, "a job of lane `boom` panicked"),
        (br#"{"jsonrpc":"2.0","method":"explode_at_once"}"#, "the handler of `explode_at_once` panicked"),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"unwritable"}"#,
            "the result of `unwritable` cannot be written as JSON: cannot be written",
        ),
    ];
    for (input, expected) in table {
        let (_, faults) = answers(input, Options::default()).await;
        assert_eq!(faults, [expected], "{}", String::from_utf8_lossy(input));
    }
}

#[tokio::test]
async fn noise_is_skipped_by_the_side_that_reads_a_program() {
    let options = || Options::default().noise(Noise::Skip);
    let (lines, faults) = answers(b"npm warn deprecated", options()).await;
    assert_eq!((lines, faults.len()), (vec![], 1));
    // What is JSON but no message is still refused.
    let (lines, _) = answers(b"42", options()).await;
    assert_eq!(lines, [refused("null", NO_OBJECT)]);
}

#[tokio::test]
async fn a_line_beyond_the_limit_is_answered_by_the_id_its_head_shows() {
    let filler = "x".repeat(20_000);
    let too_long = "the message is longer than the limit of 1000 bytes";
    let table: Vec<(&str, String, Noise, Vec<String>)> = vec![
        (
            "id first",
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"echo","params":["{filler}"]}}"#),
            Noise::Skip,
            vec![refused("7", too_long)],
        ),
        (
            "id after method",
            format!(r#"{{"method":"echo","id":"q","params":["{filler}"]}}"#),
            Noise::Skip,
            vec![refused(r#""q""#, too_long)],
        ),
        (
            "id after params",
            format!(r#"{{"method":"echo","params":["{filler}"],"id":7}}"#),
            Noise::Answer,
            vec![refused("null", too_long)],
        ),
        (
            "a notification",
            format!(r#"{{"jsonrpc":"2.0","method":"note","params":["{filler}"]}}"#),
            Noise::Skip,
            vec![],
        ),
        ("a response", format!(r#"{{"jsonrpc":"2.0","id":7,"result":["{filler}"]}}"#), Noise::Answer, vec![]),
        ("garbage", filler.clone(), Noise::Answer, vec![refused("null", too_long)]),
        ("garbage, skipped", filler.clone(), Noise::Skip, vec![]),
    ];
    for (what, input, noise, expected) in table {
        let (lines, faults) = answers(input.as_bytes(), Options::default().max_line(1000).noise(noise)).await;
        assert_eq!(lines, expected, "{what}");
        let length = input.len();
        assert_eq!(
            faults,
            [format!("a line of {length} bytes was skipped: the limit is 1000 bytes")],
            "{what}"
        );
    }
}

#[tokio::test]
async fn an_unterminated_last_line_is_served() {
    let (lab, _events) = Lab::new();
    let (mut wire, _peer, driver) = raw(lab, Options::default());
    let driver = tokio::spawn(driver);
    wire.send_raw(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(wire.finish().await, [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]);
    driver.await.unwrap();
}

#[tokio::test]
async fn one_id_is_in_flight_once_and_free_again_when_answered() {
    let (lab, mut events) = Lab::new();
    let (mut wire, _peer, driver) = raw(lab, Options::default());
    tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"hang"}"#).await;
    assert_eq!(events.recv().await.unwrap(), "started 1");
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(wire.next().await, refused("1", "a request with this id is still being handled"));
    wire.send(r#"{"jsonrpc":"2.0","id":"1","method":"empty"}"#).await;
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":"1","result":{}}"#);
    wire.send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}"#).await;
    assert_eq!(wire.next().await, error("1", -32800, "the request was cancelled"));
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
}

#[tokio::test]
async fn a_request_too_many_is_refused_and_the_others_live() {
    let (lab, mut events) = Lab::new();
    let (mut wire, _peer, driver) = raw(lab, Options::default().max_in_flight(2));
    tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"hang"}"#).await;
    wire.send(r#"{"jsonrpc":"2.0","id":2,"method":"hang"}"#).await;
    wire.send(r#"{"jsonrpc":"2.0","id":3,"method":"hang"}"#).await;
    assert_eq!(
        wire.next().await,
        error("3", -32603, "too many requests are being handled: send it again later")
    );
    for _ in 0..2 {
        assert!(events.recv().await.unwrap().starts_with("started"));
    }
    wire.send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}"#).await;
    assert_eq!(wire.next().await, error("1", -32800, "the request was cancelled"));
    wire.send(r#"{"jsonrpc":"2.0","id":3,"method":"empty"}"#).await;
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
}
