//! Every known behaviour of a server and what is made of it: a row for each rule that binds a client, and for each
//! situation of docs/MCP.md.

use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};

use super::{Failure, Fault, Input, Negotiation, Opening, Route, Step};
use crate::values::version::{Era, VersionPolicy};

const NEW: &str = "2026-07-28";
const OLD: &str = "2025-11-25";

/// A negotiation from its beginning: what comes in, and all that is done, in a line.
struct Row {
    /// The rules and situations that it shows.
    shows: &'static str,
    policy: VersionPolicy,
    routes: &'static [Route],
    hint: Option<Era>,
    inputs: Vec<(Opening, Input)>,
    steps: &'static str,
}

fn row(shows: &'static str, inputs: Vec<(Opening, Input)>, steps: &'static str) -> Row {
    Row { shows, policy: VersionPolicy::Auto, routes: &[Route::Pipe], hint: None, inputs, steps }
}

impl Row {
    fn policy(self, policy: VersionPolicy) -> Self {
        Self { policy, ..self }
    }

    fn http(self) -> Self {
        Self { routes: &[Route::Http], ..self }
    }

    fn http_or_sse(self) -> Self {
        Self { routes: &[Route::Http, Route::Sse], ..self }
    }

    fn sse_or_http(self) -> Self {
        Self { routes: &[Route::Sse, Route::Http], ..self }
    }

    fn was(self, era: Era) -> Self {
        Self { hint: Some(era), ..self }
    }

    fn run(&self) -> String {
        let mut negotiation = Negotiation::new(&self.policy, self.routes, self.hint);
        let mut steps = vec![negotiation.start()];
        for (opening, input) in &self.inputs {
            steps.push(negotiation.on(*opening, input.clone()));
        }
        steps.iter().map(shown).collect::<Vec<_>>().join(" > ")
    }
}

fn shown(step: &Step) -> String {
    match step {
        Step::Send { opening, version, route, fresh } => {
            let opening = if *opening == Opening::Probe { "probe" } else { "initialize" };
            let route = match route {
                Route::Pipe => "",
                Route::Http => " http",
                Route::Sse => " sse",
                Route::Acp => " acp",
            };
            let fresh = if *fresh { "!" } else { "" };
            format!("{opening} {version}{route}{fresh}")
        }
        Step::Wait => "wait".to_owned(),
        Step::Ready { era, version } => format!("{era} {version}"),
        Step::Fail(Failure::NoCommonVersion(listed)) => {
            format!(
                "fail: no common version in {:?}",
                listed.iter().map(ProtocolVersion::as_str).collect::<Vec<_>>()
            )
        }
        Step::Fail(Failure::Legacy(_)) => "fail: legacy".to_owned(),
        Step::Fail(Failure::Answered { answered, .. }) => format!("fail: answered {answered}"),
        Step::Fail(Failure::MissingCapability(required)) => format!("fail: needs {required:?}"),
        Step::Fail(Failure::Refused(fault)) => {
            format!("fail: refused {:?}", fault.as_ref().map(|fault| fault.code))
        }
        Step::Fail(failure) => format!("fail: {failure:?}"),
    }
}

fn versions(texts: &[&str]) -> Vec<ProtocolVersion> {
    texts.iter().map(|text| serde_json::from_value(json!(text)).unwrap()).collect()
}

fn version(text: &str) -> ProtocolVersion {
    versions(&[text]).remove(0)
}

fn probe(input: Input) -> (Opening, Input) {
    (Opening::Probe, input)
}

fn init(input: Input) -> (Opening, Input) {
    (Opening::Initialize, input)
}

fn discovered(texts: &[&str]) -> Input {
    Input::Discovered(versions(texts))
}

fn initialized(text: &str) -> Input {
    Input::Initialized(version(text))
}

fn error(code: i32) -> Input {
    Input::Error(Fault::new(code, None))
}

fn fault(code: i32, supported: &[&str]) -> Fault {
    Fault::new(code, Some(json!({ "supported": supported, "requested": NEW })))
}

fn unsupported(code: i32, supported: &[&str]) -> Input {
    Input::Error(fault(code, supported))
}

