//! HTTP clients with the settings of a session, and the errors of their exchanges.

mod clients;
mod refusal;
mod settings;
#[cfg(feature = "__tls")]
pub(super) mod tls;

pub(super) use self::clients::{Clients, LONGEST};
pub(super) use self::refusal::{Refusal, challenge};
pub(crate) use self::settings::HttpSettings;
