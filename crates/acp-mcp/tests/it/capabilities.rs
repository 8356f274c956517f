//! What is advertised is what was compiled in, whatever that is: `.ci/run` has this run under several choices of features.

/// Rule `acp-mcp-04`: what is absent is not there, and stdio needs no capability.
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
