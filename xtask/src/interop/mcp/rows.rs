//! The compatibility matrix of MCP: what becomes of a client and a server of each era.

use super::peers::Eras;

/// A row of the matrix.
pub(super) struct Row {
    pub(super) name: &'static str,
    /// Of the servers.
    pub(super) eras: &'static [Eras],
    /// The clients and what each speaks then. Where there is more than one, they connect at once.
    pub(super) clients: &'static [(Client, Spoken)],
}

/// The versions that a client allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Client {
    Modern,
    Legacy,
    Both,
}

/// The era that is spoken in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spoken {
    Modern,
    Legacy,
    /// The client says why it is not connected.
    Nothing,
}

pub(super) const MODERN_VERSION: &str = "2026-07-28";
pub(super) const LEGACY_VERSION: &str = "2025-11-25";

/// A server of both eras is modern to a modern client and to one of both.
#[rustfmt::skip]
pub(super) const ROWS: [Row; 8] = [
    row("M1", &[Eras::Modern, Eras::Both, Eras::BothOverSse], &[(Client::Modern, Spoken::Modern)]),
    row("M2", &[Eras::Legacy], &[(Client::Modern, Spoken::Nothing)]),
    row("M3", &[Eras::Modern, Eras::Both], &[(Client::Both, Spoken::Modern)]),
    row("M4", &[Eras::Legacy, Eras::BothOverSse], &[(Client::Both, Spoken::Legacy)]),
    row("M5", &[Eras::Modern], &[(Client::Legacy, Spoken::Nothing)]),
    row("M6", &[Eras::Both, Eras::BothOverSse], &[(Client::Legacy, Spoken::Legacy)]),
    row("M7", &[Eras::Legacy], &[(Client::Legacy, Spoken::Legacy)]),
    row("M8", &[Eras::Both, Eras::BothOverSse], &[(Client::Modern, Spoken::Modern), (Client::Legacy, Spoken::Legacy)]),
];

const fn row(name: &'static str, eras: &'static [Eras], clients: &'static [(Client, Spoken)]) -> Row {
    Row { name, eras, clients }
}

impl Client {
    /// The option of the driver.
    pub(super) const fn option(self) -> Option<&'static str> {
        match self {
            Self::Modern => Some("--modern"),
            Self::Legacy => Some("--legacy"),
            Self::Both => None,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Modern => "modern client",
            Self::Legacy => "legacy client",
            Self::Both => "client of both eras",
        }
    }
}

impl Eras {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::Legacy => "legacy",
            Self::Both => "both",
            Self::BothOverSse => "both over HTTP+SSE",
        }
    }
}

impl Spoken {
    /// As the driver reports it.
    pub(super) fn reported(self) -> Option<String> {
        match self {
            Self::Modern => Some(format!("modern {MODERN_VERSION}")),
            Self::Legacy => Some(format!("legacy {LEGACY_VERSION}")),
            Self::Nothing => None,
        }
    }
}
