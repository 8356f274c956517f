//! Rows about lines: lines that are not messages, and messages that look unusual.

use super::row::{Row, error, ok};

const NO_OBJECT: &str = "a message must be a JSON object";
const BATCH: &str = "a message must be one JSON object: batches are not supported";
const NO_MEMBER: &str = "a message needs a `method`, a `result` or an `error`";
const BAD_ID: &str = "an `id` must be a string, a 64-bit integer or null";
const NO_VERSION: &str = "`jsonrpc` is missing: it must be \"2.0\"";
const OTHER_VERSION: &str = "`jsonrpc` must be \"2.0\"";
const TOO_LONG: &str = "the message is longer than the limit of 1000 bytes";
const TOO_HEAVY: &str = "the values of the message take more than 1000000 bytes of memory";

pub(crate) fn rows() -> Vec<Row> {
    [
        not_json(),
        unreadable(),
        repaired(),
        not_utf8(),
        blank(),
        not_messages(),
        versions(),
        ids(),
        shapes(),
        responses(),
        oversized(),
        too_heavy(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn nested(depth: usize) -> String {
    let (open, close) = ("[".repeat(depth), "]".repeat(depth));
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{open}{close}}}"#)
}

fn not_json() -> Vec<Row> {
    vec![
        Row::new("a banner").send("Listening on port 1234 ...").not_json(1),
        Row::new("half an object").send("{").not_json(1),
        Row::new("half a request").send(r#"{"jsonrpc":"2.0","id":1,"meth"#).not_json(29),
        Row::new("an id that may be cut off").send(r#"{"jsonrpc":"2.0","method":"echo","id":1"#).not_json(39),
        Row::new("an id that stands deeper")
            .send(r#"{"jsonrpc":"2.0","method":"echo","params":[01,{"id":1}]}"#)
            .not_json(45),
        Row::new("two objects in a line").send("{} {}").not_json(4),
        Row::new("deep").send(nested(120)).gets(ok("1", &format!("{}{}", "[".repeat(120), "]".repeat(120)))),
        Row::new("a banner after a banner").send("Hello").not_json(1).send("World").not_json(1),
    ]
}

/// Lines that are not JSON, but have an id.
fn unreadable() -> Vec<Row> {
    let row = |name: &str, line: String, id: &str, column: usize| {
        let report = format!("a line of {} bytes is not JSON (at byte {column})", line.len());
        let problem = format!("the message cannot be read as JSON from byte {column} on");
        Row::new(name).send(line).gets(error(id, -32700, &problem)).reports(report)
    };
    let echo = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{params}}}"#);
    let last = |params: &str| format!(r#"{{"params":{params},"method":"echo","jsonrpc":"2.0","id":"q"}}"#);
    let response = r#"{"jsonrpc":"2.0","id":99,"result":nope}"#;
    vec![
        row("a number that is none", echo("[01]"), "1", 52),
        row("a number that is none, id last", last("[01]"), r#""q""#, 13),
        row("a number that is none, and another id", last(r#"[{"id":7},01]"#), r#""q""#, 22),
        row("too deep", nested(128), "1", 176),
        row("half a pair and a number that is none", echo(r#"["\ud83d",01]"#), "1", 61),
        row("NUL in text", echo("[\"\0\"]"), "1", 52),
        row(
            "cut off after its id",
            r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":"#.to_owned(),
            "1",
            49,
        ),
        Row::new("a response for nobody that cannot be read")
            .send(response)
            .reports("a line of 39 bytes is not JSON (at byte 36)"),
    ]
}

/// Text that was cut within a character.
fn repaired() -> Vec<Row> {
    let echo = |id: &str, text: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"echo","params":["{text}"]}}"#)
    };
    let row = |name: &str, text: &str, read_as: &str, column: usize| {
        let line = echo("1", text);
        let report = repair(line.len(), column);
        Row::new(name).send(line).gets(ok("1", &format!(r#"["{read_as}"]"#))).reports(report)
    };
    let note = r#"{"jsonrpc":"2.0","method":"x/\ud83d"}"#;
    let id = echo(r#""\ud83d""#, "");
    let refused = "an `id` must be whole Unicode text";
    vec![
        row("half a pair at the end", r"cut \ud83d", "cut \u{fffd}", 62),
        row("half a pair before text", r"\ud83dcut", "\u{fffd}cut", 58),
        row("the other half", r"\ude00", "\u{fffd}", 57),
        row("half a pair and a whole one", r"\ud83d\ud83d\ude00", "\u{fffd}\u{1f600}", 63),
        Row::new("half a pair in a notification").send(note).reports(repair(note.len(), 36)),
        Row::new("half a pair in the id")
            .send(id.clone())
            .reports(repair(id.len(), 30))
            .refused("null", refused),
    ]
}

/// Lines that are not UTF-8. A server refuses them (rule v1-rpc-02). A client that reads a
/// program's output repairs them.
fn not_utf8() -> Vec<Row> {
    let row = |name: &str, text: &[u8], read_as: &str, column: usize| {
        let line = [br#"{"jsonrpc":"2.0","params":[""#, text, br#""],"method":"echo","id":1}"#].concat();
        let problem = format!("the message cannot be read as JSON from byte {column} on");
        let report = format!("a line of {} bytes is not JSON (at byte {column})", line.len());
        let length = line.len();
        Row::new(name).send(line).apart(
            (error("1", -32700, &problem), report),
            (ok("1", &format!(r#"["{read_as}"]"#)), repair(length, column)),
        )
    };
    vec![
        row("a byte that is not UTF-8", b"a\xffb", "a\u{fffd}b", 30),
        row("a character cut after its first bytes", b"\xf0\x9f\x98", "\u{fffd}", 29),
        row("not UTF-8, then half a pair", b"\xff\\ud83d", "\u{fffd}\u{fffd}", 36),
    ]
}

fn repair(length: usize, column: usize) -> String {
    format!("a message of {length} bytes has text that is not Unicode, read as U+FFFD (at byte {column})")
}

fn blank() -> Vec<Row> {
    let empty = r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#;
    vec![
        Row::new("blank lines").send("\n\n  \n\r\n\t"),
        Row::new("CRLF").send(format!("{empty}\r")).gets(ok("1", "{}")),
        Row::new("a byte order mark").send(format!("\u{feff}{empty}")).gets(ok("1", "{}")),
        Row::new("white space around").send(format!(" \t{empty} ")).gets(ok("1", "{}")),
    ]
}

fn not_messages() -> Vec<Row> {
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"empty"},{"jsonrpc":"2.0","id":2,"method":"empty"}]"#;
    let mut rows: Vec<Row> = ["42", "\"hi\"", "null", "true", "-1.5"]
        .into_iter()
        .map(|scalar| Row::new(&format!("the scalar {scalar}")).send(scalar).refused("null", NO_OBJECT))
        .collect();
    rows.extend([
        Row::new("an empty object").send("{}").refused("null", NO_MEMBER),
        Row::new("only a version").send(r#"{"jsonrpc":"2.0"}"#).refused("null", NO_MEMBER),
        Row::new("only an id").send(r#"{"jsonrpc":"2.0","id":7}"#).refused("null", NO_MEMBER),
        Row::new("an empty batch").send("[]").refused("null", BATCH),
        Row::new("a batch").send(batch).refused("null", BATCH),
    ]);
    rows
}

fn versions() -> Vec<Row> {
    vec![
        Row::new("no version").send(r#"{"id":1,"method":"empty"}"#).refused("1", NO_VERSION),
        Row::new("no version, notified").send(r#"{"method":"note"}"#).refused("null", NO_VERSION),
        Row::new("version 1")
            .send(r#"{"jsonrpc":"1.0","id":"a","method":"empty"}"#)
            .refused(r#""a""#, OTHER_VERSION),
        Row::new("version as a number")
            .send(r#"{"jsonrpc":2.0,"id":1,"method":"empty"}"#)
            .refused("1", OTHER_VERSION),
    ]
}

fn ids() -> Vec<Row> {
    let good = ["0", "-1", r#""0""#, "null", "9223372036854775807", "-9223372036854775808", r#""a\"\\""#];
    let bad = ["9223372036854775808", "1.5", "true", "{}", "[1]"];
    let call = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"empty"}}"#);
    let good = good.map(|id| Row::new(&format!("the id {id}")).send(call(id)).gets(ok(id, "{}")));
    let bad = bad.map(|id| Row::new(&format!("the id {id}")).send(call(id)).refused("null", BAD_ID));
    let escaped = Row::new("an id with an escape").send(call(r#""\u0041""#)).gets(ok(r#""A""#, "{}"));
    let twice = Row::new("a member twice")
        .send(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"empty"}"#)
        .gets(ok("2", "{}"));
    good.into_iter().chain(bad).chain([escaped, twice]).collect()
}

fn shapes() -> Vec<Row> {
    let unknown = "method not found: x/y";
    let beyond = r#"[1.5,1e400,{"a":-9e999}]"#;
    let problem = "`line`: the number does not fit an unsigned 32-bit integer";
    vec![
        Row::new("numbers beyond a double")
            .send(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{beyond}}}"#))
            .gets(ok("1", beyond)),
        Row::new("a number beyond a double where one is due")
            .send(r#"{"jsonrpc":"2.0","id":1,"method":"typed","params":{"line":1e400}}"#)
            .gets(error("1", -32602, problem)),
        Row::new("a method of another type")
            .send(r#"{"jsonrpc":"2.0","id":1,"method":5}"#)
            .refused("1", "`method` must be a string"),
        Row::new("an unknown method")
            .send(r#"{"jsonrpc":"2.0","id":1,"method":"x/y"}"#)
            .gets(error("1", -32601, unknown)),
        Row::new("an unknown notification").send(r#"{"jsonrpc":"2.0","method":"x/y"}"#),
        Row::new("an unknown $/ notification").send(r#"{"jsonrpc":"2.0","method":"$/y","params":[1]}"#),
        Row::new("no params").send(r#"{"jsonrpc":"2.0","id":1,"method":"echo"}"#).gets(ok("1", "null")),
        Row::new("null params")
            .send(r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":null}"#)
            .gets(ok("1", "null")),
        Row::new("members in any order")
            .send(r#"{"params":[1],"method":"echo","id":1,"jsonrpc":"2.0"}"#)
            .gets(ok("1", "[1]")),
        Row::new("further members")
            .send(r#"{"jsonrpc":"2.0","id":1,"method":"empty","trace":{"x":[]}}"#)
            .gets(ok("1", "{}")),
    ]
}

/// Lines that are never answered.
fn responses() -> Vec<Row> {
    let nobody = |id: &str| format!("a response has an id that nobody waits for: {id}");
    let unaddressed = "the peer reported an error without an id (code 400)";
    vec![
        Row::new("a result for nobody")
            .send(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#)
            .reports(nobody("99")),
        Row::new("an error for nobody")
            .send(r#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}"#)
            .reports(nobody("\"x\"")),
        Row::new("an error under null")
            .send(r#"{"jsonrpc":"2.0","id":null,"error":{"code":400,"message":"m"}}"#)
            .reports(unaddressed),
        Row::new("an error without an id")
            .send(r#"{"jsonrpc":"2.0","error":{"code":400,"message":"m"}}"#)
            .reports(unaddressed),
        Row::new("a result under null")
            .send(r#"{"jsonrpc":"2.0","id":null,"result":1}"#)
            .reports("a response has no usable id"),
        Row::new("a result without a version").send(r#"{"id":99,"result":{}}"#).reports(nobody("99")),
    ]
}

/// Lines beyond the limit. They are answered if an id can be found.
fn oversized() -> Vec<Row> {
    let filler = "x".repeat(20_000);
    let megabytes = "x".repeat(5_000_000);
    let row = |name: &str, line: String| {
        let report = format!("a line of {} bytes was skipped: the limit is 1000 bytes", line.len());
        Row::new(name).limit("max_line", 1000).send(line).reports(report)
    };
    let refused = |id: &str| error(id, -32600, TOO_LONG);
    vec![
        row(
            "too long, id first",
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"echo","params":["{filler}"]}}"#),
        )
        .gets(refused("7")),
        row(
            "too long, id after the method",
            format!(r#"{{"method":"echo","id":"q","params":["{filler}"]}}"#),
        )
        .gets(refused("\"q\"")),
        row("too long, id after the params", format!(r#"{{"method":"echo","params":["{filler}"],"id":7}}"#))
            .gets(refused("7")),
        row(
            "too long, another id before its own",
            format!(r#"{{"method":"echo","params":[{{"id":1}},"{filler}"],"id":7}}"#),
        )
        .gets(refused("7")),
        row(
            "too long, with no id of its own",
            format!(r#"{{"method":"note","params":[{{"id":1}},"{filler}"]}}"#),
        )
        .noise(refused("null")),
        row("too long, id after a long text", format!(r#"{{"method":"echo","params":"{filler}","id":7}}"#))
            .gets(refused("7")),
        row(
            "too long a notification",
            format!(r#"{{"jsonrpc":"2.0","method":"note","params":["{filler}"]}}"#),
        )
        .noise(refused("null")),
        row("too long a response", format!(r#"{{"jsonrpc":"2.0","id":7,"result":["{filler}"]}}"#)),
        row("too long, and garbage", filler).noise(refused("null")),
        row("megabytes of garbage", megabytes).noise(refused("null")),
    ]
}

/// Lines that are short enough, but have too many values.
fn too_heavy() -> Vec<Row> {
    let line = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"echo","params":[{}[]]}}"#, "[],".repeat(50_000));
    let length = line.len();
    let report =
        "a line was skipped, because its values would take more memory than the limit of 1000000 bytes";
    vec![
        Row::new("values that take too much memory")
            .limit("max_message", 1_000_000)
            .send(line)
            .gets(error("7", -32600, TOO_HEAVY))
            .reports(format!("{report} ({length} bytes long)")),
    ]
}
