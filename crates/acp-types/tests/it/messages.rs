//! The messages of each side, read by the name of the method.

use acp_json::parse;
use acp_types::to_string;
use acp_types::v1::messages::{AgentNotification, AgentResponse, ClientNotification, ClientRequest};
use acp_types::v1::methods::METHODS;

#[test]
fn the_method_decides_what_is_read() {
    let prompt = r#"{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}"#;
    let read = ClientRequest::read("session/prompt", parse(prompt).unwrap()).unwrap();
    assert!(matches!(&read, ClientRequest::SessionPrompt(request) if request.session_id == "s"));
    assert_eq!((read.method(), to_string(&read).as_str()), ("session/prompt", prompt));

    // Equal members make another value for another method: the name decides, and nothing is tried.
    let error = ClientRequest::read("session/set_mode", parse(prompt).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "`modeId`: required, but missing");

    let cancel = ClientNotification::read("session/cancel", parse(r#"{"sessionId":"s"}"#).unwrap()).unwrap();
    assert!(matches!(cancel, ClientNotification::SessionCancel(_)));
    let both = AgentNotification::read("$/cancel_request", parse(r#"{"requestId":7}"#).unwrap()).unwrap();
    assert!(matches!(both, AgentNotification::CancelRequest(_)));
}

#[test]
fn absent_params_and_null_results_are_read_where_they_may_be() {
    let list = ClientRequest::read("session/list", parse("null").unwrap()).unwrap();
    assert_eq!(to_string(&list), "{}");
    let loaded = AgentResponse::read("session/load", parse("null").unwrap()).unwrap();
    assert!(matches!(loaded, AgentResponse::SessionLoad(_)));
    assert!(AgentResponse::read("session/prompt", parse("null").unwrap()).is_err());
}

#[test]
fn methods_that_are_not_known_are_kept() {
    let content = r#"{"b":1,"a":[18446744073709551615,-0.5]}"#;
    let read = ClientRequest::read("_acme.dev/edits", parse(content).unwrap()).unwrap();
    assert_eq!((read.method(), to_string(&read).as_str()), ("_acme.dev/edits", content));
    // A client does not send the messages of an agent.
    let update = ClientRequest::read("session/request_permission", parse("{}").unwrap()).unwrap();
    assert!(matches!(update, ClientRequest::Unknown { .. }));
}

#[test]
fn every_method_has_its_place() {
    use acp_types::method::{Kind, Side};
    for method in METHODS {
        let null = || parse("null").unwrap();
        let unknown = match (method.kind, method.handler) {
            (Kind::Request, Side::Agent) => {
                matches!(ClientRequest::read(method.name, null()), Ok(ClientRequest::Unknown { .. }))
            }
            (Kind::Notification, Side::Agent | Side::Both) => {
                matches!(
                    ClientNotification::read(method.name, null()),
                    Ok(ClientNotification::Unknown { .. })
                )
            }
            _ => false,
        };
        assert!(!unknown, "{}", method.name);
    }
}
