//! The side that runs agents.

mod access;
mod agent;
mod body;
mod http;
mod listen;
mod options;
mod refusal;
mod seats;
mod service;
#[cfg(feature = "ws")]
mod websocket;

pub use self::access::connection_id::ConnectionId;
pub use self::access::principal::{Principal, Refusal};
pub use self::agent::{PeerAddress, Remote};
pub use self::body::Body;
pub use self::listen::{ListenError, Listening};
pub use self::options::Options;
pub use self::service::Server;
