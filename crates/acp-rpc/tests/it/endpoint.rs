//! The protocol as a state machine: races are orders of steps.

use std::cell::Cell;
use std::rc::Rc;

use acp_rpc::endpoint::{Effect, Endpoint, Limits};
use acp_rpc::{Id, Message};

/// A handle that counts its cancellations.
#[derive(Clone, Debug, Default)]
struct Token(Rc<Cell<usize>>);

impl Token {
    fn cancel(&self) {
        self.0.set(self.0.get() + 1);
    }
}

/// One event.
enum Step {
    /// This side sends a request for this waiter.
    Call(&'static str),
    /// This side gives up the request with this id.
    Abandon(i64),
    /// A line arrives.
    Line(&'static str),
    /// The handler of this request is done.
    Finished(Id),
    /// The connection ends.
    Close,
}
use Step::{Abandon, Call, Close, Finished, Line};

/// Takes the steps, and says in words what each of them caused.
fn run(steps: Vec<Step>) -> Vec<String> {
    let mut endpoint = Endpoint::<&'static str, Token>::new(Limits { requests: 3, bytes: 10_000 });
    steps
        .into_iter()
        .map(|step| match step {
            Call(waiter) => format!("{:?}", endpoint.call(waiter).ok()),
            Abandon(id) => format!("tell the peer: {}", endpoint.abandon(id).is_some()),
            Line(line) => receive(&mut endpoint, line),
            Finished(id) => format!("answer: {}", endpoint.finished(&id)),
            Close => format!("failed: {:?}", endpoint.close()),
        })
        .collect()
}

fn receive(endpoint: &mut Endpoint<&'static str, Token>, line: &str) -> String {
    let message = Message::parse(line.as_bytes()).unwrap();
    match endpoint.receive(message, line.len(), Token::default) {
        Effect::Run { id, method, .. } => format!("run {method} {id}"),
        Effect::Notify { method, .. } => format!("notify {method}"),
        Effect::Deliver { waiter, answer, .. } => match answer {
            acp_rpc::Answer::Result(result) => format!("{waiter} gets {}", result.kind()),
            acp_rpc::Answer::Error(error) => format!("{waiter} gets error {}", error.code),
            acp_rpc::Answer::Malformed(problem) => format!("{waiter} gets nothing: {problem}"),
        },
        Effect::Refuse { id, error } => format!("refuse {id} {}", error.code),
        Effect::Cancel { token } => {
            token.cancel();
            "cancelled".into()
        }
        Effect::Ignore => "ignored".into(),
        Effect::UnknownResponse { id } => format!("unknown {id}"),
        Effect::Unaddressed { error } => format!("unaddressed {:?}", error.map(|error| error.code)),
        Effect::BadCancel => "bad cancel".into(),
    }
}

const REQUEST_1: &str = r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#;
const REQUEST_STRING_1: &str = r#"{"jsonrpc":"2.0","id":"1","method":"m"}"#;
const CANCEL_1: &str = r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}"#;
const CANCEL_STRING_1: &str = r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"1"}}"#;
const RESULT_0: &str = r#"{"jsonrpc":"2.0","id":0,"result":"r"}"#;
const RESULT_1: &str = r#"{"jsonrpc":"2.0","id":1,"result":"r"}"#;
const RESULT_STRING_0: &str = r#"{"jsonrpc":"2.0","id":"0","result":"r"}"#;

