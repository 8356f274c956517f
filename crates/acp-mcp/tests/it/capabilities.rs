//! The advertised transports are those that were compiled in. `.ci/run` and
//! `.ci/fewer` run this with several sets of features.

/// Rule `acp-mcp-04`: an absent member means no, and stdio needs no capability.
#[test]
fn acp_mcp_04_the_transports_of_this_build() {
    let advertised = serde_json::to_value(acp_mcp::agent_mcp_capabilities()).unwrap();
    for (transport, compiled) in [
        ("http", cfg!(feature = "http")),
        ("sse", cfg!(feature = "sse")),
        ("acp", cfg!(feature = "over-acp")),
    ] {
        let offered = advertised.get(transport).is_some_and(|offered| *offered != serde_json::json!(false));
        assert_eq!(offered, compiled, "{transport}: {advertised}");
    }
}
