//! Enums are open: known values by name, unknown ones kept.

use acp_types::v2::{
    CompactionStatus, DiffFileType, ElicitationSchemaType, ErrorCode, IconTheme, NoticeSeverity,
    PermissionOptionKind, PlanEntryPriority, PlanEntryStatus, Role, SessionConfigOptionCategory,
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
            }
            let later: $type = from_str(r#""later value""#).unwrap();
            assert!(!later.is_known());
            assert_eq!((later.as_str(), to_string(&later).as_str()), ("later value", r#""later value""#));
            for malformed in ["null", "7", "{}", r#"["a"]"#] {
                assert!(from_str::<$type>(malformed).is_err(), "{malformed}");
            }
        }
    )*};
}

values! {
    tool_kinds: ToolKind {
        "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"
    }
    tool_call_statuses: ToolCallStatus {
        "pending", "in_progress", "paused", "completed", "failed", "cancelled"
    }
    permission_option_kinds: PermissionOptionKind {
        "allow_once", "allow_always", "reject_once", "reject_always"
    }
    plan_entry_priorities: PlanEntryPriority { "high", "medium", "low" }
    plan_entry_statuses: PlanEntryStatus { "pending", "in_progress", "completed", "cancelled" }
    roles: Role { "assistant", "user" }
    icon_themes: IconTheme { "light", "dark" }
    diff_file_types: DiffFileType { "text", "binary", "directory", "symlink" }
    notice_severities: NoticeSeverity { "info", "warning", "error" }
    compaction_statuses: CompactionStatus { "in_progress", "completed", "failed", "cancelled" }
    string_formats: StringFormat { "email", "uri", "date", "date-time" }
    schema_types: ElicitationSchemaType { "object" }
    option_categories: SessionConfigOptionCategory { "mode", "model", "model_config", "thought_level" }
}

#[test]
fn other_is_a_kind_of_tool_and_not_the_unknown_one() {
    assert_eq!(ToolKind::from("other"), ToolKind::Other);
    assert!(matches!(ToolKind::from("dance"), ToolKind::Unknown(_)));
}

/// The unstable schema has a state that is called `unknown` itself.
#[cfg(feature = "unstable")]
#[test]
fn an_auth_state_may_be_known_to_be_unknown() {
    use acp_types::v2::AuthState;

    assert_eq!(AuthState::from("unknown"), AuthState::Unknown);
    assert!(AuthState::Unknown.is_known());
    assert!(matches!(AuthState::from("expired"), AuthState::Other(_)));
}

#[test]
fn error_codes_have_one_more_name() {
    assert_eq!(from_str::<ErrorCode>("-32022").unwrap(), ErrorCode::UNSUPPORTED_PROTOCOL_VERSION);
    assert_eq!(from_str::<ErrorCode>("429").unwrap(), ErrorCode(429));
}
