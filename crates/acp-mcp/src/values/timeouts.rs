//! The time limits of a session.

use std::time::Duration;

/// A time longer than anybody waits, which can still be added to a point in time.
pub(crate) const NEVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// The time limits for servers.
///
/// With zero, every step that takes time fails with
/// [`McpError::Timeout`](crate::McpError::Timeout), and processes are killed at once.
/// [`Duration::MAX`] means for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// For the answer to `server/discover`. A server on stdio that does not answer in time is
    /// treated as a legacy one. Default 5 s.
    pub probe: Duration,
    /// For the answer to one `initialize`. Default 20 s.
    pub initialize: Duration,
    /// For connecting a server, all attempts together. Default 60 s.
    pub connect: Duration,
    /// For the answer to a request. Progress starts the time anew. Default 60 s.
    pub request: Duration,
    /// For the answer to a request, with or without progress. Default 10 min.
    pub request_max: Duration,
    /// For an authorization by the user, all steps together. No other server waits for it.
    /// Default 10 min.
    pub authorization: Duration,
    /// For a legacy server to report that it is done with a web page that the user has agreed to
    /// visit. Afterwards the call that depends on the page is made again. Default 60 s.
    pub consent: Duration,
    /// For a process to exit after its stdin was closed, and once more after it was asked to end.
    /// Default 3 s.
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
