//! Enums: known values by name, unknown ones kept.

use acp_types::v1::{
    CompactionStatus, ElicitationSchemaType, ErrorCode, NoticeSeverity, PermissionOptionKind,
    PlanEntryPriority, PlanEntryStatus, ProtocolVersion, Role, SessionConfigOptionCategory, StopReason,
    StringFormat, ToolCallStatus, ToolKind,
};
use acp_types::{from_str, to_string};

macro_rules! values {
    ($($name:ident: $type:ty { $($wire:literal),* })*) => {$(
        #[test]
        fn $name() {
            for wire in [$($wire),*] {
                let value: $type = from_str(&format!("\"{wire}\"")).unwrap();
                assert!(value.is_known(), "{wire}");
                assert_eq!((value.as_str(), to_string(&value)), (wire, format!("\"{wire}\"")));
                assert_eq!(value, wire.into());
            }
            let later: $type = from_str(r#""later value""#).unwrap();
            assert!(!later.is_known());
            assert_eq!((later.as_str(), to_string(&later).as_str()), ("later value", r#""later value""#));
            for malformed in ["null", "7", "{}", r#"["a"]"#] {
                let error = from_str::<$type>(malformed).unwrap_err();
                assert!(error.to_string().starts_with("expected a string, found "), "{error}");
            }
        }
    )*};
}

values! {
    stop_reasons: StopReason { "end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled" }
    tool_kinds: ToolKind {
        "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"
    }
    tool_call_statuses: ToolCallStatus { "pending", "in_progress", "completed", "failed" }
    permission_option_kinds: PermissionOptionKind {
        "allow_once", "allow_always", "reject_once", "reject_always"
    }
    plan_entry_priorities: PlanEntryPriority { "high", "medium", "low" }
    plan_entry_statuses: PlanEntryStatus { "pending", "in_progress", "completed" }
    roles: Role { "assistant", "user" }
    notice_severities: NoticeSeverity { "info", "warning", "error" }
    compaction_statuses: CompactionStatus { "in_progress", "completed", "failed", "cancelled" }
    string_formats: StringFormat { "email", "uri", "date", "date-time" }
    schema_types: ElicitationSchemaType { "object" }
    option_categories: SessionConfigOptionCategory { "mode", "model", "model_config", "thought_level" }
}

#[test]
fn error_codes_are_integers_with_names() {
    for (code, number) in [
        (ErrorCode::PARSE_ERROR, -32700),
        (ErrorCode::INVALID_REQUEST, -32600),
        (ErrorCode::METHOD_NOT_FOUND, -32601),
        (ErrorCode::INVALID_PARAMS, -32602),
        (ErrorCode::INTERNAL_ERROR, -32603),
        (ErrorCode::REQUEST_CANCELLED, -32800),
        (ErrorCode::AUTH_REQUIRED, -32000),
        (ErrorCode::RESOURCE_NOT_FOUND, -32002),
        (ErrorCode(429), 429),
    ] {
        assert_eq!(from_str::<ErrorCode>(&number.to_string()).unwrap(), code);
        assert_eq!(to_string(&code), number.to_string());
    }
    assert!(from_str::<ErrorCode>("2147483648").is_err());
}

#[test]
fn protocol_versions_are_integers_of_16_bits() {
    assert_eq!(from_str::<ProtocolVersion>("1").unwrap(), ProtocolVersion::V1);
    assert_eq!(from_str::<ProtocolVersion>("65535").unwrap(), ProtocolVersion(65535));
    for malformed in ["-1", "1.5", "65536", r#""1""#, "null"] {
        assert!(from_str::<ProtocolVersion>(malformed).is_err(), "{malformed}");
    }
}
