//! Where reading is meant to differ from what the JSON Schema says. The corpus must show every difference
//! listed here, and no other.

/// A way in which readers depart from the JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    /// An unknown value of a closed enum is kept. The lists grow with every release, and a peer that is one
    /// release ahead must not be cut off.
    UnknownValueKept,
    /// An unknown tag of a closed union is kept with all its members, for the same reason.
    UnknownVariantKept,
    /// A malformed variant with a known tag is refused, although an arm without a tag would take it: a broken
    /// terminal login must not come out as one that the agent does by itself.
    KnownTagIsStrict,
    /// A tag that is no string is refused, although an arm without a tag does not look at it.
    TagIsText,
    /// Without a tag, the member that only one arm requires decides. The JSON Schema tries all arms.
    MemberDecides,
    /// An integer beyond the type that `format` names is refused, or read as a double where the union has an
    /// arm for those. To a validator `format` is a remark.
    IntegerFits,
    /// A payload whose members are all optional may be a bare `null` (rule v1-rpc-23).
    WholeNull,
    /// An empty string is taken where `minLength` forbids it: a notice without a title is no reason to lose
    /// the notice. Whoever writes one is asked for a title.
    EmptyTextTaken,
}

/// A difference, and the definitions that show it.
pub(crate) struct Difference {
    pub(crate) rule: Rule,
    pub(crate) definitions: &'static [&'static str],
}

pub(crate) const DIFFERENCES: &[Difference] = &[
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
            "MultiSelectPropertySchema",
            "ReadTextFileRequest",
            "RequestId",
            "ResourceLink",
            "StringPropertySchema",
            "TerminalExitStatus",
            "ToolCallLocation",
            "UsageUpdate",
            "WaitForTerminalExitResponse",
        ],
    },
    Difference { rule: Rule::WholeNull, definitions: WHOLE_NULL },
    Difference { rule: Rule::EmptyTextTaken, definitions: &["Notice"] },
];

/// Payloads that may be `null` as a whole. The schema has no mark for it.
pub(crate) const WHOLE_NULL: &[&str] = &[
    "AuthenticateResponse",
    "CloseSessionResponse",
    "DeleteSessionResponse",
    "KillTerminalResponse",
    "ListSessionsRequest",
    "LoadSessionResponse",
    "LogoutRequest",
    "LogoutResponse",
    "ReleaseTerminalResponse",
    "ResumeSessionResponse",
    "SetSessionModeResponse",
    "WaitForTerminalExitResponse",
    "WriteTextFileResponse",
];

/// Members whose `null` is not the same as their absence. The schema has no mark for it.
pub(crate) const THREE_STATES: &[(&str, &str)] = &[
    ("CompactionUpdate", "_meta"),
    ("CompactionUpdate", "error"),
    ("CompactionUpdate", "summary"),
    ("SessionInfoUpdate", "title"),
    ("SessionInfoUpdate", "updatedAt"),
];

/// What the absence of an enum means where the schema has no `default` for it.
pub(crate) const IMPLICIT_DEFAULTS: &[(&str, &str)] = &[("ToolCallStatus", "pending"), ("ToolKind", "other")];
