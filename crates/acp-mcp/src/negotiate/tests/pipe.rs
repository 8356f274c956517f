//! Servers on a pipe: the table of the rules that do not depend on the transport.

use serde_json::Value;

use super::*;

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
            "D6, mcp-neg-32: a late error is not an answer to initialize",
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
            "D13: again without a list",
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
        odd.map(|data| {
            row("D3: a list that is not one", vec![probe(of(data)), init(initialized(OLD))], legacy)
        })
        .into(),
    );
}
