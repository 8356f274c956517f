//! Rows about lines: what is no message, and what is one against all appearances.

use crate::row::{Row, error, ok};

const NO_OBJECT: &str = "a message must be a JSON object";
const BATCH: &str = "a message must be one JSON object: batches are not supported";
const NO_MEMBER: &str = "a message needs a `method`, a `result` or an `error`";
const BAD_ID: &str = "an `id` must be a string, a 64-bit integer or null";
const NO_VERSION: &str = "`jsonrpc` is missing: it must be \"2.0\"";
const OTHER_VERSION: &str = "`jsonrpc` must be \"2.0\"";
const TOO_LONG: &str = "the message is longer than the limit of 1000 bytes";
const TOO_HEAVY: &str = "the values of the message take more than 1000000 bytes of memory";

pub(crate) fn rows() -> Vec<Row> {
    [not_json(), blank(), not_messages(), versions(), ids(), shapes(), responses(), oversized(), too_heavy()]
        .into_iter()
        .flatten()
        .collect()
}

fn nested(depth: usize) -> String {
    let (open, close) = ("[".repeat(depth), "]".repeat(depth));
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{open}{close}}}"#)
}

fn not_json() -> Vec<Row> {
    let mut not_utf8 = br#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["?"]}"#.to_vec();
    not_utf8[51] = 0xFF;
    vec![
        Row::new("a banner").send("Listening on port 1234 ...").not_json(1),
        Row::new("half an object").send("{").not_json(1),
        Row::new("half a request").send(r#"{"jsonrpc":"2.0","id":1,"meth"#).not_json(29),
        Row::new("two objects in a line").send("{} {}").not_json(4),
        Row::new("a byte that is not UTF-8").send(not_utf8).not_json(52),
        Row::new("a byte that is not UTF-8 in a batch").send(*b"[\"\xff\"]").not_json(3),
        Row::new("too deep").send(nested(128)).not_json(176),
        Row::new("deep").send(nested(120)).gets(ok("1", &format!("{}{}", "[".repeat(120), "]".repeat(120)))),
        Row::new("a banner after a banner").send("Hello").not_json(1).send("World").not_json(1),
    ]
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
    vec![
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

/// Never answered, whatever they say.
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

/// Beyond the limit: answered where the first bytes show an id.
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
            .noise(refused("null")),
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

/// Short enough, but of too many values.
fn too_heavy() -> Vec<Row> {
    let line = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"echo","params":[{}[]]}}"#, "[],".repeat(50_000));
    let length = line.len();
    let report = "a line was skipped whose values would take more memory than the limit of 1000000 bytes";
    vec![
        Row::new("values that take too much memory")
            .limit("max_message", 1_000_000)
            .send(line)
            .gets(error("7", -32600, TOO_HEAVY))
            .reports(format!("{report} ({length} bytes long)")),
    ]
}
