use acp_types::method::Kind::{Notification as N, Request as R};
use acp_types::method::Side::{Agent, Both, Client, Proxy};
use acp_types::v2::methods::{self, METHODS};

use super::{Marker, Row, check_markers, check_table, check_ungated, distinct_names, notification, request};

const STABLE: &[Row] = &[
    ("$/cancel_request", N, Both),
    ("auth/login", R, Agent),
    ("auth/logout", R, Agent),
    ("elicitation/complete", N, Client),
    ("elicitation/create", R, Client),
    ("initialize", R, Agent),
    ("session/cancel", N, Agent),
    ("session/close", R, Agent),
    ("session/delete", R, Agent),
    ("session/list", R, Agent),
    ("session/new", R, Agent),
    ("session/prompt", R, Agent),
    ("session/request_permission", R, Client),
    ("session/resume", R, Agent),
    ("session/set_config_option", R, Agent),
    ("session/update", N, Client),
    ("terminal/cancel", R, Agent),
    ("tool_call/cancel", R, Agent),
];

const UNSTABLE: &[Row] = &[
    ("auth/status", R, Agent),
    ("auth/status_update", N, Client),
    ("mcp/message", R, Client),
    ("mcp/message", N, Agent),
    ("providers/disable", R, Agent),
    ("providers/list", R, Agent),
    ("providers/set", R, Agent),
    ("proxy/initialize", R, Proxy),
    ("proxy/successor", R, Proxy),
    ("proxy/successor", N, Proxy),
    ("session/archive", R, Agent),
    ("session/fork", R, Agent),
    ("session/set_title", R, Agent),
    ("session/status", R, Agent),
    ("session/unarchive", R, Agent),
];

#[test]
fn the_table_lists_every_method() {
    check_table(METHODS, STABLE, UNSTABLE);
    assert_eq!(distinct_names(METHODS), if cfg!(feature = "unstable") { 31 } else { 18 });
}

#[test]
fn markers_agree_with_the_table() {
    let stable: &[Marker] = &[
        notification::<methods::CancelRequest>,
        request::<methods::AuthLogin>,
        request::<methods::AuthLogout>,
        notification::<methods::ElicitationComplete>,
        request::<methods::ElicitationCreate>,
        request::<methods::Initialize>,
        notification::<methods::SessionCancel>,
        request::<methods::SessionClose>,
        request::<methods::SessionDelete>,
        request::<methods::SessionList>,
        request::<methods::SessionNew>,
        request::<methods::SessionPrompt>,
        request::<methods::SessionRequestPermission>,
        request::<methods::SessionResume>,
        request::<methods::SessionSetConfigOption>,
        notification::<methods::SessionUpdate>,
        request::<methods::TerminalCancel>,
        request::<methods::ToolCallCancel>,
    ];
    #[cfg(feature = "unstable")]
    let unstable: &[Marker] = &[
        request::<methods::AuthStatus>,
        notification::<methods::AuthStatusUpdate>,
        request::<methods::McpMessage>,
        notification::<methods::McpMessageNotify>,
        request::<methods::ProvidersDisable>,
        request::<methods::ProvidersList>,
        request::<methods::ProvidersSet>,
        request::<methods::ProxyInitialize>,
        request::<methods::ProxySuccessor>,
        notification::<methods::ProxySuccessorNotify>,
        request::<methods::SessionArchive>,
        request::<methods::SessionFork>,
        request::<methods::SessionSetTitle>,
        request::<methods::SessionStatus>,
        request::<methods::SessionUnarchive>,
    ];
    #[cfg(not(feature = "unstable"))]
    let unstable: &[Marker] = &[];
    check_markers(METHODS, &[stable, unstable].concat());
}

#[test]
fn capabilities_are_paths_of_the_side_that_handles() {
    for info in METHODS {
        let Some(capability) = info.capability else { continue };
        // Both sides have a member of this name. Any auth method brings login and logout with it.
        let is_path = capability.starts_with("capabilities.") || capability == "authMethods";
        assert!(is_path, "{}: {capability}", info.name);
    }
    let of = |name| METHODS.iter().find(|info| info.name == name).and_then(|info| info.capability);
    assert_eq!(of("auth/logout"), Some("authMethods"));
    assert_eq!(of("session/prompt"), Some("capabilities.session"));
    assert_eq!(of("session/delete"), Some("capabilities.session.delete"));
    assert_eq!(of("elicitation/create"), Some("capabilities.elicitation"));
    #[cfg(feature = "unstable")]
    assert_eq!(of("mcp/message"), Some("capabilities.session.mcp.acp"));
}

#[test]
fn all_but_the_baseline_and_what_the_state_decides_needs_a_capability() {
    let always = ["$/cancel_request", "initialize", "session/request_permission", "session/update"];
    let by_state =
        ["elicitation/complete", "session/set_config_option", "terminal/cancel", "tool_call/cancel"];
    let in_chain = ["proxy/initialize", "proxy/successor"];
    check_ungated(METHODS, &[&always[..], &by_state, &in_chain].concat());
}
