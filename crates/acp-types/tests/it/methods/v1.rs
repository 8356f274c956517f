use acp_types::method::Kind::{Notification as N, Request as R};
use acp_types::method::Side::{Agent, Both, Client, Proxy};
use acp_types::v1::methods::{self, METHODS};

use super::{Marker, Row, check_markers, check_table, check_ungated, distinct_names, notification, request};

const STABLE: &[Row] = &[
    ("$/cancel_request", N, Both),
    ("authenticate", R, Agent),
    ("elicitation/complete", N, Client),
    ("elicitation/create", R, Client),
    ("fs/read_text_file", R, Client),
    ("fs/write_text_file", R, Client),
    ("initialize", R, Agent),
    ("logout", R, Agent),
    ("session/cancel", N, Agent),
    ("session/close", R, Agent),
    ("session/delete", R, Agent),
    ("session/list", R, Agent),
    ("session/load", R, Agent),
    ("session/new", R, Agent),
    ("session/prompt", R, Agent),
    ("session/request_permission", R, Client),
    ("session/resume", R, Agent),
    ("session/set_config_option", R, Agent),
    ("session/set_mode", R, Agent),
    ("session/update", N, Client),
    ("terminal/create", R, Client),
    ("terminal/kill", R, Client),
    ("terminal/output", R, Client),
    ("terminal/release", R, Client),
    ("terminal/wait_for_exit", R, Client),
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
    assert_eq!(distinct_names(METHODS), if cfg!(feature = "unstable") { 38 } else { 25 });
}

#[test]
fn markers_agree_with_the_table() {
    let stable: &[Marker] = &[
        notification::<methods::CancelRequest>,
        request::<methods::Authenticate>,
        notification::<methods::ElicitationComplete>,
        request::<methods::ElicitationCreate>,
        request::<methods::FsReadTextFile>,
        request::<methods::FsWriteTextFile>,
        request::<methods::Initialize>,
        request::<methods::Logout>,
        notification::<methods::SessionCancel>,
        request::<methods::SessionClose>,
        request::<methods::SessionDelete>,
        request::<methods::SessionList>,
        request::<methods::SessionLoad>,
        request::<methods::SessionNew>,
        request::<methods::SessionPrompt>,
        request::<methods::SessionRequestPermission>,
        request::<methods::SessionResume>,
        request::<methods::SessionSetConfigOption>,
        request::<methods::SessionSetMode>,
        notification::<methods::SessionUpdate>,
        request::<methods::TerminalCreate>,
        request::<methods::TerminalKill>,
        request::<methods::TerminalOutput>,
        request::<methods::TerminalRelease>,
        request::<methods::TerminalWaitForExit>,
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
        // Only an agent that has them tells the client of these. Any method brings `authenticate`
        // with it.
        let of_agent = info.handler == Agent || ["auth/status_update", "mcp/message"].contains(&info.name);
        let side = if of_agent { "agentCapabilities." } else { "clientCapabilities." };
        assert!(capability.starts_with(side) || capability == "authMethods", "{}: {capability}", info.name);
    }
    let of = |name| METHODS.iter().find(|info| info.name == name).and_then(|info| info.capability);
    assert_eq!(of("session/load"), Some("agentCapabilities.loadSession"));
    assert_eq!(of("fs/read_text_file"), Some("clientCapabilities.fs.readTextFile"));
    assert_eq!(of("terminal/kill"), Some("clientCapabilities.terminal"));
    assert_eq!(of("authenticate"), Some("authMethods"));
    #[cfg(feature = "unstable")]
    assert_eq!(of("mcp/message"), Some("agentCapabilities.mcpCapabilities.acp"));
}

#[test]
fn all_but_the_baseline_and_what_the_state_decides_needs_a_capability() {
    let baseline = ["initialize", "session/new", "session/prompt", "session/cancel", "session/update"];
    let always = ["$/cancel_request", "session/request_permission"];
    let by_state = ["elicitation/complete", "session/set_config_option", "session/set_mode"];
    let in_chain = ["proxy/initialize", "proxy/successor"];
    check_ungated(METHODS, &[&baseline[..], &always, &by_state, &in_chain].concat());
}
