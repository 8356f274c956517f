//! Authorization of MCP by OAuth 2.1, for servers over HTTP. rmcp does the protocol; here is who asks the user, what is
//! kept, and what is not done twice.

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