#[allow(clippy::needless_pass_by_value, reason = "the rows are written where they are checked")]
fn check(rows: Vec<Row>) {
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| row.run() != row.steps)
        .map(|row| format!("{}\n  is     {}\n  wanted {}", row.shows, row.run(), row.steps))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const BOTH: &[&str] = &[NEW, OLD];

#[test]
fn a_server_on_a_pipe() {
    check(vec![
        row(
            "mcp-neg-25, -26: a probe comes first; M1, M3",
            vec![probe(discovered(&[NEW]))],
            "probe 2026-07-28! > modern 2026-07-28",
        ),
        row(
            "mcp-neg-26: of several versions the newest",
            vec![probe(discovered(&[OLD, "2099-01-01", NEW]))],
            "probe 2026-07-28! > modern 2026-07-28",
        ),
        row(
            "D2, mcp-neg-28: only legacy versions are discovered",
            vec![probe(discovered(&["2024-11-05", "2025-06-18"])), init(initialized("2025-06-18"))],
            "probe 2026-07-28! > initialize 2025-06-18 > legacy 2025-06-18",
        ),
        row(
            "mcp-neg-07: nothing in common",
            vec![probe(discovered(&["2099-01-01"]))],
            "probe 2026-07-28! > fail: no common version in [\"2099-01-01\"]",
        ),
        row(
            "D1, mcp-neg-28: refused, and only legacy versions listed",
            vec![probe(unsupported(-32022, &["2025-06-18", OLD])), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25 > legacy 2025-11-25",
        ),
        row(
            "mcp-neg-07: refused although it is listed, so once more",
            vec![probe(unsupported(-32022, &[NEW])), probe(discovered(&[NEW]))],
            "probe 2026-07-28! > probe 2026-07-28 > modern 2026-07-28",
        ),
        row(
            "mcp-neg-07: refused although it is listed, and refused again",
            vec![probe(unsupported(-32022, &[NEW])), probe(unsupported(-32022, &[NEW]))],
            "probe 2026-07-28! > probe 2026-07-28 > fail: no common version in [\"2026-07-28\"]",
        ),
        row(
            "mcp-neg-07: what is left is tried",
            vec![probe(unsupported(-32022, BOTH)), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25 > legacy 2025-11-25",
        ),
        row(
            "mcp-neg-27: refused, and nothing in common",
            vec![probe(unsupported(-32022, &["2099-01-01"]))],
            "probe 2026-07-28! > fail: no common version in [\"2099-01-01\"]",
        ),
        row(
            "D3, mcp-neg-29: refused without a list",
            vec![probe(error(-32022)), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25 > legacy 2025-11-25",
        ),
        row(
            "D4, mcp-neg-29: another result",
            vec![probe(Input::OtherResult), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25 > legacy 2025-11-25",
        ),
        row(
            "D10: the code from before the release, with a list",
            vec![probe(unsupported(-32004, BOTH)), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25 > legacy 2025-11-25",
        ),
        row(
            "D10, mcp-neg-15: the code without a list means nothing",
            vec![probe(error(-32004)), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25 > legacy 2025-11-25",
        ),
        row(
            "D10: the code with nothing that is of use",
            vec![probe(unsupported(-32004, &[NEW])), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25 > legacy 2025-11-25",
        ),
        row(
            "D5, mcp-neg-31: it dies of the probe",
            vec![probe(Input::Eof), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25! > legacy 2025-11-25",
        ),
        row(
            "mcp-neg-31: it dies once more",
            vec![probe(Input::Eof), init(Input::Eof)],
            "probe 2026-07-28! > initialize 2025-11-25! > fail: Exited",
        ),
        row(
            "mcp-neg-31: it dies of the probe, but only when it is asked to initialize",
            vec![probe(error(-32601)), init(Input::Eof), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25 > initialize 2025-11-25! > legacy 2025-11-25",
        ),
        row(
            "mcp-neg-31: the probe made it deaf",
            vec![probe(Input::Timeout), init(Input::Timeout), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25 > initialize 2025-11-25! > legacy 2025-11-25",
        ),
        row(
            "mcp-neg-31: deaf from the start",
            vec![probe(Input::Timeout), init(Input::Timeout), init(Input::Timeout)],
            "probe 2026-07-28! > initialize 2025-11-25 > initialize 2025-11-25! > fail: Timeout(Initialize)",
        ),
        row(
            "mcp-neg-30: no answer",
            vec![probe(Input::Timeout), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25 > legacy 2025-11-25",
        ),
        row(
            "D6, mcp-neg-32: a late error is no answer to initialize",
            vec![probe(Input::Timeout), probe(error(-32601)), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25 > wait > legacy 2025-11-25",
        ),
        row(
            "D7, mcp-neg-32: a late answer to the probe",
            vec![probe(Input::Timeout), probe(discovered(&[NEW]))],
            "probe 2026-07-28! > initialize 2025-11-25 > modern 2026-07-28",
        ),
        row(
            "mcp-neg-32: a late answer that is of no use",
            vec![probe(Input::Timeout), probe(discovered(&[OLD])), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25 > wait > legacy 2025-11-25",
        ),
        row(
            "D13, mcp-neg-32: the late probe has bound it to its era",
            vec![probe(Input::Timeout), init(unsupported(-32022, &[NEW])), probe(discovered(&[NEW]))],
            "probe 2026-07-28! > initialize 2025-11-25 > probe 2026-07-28 > modern 2026-07-28",
        ),
        row(
            "D13: the same without a list",
            vec![probe(Input::Timeout), init(error(-32022)), probe(discovered(&[NEW]))],
            "probe 2026-07-28! > initialize 2025-11-25 > probe 2026-07-28 > modern 2026-07-28",
        ),
        row(
            "D13: but once",
            vec![
                probe(Input::Timeout),
                init(unsupported(-32022, &[NEW])),
                probe(Input::Timeout),
                init(unsupported(-32022, &[NEW])),
            ],
            "probe 2026-07-28! > initialize 2025-11-25 > probe 2026-07-28 > initialize 2025-11-25 > fail: no common version in [\"2026-07-28\"]",
        ),
        row(
            "mcp-neg-60: an older version",
            vec![probe(error(-32601)), init(initialized("2024-11-05"))],
            "probe 2026-07-28! > initialize 2025-11-25 > legacy 2024-11-05",
        ),
        row(
            "D8, mcp-neg-60: an unknown version",
            vec![probe(error(-32601)), init(initialized("2023-01-01"))],
            "probe 2026-07-28! > initialize 2025-11-25 > fail: answered 2023-01-01",
        ),
        row(
            "mcp-neg-60: never a modern version by a handshake",
            vec![probe(error(-32601)), init(initialized(NEW))],
            "probe 2026-07-28! > initialize 2025-11-25 > fail: answered 2026-07-28",
        ),
        row(
            "initialize is refused",
            vec![probe(error(-32601)), init(error(-32603))],
            "probe 2026-07-28! > initialize 2025-11-25 > fail: refused Some(-32603)",
        ),
        row(
            "initialize is refused in favour of an older version",
            vec![
                probe(error(-32601)),
                init(unsupported(-32022, &["2025-03-26"])),
                init(initialized("2025-03-26")),
            ],
            "probe 2026-07-28! > initialize 2025-11-25 > initialize 2025-03-26 > legacy 2025-03-26",
        ),
        row(
            "initialize is answered with something else",
            vec![probe(error(-32601)), init(Input::OtherResult)],
            "probe 2026-07-28! > initialize 2025-11-25 > fail: refused None",
        ),
        row(
            "nothing counts any more",
            vec![probe(discovered(&[NEW])), probe(error(-32601))],
            "probe 2026-07-28! > modern 2026-07-28 > wait",
        ),
    ]);
}

#[test]
fn mcp_neg_13_and_27_a_modern_error_is_told_and_never_answered_with_initialize() {
    let needs = |code| {
        Input::Error(Fault::new(
            code,
            Some(json!({ "requiredCapabilities": { "elicitation": {}, "roots": {} } })),
        ))
    };
    check(vec![
        row(
            "-32021",
            vec![probe(needs(-32021))],
            "probe 2026-07-28! > fail: needs [\"elicitation\", \"roots\"]",
        ),
        row(
            "-32021 to initialize",
            vec![probe(error(-32601)), init(needs(-32021))],
            "probe 2026-07-28! > initialize 2025-11-25 > fail: needs [\"elicitation\", \"roots\"]",
        ),
        row("-32020", vec![probe(error(-32020))], "probe 2026-07-28! > fail: HeaderMismatch"),
    ]);
}

#[test]
fn mcp_neg_29_no_single_code_means_legacy() {
    let codes = [-32601, -32602, -32600, -32603, -32700, -32000, -32001, -32002, -32042, 0, 404, i32::MIN];
    let legacy = "probe 2026-07-28! > initialize 2025-11-25 > legacy 2025-11-25";
    check(
        codes.map(|code| row("mcp-neg-29", vec![probe(error(code)), init(initialized(OLD))], legacy)).into(),
    );
    let odd = [json!(null), json!("text"), json!({ "supported": 1 }), json!({ "supported": [1, null] })];
    let of = |data: Value| Input::Error(Fault::new(-32022, Some(data)));
    check(
        odd.map(|data| row("D3: a list that is none", vec![probe(of(data)), init(initialized(OLD))], legacy))
            .into(),
    );
}

#[test]
fn a_server_over_http() {
    let status = |status| Input::Status(status, None);
    let body = |status, fault| Input::Status(status, Some(fault));
    check(vec![
        row("mcp-neg-46: modern first", vec![probe(discovered(&[NEW]))], "probe 2026-07-28 http! > modern 2026-07-28"),
        row("mcp-neg-46: a 400 of a modern server", vec![probe(body(400, fault(-32022, &["2099-01-01"])))], "probe 2026-07-28 http! > fail: no common version in [\"2099-01-01\"]"),
        row("D1 over HTTP", vec![probe(body(400, fault(-32022, &[OLD]))), init(initialized(OLD))], "probe 2026-07-28 http! > initialize 2025-11-25 http > legacy 2025-11-25"),
        row("D10 over HTTP", vec![probe(body(400, fault(-32004, BOTH))), init(initialized(OLD))], "probe 2026-07-28 http! > initialize 2025-11-25 http > legacy 2025-11-25"),
        row("mcp-neg-44, -47: a 404 with a code of JSON-RPC", vec![probe(body(404, Fault::new(-32601, None))), init(initialized(OLD))], "probe 2026-07-28 http! > initialize 2025-11-25 http > legacy 2025-11-25"),
        row("mcp-neg-13 over HTTP", vec![probe(body(400, Fault::new(-32021, None)))], "probe 2026-07-28 http! > fail: needs []"),
        row("D9, mcp-neg-47: silence is no evidence", vec![probe(Input::Timeout)], "probe 2026-07-28 http! > fail: Timeout(Probe)"),
        row("mcp-neg-47: nobody there is no evidence", vec![probe(Input::Unreachable)], "probe 2026-07-28 http! > fail: Unreachable"),
        row("mcp-neg-47: a redirect is no evidence", vec![probe(status(302))], "probe 2026-07-28 http! > fail: Status(302)"),
        row("mcp-neg-47: an error in a 200", vec![probe(error(-32601)), init(initialized(OLD))], "probe 2026-07-28 http! > initialize 2025-11-25 http > legacy 2025-11-25"),
        row("a silent handshake", vec![probe(status(400)), init(Input::Timeout)], "probe 2026-07-28 http! > initialize 2025-11-25 http > fail: Timeout(Initialize)"),
        row("neither", vec![probe(status(404)), init(status(404))], "probe 2026-07-28 http! > initialize 2025-11-25 http > fail: Status(404)"),
        row("D13 over HTTP", vec![probe(status(400)), init(body(400, fault(-32022, &[NEW]))), probe(discovered(&[NEW]))], "probe 2026-07-28 http! > initialize 2025-11-25 http > probe 2026-07-28 http > modern 2026-07-28"),
    ].into_iter().map(Row::http).collect());
    let legacy = "probe 2026-07-28 http! > initialize 2025-11-25 http > legacy 2025-11-25";
    let legacy = |code| row("mcp-neg-47", vec![probe(status(code)), init(initialized(OLD))], legacy).http();
    check([400, 404, 405, 406, 415, 422].map(legacy).into());
}

#[test]
fn mcp_neg_47_and_57_who_keeps_one_out_says_nothing_of_eras() {
    for code in [401, 403, 408, 429, 500, 502, 503, 504] {
        for body in [None, Some(Fault::new(-32601, None)), Some(fault(-32022, &[OLD]))] {
            let wrong = row("", vec![probe(Input::Status(code, body.clone()))], "").http_or_sse();
            assert_eq!(wrong.run(), format!("probe 2026-07-28 http! > fail: Status({code})"));
            let wrong =
                row("", vec![probe(error(-32601)), init(Input::Status(code, body))], "").http_or_sse();
            assert_eq!(
                wrong.run(),
                format!("probe 2026-07-28 http! > initialize 2025-11-25 http > fail: Status({code})")
            );
        }
    }
}

#[test]
fn mcp_neg_49_a_server_of_2024_11_05() {
    let status = |status| Input::Status(status, None);
    let modern = || VersionPolicy::Only(version(NEW));
    check(vec![
        row("from streamable HTTP to SSE", vec![probe(status(404)), init(status(405)), init(initialized("2024-11-05"))], "probe 2026-07-28 http! > initialize 2025-11-25 http > initialize 2025-11-25 sse! > legacy 2024-11-05").http_or_sse(),
        row("not when the handshake works", vec![probe(status(400)), init(initialized(OLD))], "probe 2026-07-28 http! > initialize 2025-11-25 http > legacy 2025-11-25").http_or_sse(),
        row("not there either", vec![probe(status(404)), init(status(404)), init(status(404))], "probe 2026-07-28 http! > initialize 2025-11-25 http > initialize 2025-11-25 sse! > fail: Status(404)").http_or_sse(),
        row("not for modern evidence", vec![probe(Input::Status(400, Some(fault(-32022, &["2099-01-01"]))))], "probe 2026-07-28 http! > fail: no common version in [\"2099-01-01\"]").http_or_sse(),
        row("SSE where it is said to be", vec![init(initialized("2024-11-05"))], "initialize 2025-11-25 sse! > legacy 2024-11-05").sse_or_http(),
        row("SSE that has become streamable HTTP", vec![init(status(405)), probe(discovered(&[NEW]))], "initialize 2025-11-25 sse! > probe 2026-07-28 http! > modern 2026-07-28").sse_or_http(),
        row("the same without a handshake", vec![probe(status(405)), probe(discovered(&[NEW]))], "probe 2026-07-28 sse! > probe 2026-07-28 http! > modern 2026-07-28").sse_or_http().policy(modern()),
        row("nowhere without a handshake", vec![probe(status(405)), probe(status(405))], "probe 2026-07-28 sse! > probe 2026-07-28 http! > fail: legacy").sse_or_http().policy(modern()),
        row("SSE that is kept from us", vec![init(status(401))], "initialize 2025-11-25 sse! > fail: Status(401)").sse_or_http(),
    ]);
}

#[test]
fn policies_decide_what_is_said_at_all() {
    let only = |text| VersionPolicy::Only(version(text));
    check(vec![
        row(
            "M2, mcp-neg-33: modern only, against legacy",
            vec![probe(error(-32601))],
            "probe 2026-07-28! > fail: legacy",
        )
        .policy(only(NEW)),
        row(
            "M2: modern only, against silence",
            vec![probe(Input::Timeout)],
            "probe 2026-07-28! > fail: legacy",
        )
        .policy(only(NEW)),
        row(
            "M2: modern only, against one that dies",
            vec![probe(Input::Eof)],
            "probe 2026-07-28! > fail: legacy",
        )
        .policy(only(NEW)),
        row(
            "M2: modern only, against a legacy list",
            vec![probe(unsupported(-32022, &[OLD]))],
            "probe 2026-07-28! > fail: no common version in [\"2025-11-25\"]",
        )
        .policy(only(NEW)),
        row(
            "M1: modern only, with modern",
            vec![probe(discovered(BOTH))],
            "probe 2026-07-28! > modern 2026-07-28",
        )
        .policy(only(NEW)),
        row(
            "M5: legacy only, against modern",
            vec![init(unsupported(-32022, &[NEW]))],
            "initialize 2025-11-25! > fail: no common version in [\"2026-07-28\"]",
        )
        .policy(VersionPolicy::LegacyOnly),
        row(
            "M5: the same by a plain error",
            vec![init(error(-32601))],
            "initialize 2025-11-25! > fail: refused Some(-32601)",
        )
        .policy(VersionPolicy::LegacyOnly),
        row(
            "M6, M7, D11, mcp-neg-61: legacy only",
            vec![init(initialized("2025-06-18"))],
            "initialize 2025-11-25! > legacy 2025-06-18",
        )
        .policy(VersionPolicy::LegacyOnly),
        row(
            "one legacy version",
            vec![init(initialized("2025-06-18"))],
            "initialize 2025-06-18! > legacy 2025-06-18",
        )
        .policy(only("2025-06-18")),
        row(
            "one legacy version, answered with another",
            vec![init(initialized("2025-03-26"))],
            "initialize 2025-06-18! > fail: answered 2025-03-26",
        )
        .policy(only("2025-06-18")),
        row(
            "no downgrade below the least",
            vec![probe(error(-32601)), init(initialized("2025-03-26"))],
            "probe 2026-07-28! > initialize 2025-11-25 > fail: answered 2025-03-26",
        )
        .policy(VersionPolicy::AtLeast(version("2025-06-18"))),
        row("a version that nobody speaks", vec![], "fail: no common version in []")
            .policy(only("2099-01-01")),
    ]);
}

#[test]
fn mcp_neg_55_to_57_what_was_known_only_orders_the_attempts() {
    check(vec![
        row(
            "mcp-neg-55: legacy before: no probe",
            vec![init(initialized(OLD))],
            "initialize 2025-11-25! > legacy 2025-11-25",
        )
        .was(Era::Legacy),
        row(
            "mcp-neg-56: legacy before, modern now",
            vec![init(unsupported(-32022, &[NEW])), probe(discovered(&[NEW]))],
            "initialize 2025-11-25! > probe 2026-07-28 > modern 2026-07-28",
        )
        .was(Era::Legacy),
        row(
            "mcp-neg-56: the same by a plain error",
            vec![init(error(-32601)), probe(discovered(&[NEW]))],
            "initialize 2025-11-25! > probe 2026-07-28 > modern 2026-07-28",
        )
        .was(Era::Legacy),
        row(
            "D12, mcp-neg-56: modern before, legacy now",
            vec![probe(error(-32601)), init(initialized(OLD))],
            "probe 2026-07-28! > initialize 2025-11-25 > legacy 2025-11-25",
        )
        .was(Era::Modern),
        row(
            "legacy before, which is not allowed now",
            vec![probe(error(-32601))],
            "probe 2026-07-28! > fail: legacy",
        )
        .was(Era::Legacy)
        .policy(VersionPolicy::Only(version(NEW))),
        row(
            "legacy before, and dead without a probe",
            vec![init(Input::Eof)],
            "initialize 2025-11-25! > fail: Exited",
        )
        .was(Era::Legacy),
    ]);
    check(vec![
        row(
            "mcp-neg-56 over HTTP, by a plain refusal",
            vec![init(Input::Status(404, Some(Fault::new(-32601, None)))), probe(discovered(&[NEW]))],
            "initialize 2025-11-25 http! > probe 2026-07-28 http > modern 2026-07-28",
        )
        .was(Era::Legacy)
        .http_or_sse(),
        row(
            "mcp-neg-56 over HTTP",
            vec![init(Input::Status(400, Some(fault(-32022, &[NEW])))), probe(discovered(&[NEW]))],
            "initialize 2025-11-25 http! > probe 2026-07-28 http > modern 2026-07-28",
        )
        .was(Era::Legacy)
        .http(),
    ]);
}
