//! Values of options. The errors are ends of sentences that begin with the option and its value.

use std::ffi::OsString;
use std::net::IpAddr;
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

/// A network: an address, and the number of its bits that count.
pub(super) fn network(text: &str) -> Result<(IpAddr, u8), String> {
    let problem = || "it must be an address, or a network such as 10.0.0.0/8".to_owned();
    let (address, bits) = match text.split_once('/') {
        Some((address, bits)) => (address, Some(bits.parse::<u8>().map_err(|_| problem())?)),
        None => (text, None),
    };
    let address: IpAddr = address.parse().map_err(|_| problem())?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    let bits = bits.unwrap_or(most);
    if bits > most { Err(problem()) } else { Ok((address, bits)) }
}

/// A variable of the environment, with its value or without.
pub(super) fn variable(text: &str) -> Result<(OsString, Option<OsString>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.into())),
        None => (text, None),
    };
    if name.is_empty() { Err("it must be NAME or NAME=VALUE".to_owned()) } else { Ok((name.into(), value)) }
}

/// The name of a variable of the environment.
pub(super) fn variable_name(text: &str) -> Result<OsString, String> {
    let is_name = !text.is_empty() && !text.contains('=');
    is_name.then(|| text.into()).ok_or_else(|| "it must be the name of a variable".to_owned())
}

/// A config option of a session, and its value.
pub(super) fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("it must be NAME=VALUE".to_owned()),
    }
}

/// The path of an address.
pub(super) fn url_path(text: &str) -> Result<String, String> {
    let is_path = text.starts_with('/') && !text.contains(['?', '#']) && text.is_ascii();
    let path = is_path.then(|| text.to_owned());
    path.ok_or_else(|| "it must begin with `/`, and be the path of an address".to_owned())
}

/// The name of a replica, which ids of connections begin with.
pub(super) fn replica(text: &str) -> Result<String, String> {
    let is_char = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
    let name = (!text.is_empty() && text.chars().all(is_char)).then(|| text.to_owned());
    name.ok_or_else(|| "it must consist of letters, digits, `-` and `_`".to_owned())
}
