//! The differences and facts of v1.

use super::differences::{Difference, Facts, Rule};

pub(crate) const FACTS: Facts = Facts {
    version: "v1",
    whole_null: &[
        "ArchiveSessionResponse",
        "AuthStatusRequest",
        "AuthenticateResponse",
        "CloseSessionResponse",
        "DeleteSessionResponse",
        "DisableProviderResponse",
        "KillTerminalResponse",
        "ListProvidersRequest",
        "ListSessionsRequest",
        "LoadSessionResponse",
        "LogoutRequest",
        "LogoutResponse",
        "ReleaseTerminalResponse",
        "ResumeSessionResponse",
        "SetProviderResponse",
        "SetSessionModeResponse",
        "UnarchiveSessionResponse",
        "WaitForTerminalExitResponse",
        "WriteTextFileResponse",
    ],
    three_states: &[
        ("CompactionUpdate", &["_meta", "error", "summary"]),
        ("McpError", &["data"]),
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
        ("SessionInfoUpdate", &["title", "updatedAt"]),
        (
            "SubagentUpdate",
            &["_meta", "additionalDirectories", "capabilities", "cwd", "description", "state", "title"],
        ),
    ],
    implicit_defaults: &[("ToolCallStatus", "pending"), ("ToolKind", "other")],
    differences: DIFFERENCES,
};

const DIFFERENCES: &[Difference] = &[
    Difference {
        rule: Rule::UnknownValueKept,
        definitions: &[
            "ElicitationSchemaType",
            "PermissionOptionKind",
            "PlanEntryPriority",
            "PlanEntryStatus",
            "Role",
            "StopReason",
            "StringFormat",
            "ToolCallStatus",
            "ToolKind",
        ],
    },
    Difference {
        rule: Rule::UnknownVariantKept,
        definitions: &[
            "ContentBlock",
            "PlanUpdateContent",
            "RequestPermissionOutcome",
            "SessionConfigOption",
            "SessionUpdate",
            "ToolCallContent",
        ],
    },
    Difference {
        rule: Rule::KnownTagIsStrict,
        definitions: &["AuthMethod", "McpServer", "MultiSelectItems", "SetSessionConfigOptionRequest"],
    },
    Difference {
        rule: Rule::TagIsText,
        definitions: &["AuthMethod", "McpServer", "MultiSelectItems", "SetSessionConfigOptionRequest"],
    },
    Difference {
        rule: Rule::MemberDecides,
        definitions: &["ElicitationFormMode", "ElicitationUrlMode", "EmbeddedResourceResource"],
    },
    Difference {
        rule: Rule::IntegerFits,
        definitions: &[
            "CreateTerminalRequest",
            "ElicitationContentValue",
            "ErrorCode",
            "IntegerPropertySchema",
            "McpError",
            "MultiSelectPropertySchema",
            "ReadTextFileRequest",
            "RequestId",
            "ResourceLink",
            "StringPropertySchema",
            "TerminalExitStatus",
            "ToolCallLocation",
            "Usage",
            "UsageUpdate",
            "WaitForTerminalExitResponse",
        ],
    },
    Difference { rule: Rule::BoundsUnchecked, definitions: &["Notice"] },
];
