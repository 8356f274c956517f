//! Values of options. The errors are ends of sentences that begin with the option and its value.

use std::time::Duration;

use acp_client::ProtocolVersion;

/// The answer to permission requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allow {
    Once,
    Always,
    Reject,
    Ask,
}

/// The versions of the protocol to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Protocol {
    #[default]
    V1,
    V2,
    /// Version 2 if the agent speaks it, else version 1.
    Auto,
}

impl Protocol {
    /// Returns the versions, the preferred one first.
    pub(crate) const fn versions(self) -> &'static [ProtocolVersion] {
        match self {
            Self::V1 => &[ProtocolVersion::V1],
            Self::V2 => &[ProtocolVersion::V2],
            Self::Auto => &[ProtocolVersion::V2, ProtocolVersion::V1],
        }
    }
}

pub(super) fn allow(kind: &str) -> Result<Allow, String> {
    match kind {
        "once" => Ok(Allow::Once),
        "always" => Ok(Allow::Always),
        "reject" => Ok(Allow::Reject),
        "ask" => Ok(Allow::Ask),
        _ => Err("it must be once, always, reject or ask".to_owned()),
    }
}

pub(super) fn protocol(version: &str) -> Result<Protocol, String> {
    match version {
        "1" => Ok(Protocol::V1),
        "2" => Ok(Protocol::V2),
        "auto" => Ok(Protocol::Auto),
        _ => Err("it must be 1, 2 or auto".to_owned()),
    }
}

pub(super) fn version(version: &str) -> Result<ProtocolVersion, String> {
    match version {
        "1" => Ok(ProtocolVersion::V1),
        "2" => Ok(ProtocolVersion::V2),
        _ => Err("it must be 1 or 2".to_owned()),
    }
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "it must be a number of seconds".to_owned())
}
