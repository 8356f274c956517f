//! The method table: every method of v1, and that table and markers say the same.

#![allow(clippy::expect_used, reason = "a test stops at a broken assumption")]

use std::any::type_name;

use acp_types::method::{Kind, Method, MethodInfo, Notification, Request, Side};
use acp_types::v1::methods::{self, METHODS};

#[test]
fn the_table_lists_every_method() {
    let rows: Vec<_> = METHODS.iter().map(|info| (info.name, info.kind, info.handler)).collect();
    use Kind::{Notification as N, Request as R};
    use Side::{Agent, Both, Client};
    assert_eq!(
        rows,
        [
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
        ]
    );
}

fn info<M: Method>(kind: Kind) -> &'static MethodInfo {
    let info = METHODS.iter().find(|info| info.name == M::NAME).expect("a marker has a row");
    assert_eq!((info.kind, info.handler), (kind, M::HANDLER), "{}", M::NAME);
    assert_eq!(Some(info.params), type_name::<M::Params>().rsplit("::").next(), "{}", M::NAME);
    info
}

fn request<M: Request>() -> &'static str {
    let info = info::<M>(Kind::Request);
    assert_eq!(info.response, type_name::<M::Response>().rsplit("::").next(), "{}", M::NAME);
    info.name
}

fn notification<M: Notification>() -> &'static str {
    let info = info::<M>(Kind::Notification);
    assert_eq!(info.response, None, "{}", M::NAME);
    info.name
}

#[test]
fn markers_agree_with_the_table() {
    let mut names = vec![
        notification::<methods::CancelRequest>(),
        request::<methods::Authenticate>(),
        notification::<methods::ElicitationComplete>(),
        request::<methods::ElicitationCreate>(),
        request::<methods::FsReadTextFile>(),
        request::<methods::FsWriteTextFile>(),
        request::<methods::Initialize>(),
        request::<methods::Logout>(),
        notification::<methods::SessionCancel>(),
        request::<methods::SessionClose>(),
        request::<methods::SessionDelete>(),
        request::<methods::SessionList>(),
        request::<methods::SessionLoad>(),
        request::<methods::SessionNew>(),
        request::<methods::SessionPrompt>(),
        request::<methods::SessionRequestPermission>(),
        request::<methods::SessionResume>(),
        request::<methods::SessionSetConfigOption>(),
        request::<methods::SessionSetMode>(),
        notification::<methods::SessionUpdate>(),
        request::<methods::TerminalCreate>(),
        request::<methods::TerminalKill>(),
        request::<methods::TerminalOutput>(),
        request::<methods::TerminalRelease>(),
        request::<methods::TerminalWaitForExit>(),
    ];
    names.sort_unstable();
    let listed: Vec<_> = METHODS.iter().map(|info| info.name).collect();
    assert_eq!(names, listed);
}

#[test]
fn capabilities_are_paths_of_the_side_that_handles() {
    for info in METHODS {
        let Some(capability) = info.capability else { continue };
        let side = if info.handler == Side::Agent { "agentCapabilities." } else { "clientCapabilities." };
        assert!(capability.starts_with(side), "{}: {capability}", info.name);
    }
    let of = |name| METHODS.iter().find(|info| info.name == name).and_then(|info| info.capability);
    assert_eq!(of("session/load"), Some("agentCapabilities.loadSession"));
    assert_eq!(of("fs/read_text_file"), Some("clientCapabilities.fs.readTextFile"));
    assert_eq!(of("terminal/kill"), Some("clientCapabilities.terminal"));
    assert_eq!(of("session/prompt"), None);
}
