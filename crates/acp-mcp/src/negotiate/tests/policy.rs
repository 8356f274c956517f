//! Policies, which decide what is said at all.

use super::*;

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