#[test]
fn races() {
    let table: Vec<(&str, Vec<Step>, Vec<&str>)> = vec![
        (
            "cancel before the handler is done",
            vec![Line(REQUEST_1), Line(CANCEL_1), Finished(Id::Int(1))],
            vec!["run m 1", "cancelled", "answer: true"],
        ),
        (
            "cancel after the handler is done",
            vec![Line(REQUEST_1), Finished(Id::Int(1)), Line(CANCEL_1)],
            vec!["run m 1", "answer: true", "ignored"],
        ),
        (
            "cancel twice",
            vec![Line(REQUEST_1), Line(CANCEL_1), Line(CANCEL_1)],
            vec!["run m 1", "cancelled", "cancelled"],
        ),
        ("cancel before the request", vec![Line(CANCEL_1), Line(REQUEST_1)], vec!["ignored", "run m 1"]),
        (
            "a string does not cancel an integer",
            vec![Line(REQUEST_1), Line(CANCEL_STRING_1), Line(REQUEST_STRING_1), Line(CANCEL_STRING_1)],
            vec!["run m 1", "ignored", r#"run m "1""#, "cancelled"],
        ),
        (
            "null is an id like others",
            vec![
                Line(r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#),
                Line(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":null}}"#),
                Finished(Id::Null),
            ],
            vec!["run m null", "cancelled", "answer: true"],
        ),
        (
            "a handler answers once",
            vec![Line(REQUEST_1), Finished(Id::Int(1)), Finished(Id::Int(1))],
            vec!["run m 1", "answer: true", "answer: false"],
        ),
        (
            "an id in flight is refused, and free when answered",
            vec![Line(REQUEST_1), Line(REQUEST_1), Finished(Id::Int(1)), Line(REQUEST_1)],
            vec!["run m 1", "refuse 1 -32600", "answer: true", "run m 1"],
        ),
        (
            "equal ids in both directions are two things",
            vec![Call("a"), Call("b"), Line(REQUEST_1), Line(RESULT_1), Line(CANCEL_1), Finished(Id::Int(1))],
            vec!["Some(0)", "Some(1)", "run m 1", "b gets a string", "cancelled", "answer: true"],
        ),
        (
            "answers in any order, each once",
            vec![Call("a"), Call("b"), Line(RESULT_1), Line(RESULT_0), Line(RESULT_0)],
            vec!["Some(0)", "Some(1)", "b gets a string", "a gets a string", "unknown 0"],
        ),
        (
            "an answer of another id type reaches nobody",
            vec![Call("a"), Line(RESULT_STRING_0), Line(RESULT_0)],
            vec!["Some(0)", r#"unknown "0""#, "a gets a string"],
        ),
        (
            "given up, then answered: dropped without a word, once",
            vec![Call("a"), Abandon(0), Line(RESULT_0), Line(RESULT_0)],
            vec!["Some(0)", "tell the peer: true", "ignored", "unknown 0"],
        ),
        (
            "answered, then given up: nothing to tell",
            vec![Call("a"), Line(RESULT_0), Abandon(0)],
            vec!["Some(0)", "a gets a string", "tell the peer: false"],
        ),
        (
            "a malformed answer fails the call at once",
            vec![
                Call("a"),
                Call("b"),
                Call("c"),
                Line(r#"{"jsonrpc":"2.0","id":0,"result":1,"error":{"code":1,"message":""}}"#),
                Line(r#"{"jsonrpc":"2.0","id":1}"#),
                Line(r#"{"id":2,"result":1}"#),
            ],
            vec![
                "Some(0)",
                "Some(1)",
                "Some(2)",
                "a gets nothing: it has both a `result` and an `error`",
                "b gets nothing: it has neither a `result` nor an `error`",
                "c gets nothing: its `jsonrpc` is not \"2.0\"",
            ],
        ),
        (
            "error codes of any size, and errors without an object",
            vec![
                Call("a"),
                Call("b"),
                Call("c"),
                Line(r#"{"jsonrpc":"2.0","id":0,"error":{"code":99999999999,"message":"m"}}"#),
                Line(r#"{"jsonrpc":"2.0","id":1,"error":{"message":"m"}}"#),
                Line(r#"{"jsonrpc":"2.0","id":2,"error":"m"}"#),
            ],
            vec![
                "Some(0)",
                "Some(1)",
                "Some(2)",
                "a gets error 2147483647",
                "b gets error -32603",
                "c gets nothing: its `error` is not an object",
            ],
        ),
        (
            "errors for nobody",
            vec![
                Call("a"),
                Line(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#),
                Line(r#"{"jsonrpc":"2.0","error":{"code":5,"message":"m"}}"#),
                Line(r#"{"jsonrpc":"2.0","id":0.5,"result":1}"#),
                Line(RESULT_0),
            ],
            vec![
                "Some(0)",
                "unaddressed Some(-32700)",
                "unaddressed Some(5)",
                "unaddressed None",
                "a gets a string",
            ],
        ),
        (
            "too many at once",
            vec![
                Line(REQUEST_1),
                Line(REQUEST_STRING_1),
                Line(r#"{"jsonrpc":"2.0","id":2,"method":"m"}"#),
                Line(r#"{"jsonrpc":"2.0","id":3,"method":"m"}"#),
                Line(REQUEST_1),
                Finished(Id::Int(1)),
                Line(r#"{"jsonrpc":"2.0","id":3,"method":"m"}"#),
            ],
            vec![
                "run m 1",
                r#"run m "1""#,
                "run m 2",
                "refuse 3 -32603",
                "refuse 1 -32600",
                "answer: true",
                "run m 3",
            ],
        ),
        (
            "the end fails who waits, oldest first, and takes no more",
            vec![Call("a"), Call("b"), Call("c"), Abandon(1), Close, Call("d"), Close],
            vec![
                "Some(0)",
                "Some(1)",
                "Some(2)",
                "tell the peer: true",
                r#"failed: ["a", "c"]"#,
                "None",
                "failed: []",
            ],
        ),
        (
            "notifications: to the service, or ignored",
            vec![
                Line(r#"{"jsonrpc":"2.0","method":"n"}"#),
                Line(r#"{"jsonrpc":"2.0","method":"$/progress"}"#),
                Line(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":[1]}"#),
                Line(r#"{"jsonrpc":"2.0","id":1,"method":"$/request"}"#),
            ],
            vec!["notify n", "ignored", "bad cancel", "run $/request 1"],
        ),
    ];
    for (what, steps, expected) in table {
        assert_eq!(run(steps), expected, "{what}");
    }
}

#[test]
fn requests_in_flight_are_counted_in_bytes() {
    let mut endpoint = Endpoint::<(), Token>::new(Limits { requests: 100, bytes: 1000 });
    let mut receive = |line: &str, bytes| {
        let effect = endpoint.receive(Message::parse(line.as_bytes()).unwrap(), bytes, Token::default);
        let ran = matches!(effect, Effect::Run { .. });
        if ran { "run" } else { "refused" }
    };
    let request = |id: i64| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
    assert_eq!(receive(&request(1), 5000), "run", "one is taken whatever its size");
    assert_eq!(receive(&request(2), 1), "refused");
    assert!(endpoint.finished(&Id::Int(1)));
    assert_eq!((endpoint.in_flight(), endpoint.pending()), (0, 0));
    let mut receive = |id: i64, bytes| {
        let line = request(id);
        let message = Message::parse(line.as_bytes()).unwrap();
        matches!(endpoint.receive(message, bytes, Token::default), Effect::Run { .. })
    };
    assert!(receive(3, 600) && receive(4, 400) && !receive(5, 1));
}

#[test]
fn late_answers_are_remembered_for_a_bounded_number_of_requests() {
    let mut endpoint = Endpoint::<(), Token>::new(Limits { requests: 1, bytes: 1 });
    let answer = |endpoint: &mut Endpoint<(), Token>, id: i64| {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":null}}"#);
        let message = Message::parse(line.as_bytes()).unwrap();
        matches!(endpoint.receive(message, line.len(), Token::default), Effect::Ignore)
    };
    for _ in 0..5000 {
        let id = endpoint.call(()).unwrap();
        assert_eq!(endpoint.abandon(id), Some(()));
    }
    assert_eq!(endpoint.pending(), 0);
    assert!(answer(&mut endpoint, 4999), "the youngest is known");
    assert!(!answer(&mut endpoint, 0), "the oldest is forgotten");
}
