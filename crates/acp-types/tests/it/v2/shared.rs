//! Types that both versions share.

use acp_types::v2::{ExtRequest, ProtocolVersion, SessionId, ToolCallId};
use acp_types::{Value, from_str, to_string, v1};

#[test]
fn an_id_goes_from_one_version_to_the_other_as_it_is() {
    let first = v1::NewSessionResponse::new(SessionId::from("s"));
    let id: SessionId = first.session_id;
    let cancel = acp_types::v2::CancelSessionNotification::new(id);
    assert_eq!(to_string(&cancel), r#"{"sessionId":"s"}"#);
    let call: v1::ToolCallId = from_str::<ToolCallId>(r#""c""#).unwrap();
    assert_eq!(call, "c");
}

#[test]
fn versions_compare_and_extensions_pass() {
    let (first, second): (v1::ProtocolVersion, ProtocolVersion) =
        (ProtocolVersion::V1, v1::ProtocolVersion::V2);
    assert!(first < second && ProtocolVersion::LATEST == first);
    let params: v1::ExtRequest = ExtRequest(Value::from("any"));
    assert_eq!(to_string(&params), r#""any""#);
}
