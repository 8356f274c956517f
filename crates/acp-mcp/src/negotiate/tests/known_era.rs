//! Servers whose era was known before.

use super::*;

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
