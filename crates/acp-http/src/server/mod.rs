//! The side that runs agents.

mod access;
mod agent;
mod body;
mod clock;
mod close_code;
mod counts;
mod http;
mod listen;
mod options;
mod policy;
mod refusal;
mod seats;
mod service;
#[cfg(feature = "server-tls-no-provider")]
mod tls;
#[cfg(feature = "ws")]
mod websocket;

pub use self::access::connection_id::ConnectionId;
pub use self::access::grant::Grant;
pub use self::access::principal::{Principal, Refusal};
pub use self::agent::{PeerAddress, Remote};
pub use self::body::Body;
pub use self::counts::Counts;
pub use self::listen::{ListenError, Listening};
pub use self::options::Options;
pub use self::policy::Policy;
pub use self::service::Server;
#[cfg(feature = "server-tls-no-provider")]
pub use self::tls::{ClientCertificate, Tls, TlsError};
