//! The codes with which connections end, as those of a WebSocket.

pub(crate) const NORMAL: u16 = 1000;
pub(crate) const GOING_AWAY: u16 = 1001;
pub(crate) const FAULT: u16 = 1011;
