//! The differences and facts of v2.

use super::differences::{Difference, Facts, Rule};

pub(crate) const FACTS: Facts = Facts {
    version: "v2",
    whole_null: &[
        "ArchiveSessionResponse",
        "AuthStatusRequest",
        "CancelTerminalResponse",
        "CancelToolCallResponse",
        "CloseSessionResponse",
        "DeleteSessionResponse",
        "DisableProviderResponse",
        "ListProvidersRequest",
        "ListSessionsRequest",
        "LoginAuthResponse",
        "LogoutAuthRequest",
        "LogoutAuthResponse",
        "ResumeSessionResponse",
        "SetProviderResponse",
        "UnarchiveSessionResponse",
    ],
    three_states: &[
        ("AgentMessage", &["_meta", "content"]),
        ("AgentThought", &["_meta", "content"]),
        ("CompactionUpdate", &["_meta", "error", "summary"]),
        ("McpError", &["data"]),
        ("SessionInfoUpdate", &["_meta", "title", "updatedAt"]),
        (
            "SessionMessage",
            &[
                "_meta",
                "content",
                "recipientMessageId",
                "recipientSessionId",
                "senderMessageId",
                "senderSessionId",
            ],
        ),
        (
            "SubagentUpdate",
            &["_meta", "additionalDirectories", "capabilities", "cwd", "description", "state", "title"],
        ),
        ("TerminalUpdate", &["_meta", "capabilities", "command", "cwd", "exitStatus", "output", "size"]),
        (
            "ToolCallUpdate",
            &[
                "_meta",
                "capabilities",
                "content",
                "kind",
                "locations",
                "name",
                "rawInput",
                "rawOutput",
                "status",
                "title",
            ],
        ),
        ("UsageUpdate", &["cost"]),
        ("UserMessage", &["_meta", "content"]),
    ],
    implicit_defaults: &[],
    differences: DIFFERENCES,
};

const DIFFERENCES: &[Difference] = &[
    Difference { rule: Rule::UnknownValueKept, definitions: &["ElicitationSchemaType"] },
    Difference { rule: Rule::KnownTagIsStrict, definitions: &["MultiSelectItems"] },
    Difference { rule: Rule::TagIsText, definitions: &["MultiSelectItems"] },
    Difference {
        rule: Rule::MemberDecides,
        definitions: &["ElicitationFormMode", "ElicitationUrlMode", "EmbeddedResourceResource"],
    },
    Difference {
        rule: Rule::IntegerFits,
        definitions: &[
            "ElicitationContentValue",
            "ErrorCode",
            "IntegerPropertySchema",
            "McpError",
            "MultiSelectPropertySchema",
            "RequestId",
            "ResourceLink",
            "StringPropertySchema",
            "TerminalExitStatus",
            "ToolCallLocation",
            "Usage",
            "UsageUpdate",
        ],
    },
    Difference {
        rule: Rule::BoundsUnchecked,
        definitions: &[
            "Notice",
            "PromptRequest",
            "RequestPermissionRequest",
            "SessionConfigSelectOptions",
            "StringMultiSelectItems",
            "StringPropertySchema",
            "TitledMultiSelectItems",
        ],
    },
];
