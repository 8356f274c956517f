//! How long is waited for a server.

use std::time::Duration;

/// As long as nobody waits, and yet a time that can be added to a point in time.
pub(crate) const NEVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// How long is waited for a server.
///
/// Zero is no time at all: what takes any fails with [`McpError::Timeout`](crate::McpError::Timeout), and processes are
/// killed at once. [`Duration::MAX`] is for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// For the answer to `server/discover`, before a server on stdio is taken for a legacy one. Default 5 s.
    pub probe: Duration,
    /// For the answer to one `initialize`. Default 20 s.
    pub initialize: Duration,
    /// For a server to be connected, all attempts together. Default 60 s.
    pub connect: Duration,
    /// For the answer to a request; progress starts it anew (rule `mcp-neg-62`). Default 60 s.
    pub request: Duration,
    /// For the answer to a request, whatever the progress. Default 10 min.
    pub request_max: Duration,
    /// For an authorization of a server by the user, all of its steps; no other server waits for it. Default 10 min.
    pub authorization: Duration,
    /// For a legacy server to say that it is done with a web page that the user has agreed to visit, before the call that
    /// depends on it is made again without that word. Default 60 s.
    pub consent: Duration,
    /// For a process to exit after its stdin was closed, and again after it was asked to. Default 3 s.
    pub shutdown: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            probe: Duration::from_secs(5),
            initialize: Duration::from_secs(20),
            connect: Duration::from_secs(60),
            request: Duration::from_secs(60),
            request_max: Duration::from_secs(600),
            authorization: Duration::from_secs(600),
            consent: Duration::from_secs(60),
            shutdown: Duration::from_secs(3),
        }
    }
}

macro_rules! setters {
    ($($name:ident)*) => {
        impl Timeouts {
            $(
                #[doc = concat!("Sets [`", stringify!($name), "`](Self::", stringify!($name), ").")]
                #[must_use]
                pub const fn $name(mut self, time: Duration) -> Self {
                    self.$name = time;
                    self
                }
            )*
        }
    };
}

setters!(probe initialize connect request request_max authorization consent shutdown);
