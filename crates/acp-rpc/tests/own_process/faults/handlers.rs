//! Rows about handlers: their failures, their waits, and their number.

use super::row::{Row, error, ok};

const PANICKED: &str = "the handler failed unexpectedly";
const CANCELLED: &str = "the request was cancelled";

pub(crate) fn rows() -> Vec<Row> {
    [failures(), panics(), in_flight(), cancellations(), calls_back(), floods()]
        .into_iter()
        .flatten()
        .collect()
}

fn call(id: &str, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)
}

fn notify(method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}"}}"#)
}

fn cancel(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"$/cancel_request","params":{{"requestId":{id}}}}}"#)
}

fn failures() -> Vec<Row> {
    let typed = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"typed","params":{params}}}"#);
    vec![
        Row::new("params of the wrong type").send(typed(r#"{"line":"secret"}"#)).gets(error(
            "1",
            -32602,
            "`line`: expected an unsigned 32-bit integer, found a string",
        )),
        Row::new("a param is missing").send(typed(r#"{"lime":1}"#)).gets(error(
            "1",
            -32602,
            "`line`: required, but missing",
        )),
        Row::new("an error with data")
            .send(r#"{"jsonrpc":"2.0","id":1,"method":"fail","params":[{"a":1}]}"#)
            .gets(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no good","data":[{"a":1}]}}"#),
        Row::new("a result that cannot be written")
            .send(call("1", "unwritable"))
            .gets(error("1", -32603, "the result cannot be written as JSON"))
            .reports("the result of `unwritable` cannot be written as JSON: cannot be written"),
        Row::new("something right after the reply")
            .send(call("1", "after"))
            .gets(ok("1", "{}"))
            .gets(r#"{"jsonrpc":"2.0","method":"followed"}"#),
    ]
}

fn panics() -> Vec<Row> {
    vec![
        Row::new("a handler panics")
            .send(call("1", "panic"))
            .gets(error("1", -32603, PANICKED))
            .reports("the handler of `panic` panicked"),
        Row::new("a handler panics before it begins")
            .send(call("1", "panic_at_once"))
            .gets(error("1", -32603, PANICKED))
            .reports("the handler of `panic_at_once` panicked"),
        Row::new("a job of a lane panics").send(notify("explode")).reports("a job of lane `boom` panicked"),
        Row::new("a background task panics")
            .send(notify("explode_beside"))
            .reports("the handler of `explode_beside` panicked"),
        Row::new("a notification panics before it begins")
            .send(notify("explode_at_once"))
            .reports("the handler of `explode_at_once` panicked"),
    ]
}

fn in_flight() -> Vec<Row> {
    let twice = "a request with this id is still being handled";
    let full = "too many requests are being handled: send it again later";
    vec![
        Row::new("one id twice in flight")
            .send(call("1", "hang"))
            .send(call("1", "empty"))
            .refused("1", twice)
            .send(call("\"1\"", "empty"))
            .gets(ok("\"1\"", "{}"))
            .send(cancel("1"))
            .gets(error("1", -32800, CANCELLED))
            .send(call("1", "empty"))
            .gets(ok("1", "{}")),
        Row::new("a request too many")
            .limit("max_in_flight", 2)
            .send(call("1", "hang"))
            .send(call("2", "hang"))
            .send(call("3", "empty"))
            .gets(error("3", -32603, full))
            .reports(format!("refused message 3: {full}"))
            .send(cancel("1"))
            .gets(error("1", -32800, CANCELLED))
            .send(call("3", "empty"))
            .gets(ok("3", "{}"))
            .send(cancel("2"))
            .gets(error("2", -32800, CANCELLED)),
    ]
}

fn cancellations() -> Vec<Row> {
    let busy: Vec<String> = (0..1000).map(|id| call(&id.to_string(), "hang")).collect();
    let mut row = Row::new("cancelled among 1,000 handlers that wait").send(busy.join("\n"));
    for id in [777].into_iter().chain((0..1000).filter(|id| *id != 777)) {
        row = row.send(cancel(&id.to_string())).gets(error(&id.to_string(), -32800, CANCELLED));
    }
    let bad = "`$/cancel_request` has no usable `requestId`";
    vec![
        row,
        Row::new("nothing to cancel").send(cancel("5")),
        Row::new("an id of another type does not cancel")
            .send(call("1", "hang"))
            .send(cancel("\"1\""))
            .send(call("2", "empty"))
            .gets(ok("2", "{}"))
            .send(cancel("1"))
            .gets(error("1", -32800, CANCELLED)),
        Row::new("a cancellation without an id").send(notify("$/cancel_request")).reports(bad),
        Row::new("a cancellation of an impossible id").send(cancel("1.5")).reports(bad),
    ]
}

/// Handlers await the peer, which calls again before it answers.
fn calls_back() -> Vec<Row> {
    let nest =
        |id: &str, depth: usize| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"nest","params":{depth}}}"#);
    vec![
        Row::new("handlers await the peer, four deep")
            .send(nest("\"a\"", 3))
            .gets(nest("0", 2))
            .send(nest("\"b\"", 2))
            .gets(nest("1", 1))
            .send(nest("\"c\"", 1))
            .gets(nest("2", 0))
            .send(nest("\"d\"", 0))
            .gets(ok("\"d\"", "\"bottom\""))
            .send(ok("2", "\"bottom\""))
            .gets(ok("\"c\"", "\"1 bottom\""))
            .send(ok("1", "\"1 bottom\""))
            .gets(ok("\"b\"", "\"2 1 bottom\""))
            .send(ok("0", "\"2 1 bottom\""))
            .gets(ok("\"a\"", "\"3 2 1 bottom\"")),
        Row::new("the answer to a call is no response")
            .send(nest("\"a\"", 1))
            .gets(nest("0", 0))
            .send(r#"{"jsonrpc":"2.0","id":0}"#)
            .gets(error(
                "\"a\"",
                -32603,
                "the answer to `nest` is not a valid response: it has neither a `result` nor an `error`",
            ))
            .reports("the response 0 is malformed: it has neither a `result` nor an `error`"),
    ]
}

fn floods() -> Vec<Row> {
    let padding = "x".repeat(1000);
    let echo = |id: usize| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"echo","params":["{padding}"]}}"#);
    let result = format!(r#"["{padding}"]"#);
    let requests: Vec<String> = (0..2000).map(echo).collect();
    let slow = |number: usize| format!(r#"{{"jsonrpc":"2.0","method":"slow","params":[{number}]}}"#);
    let notes: Vec<String> = (0..500).map(slow).collect();
    let mut unread = Row::new("a peer that sends all before it reads")
        .limit("outgoing_budget", 4096)
        .send(requests.join("\n"));
    for id in 0..2000 {
        unread = unread.gets(ok(&id.to_string(), &result));
    }
    let mut consumed =
        Row::new("a consumer slower than the peer").limit("incoming_budget", 1).send(notes.join("\n"));
    for number in 0..500 {
        consumed = consumed.gets(format!(r#"{{"jsonrpc":"2.0","method":"done","params":[{number}]}}"#));
    }
    vec![unread, consumed]
}
