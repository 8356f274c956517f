//! Servers over HTTP, streamable and with SSE.

use super::*;

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
        row("D9, mcp-neg-47: silence is not evidence", vec![probe(Input::Timeout)], "probe 2026-07-28 http! > fail: Timeout(Probe)"),
        row("mcp-neg-47: nobody there is not evidence", vec![probe(Input::Unreachable)], "probe 2026-07-28 http! > fail: Unreachable"),
        row("mcp-neg-47: a redirect is not evidence", vec![probe(status(302))], "probe 2026-07-28 http! > fail: Status(302)"),
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
