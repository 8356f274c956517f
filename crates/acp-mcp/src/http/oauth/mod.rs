//! Authorization of servers over HTTP by OAuth 2.1.
//!
//! rmcp implements the protocol. This module asks the user, keeps credentials, and joins
//! authorizations for the same server.

mod address;
mod authorizer;
mod callback;
mod credentials;
mod exchange;
mod flow;
mod loopback;
mod place;
mod reach;
mod server;
mod settings;

pub use self::authorizer::{AuthorizationPage, Authorizer, AuthorizerAnswer};
pub use self::credentials::{CredentialStore, Credentials};
pub use self::settings::{OAuth, OAuthClient, Redirect};

pub(crate) use self::flow::{Authorization, Renewal, Wanted};
pub(crate) use self::reach::{Noting, Reach};
