//! The spellings of the messages between a conductor and its proxies.

use std::sync::atomic::{AtomicU8, Ordering};

/// The names of the messages between a conductor and a proxy. They changed twice before they became
/// what the protocol has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spelling {
    /// `proxy/initialize` and `proxy/successor`.
    #[default]
    Current,
    /// `_proxy/initialize` and `_proxy/successor`, with the same params.
    Underscored,
    /// `initialize` with `_meta.symposium.proxy`, and an envelope by direction and kind, such as
    /// `_proxy/successor/send/request`.
    SendReceive,
}

/// The side of a connection between a conductor and a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Conductor,
    Proxy,
}

/// A message that only a conductor and its proxies send each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Initialize,
    Envelope,
}

/// The spelling of one connection: that of the peer's last message, if older ones are taken.
#[derive(Debug)]
pub(crate) struct Speech {
    pub(crate) side: Side,
    takes_older: bool,
    spelling: AtomicU8,
}

/// Marks `initialize` as that of a proxy, in [`Spelling::SendReceive`].
pub(crate) const MARK: [&str; 3] = ["_meta", "symposium", "proxy"];

const SEND_REQUEST: &str = "_proxy/successor/send/request";
const SEND_NOTIFICATION: &str = "_proxy/successor/send/notification";
const RECEIVE_REQUEST: &str = "_proxy/successor/receive/request";
const RECEIVE_NOTIFICATION: &str = "_proxy/successor/receive/notification";

impl Spelling {
    /// Returns the method that initializes a proxy.
    pub(crate) const fn initialize(self) -> &'static str {
        match self {
            Self::Current => "proxy/initialize",
            Self::Underscored => "_proxy/initialize",
            Self::SendReceive => "initialize",
        }
    }

    /// Returns the method of an envelope that this side sends.
    pub(crate) const fn envelope(self, side: Side, is_request: bool) -> &'static str {
        match (self, side, is_request) {
            (Self::Current, ..) => "proxy/successor",
            (Self::Underscored, ..) => "_proxy/successor",
            (Self::SendReceive, Side::Proxy, true) => SEND_REQUEST,
            (Self::SendReceive, Side::Proxy, false) => SEND_NOTIFICATION,
            (Self::SendReceive, Side::Conductor, true) => RECEIVE_REQUEST,
            (Self::SendReceive, Side::Conductor, false) => RECEIVE_NOTIFICATION,
        }
    }
}

impl Speech {
    pub(crate) const fn new(side: Side, takes_older: bool, first: Spelling) -> Self {
        Self { side, takes_older, spelling: AtomicU8::new(first as u8) }
    }

    pub(crate) fn spelling(&self) -> Spelling {
        match self.spelling.load(Ordering::Relaxed) {
            0 => Spelling::Current,
            1 => Spelling::Underscored,
            _ => Spelling::SendReceive,
        }
    }

    pub(crate) const fn takes_older(&self) -> bool {
        self.takes_older
    }

    /// Answers in this spelling from now on.
    pub(crate) fn adopt(&self, spelling: Spelling) {
        self.spelling.store(spelling as u8, Ordering::Relaxed);
    }

    /// Tells which message of a conductor and its proxies a method is, and its spelling. Older
    /// spellings are messages like any other unless they are taken.
    pub(crate) fn hear(&self, method: &str) -> Option<(Heard, Spelling)> {
        match method {
            "proxy/successor" => Some((Heard::Envelope, Spelling::Current)),
            "proxy/initialize" => Some((Heard::Initialize, Spelling::Current)),
            _ if !self.takes_older => None,
            "_proxy/successor" => Some((Heard::Envelope, Spelling::Underscored)),
            "_proxy/initialize" => Some((Heard::Initialize, Spelling::Underscored)),
            SEND_REQUEST | SEND_NOTIFICATION | RECEIVE_REQUEST | RECEIVE_NOTIFICATION => {
                Some((Heard::Envelope, Spelling::SendReceive))
            }
            _ => None,
        }
    }
}
