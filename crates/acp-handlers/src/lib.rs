//! The machine under the handlers of agents and clients.
//!
//! A side of the connection gives a [`CallContext`]: what it knows of a call beside the params. It
//! implements [`Admit`] and then [`ServeRequest`] or [`ServeNotification`] for each operation,
//! which is the side's work before and after the handler. All else is here:
//!
//! * [`FromCall`] and [`Returns`]: the arguments and the results of handlers.
//! * [`Handler`] and [`Listener`]: functions that handle requests and notifications.
//! * [`Handlers`]: the handlers of one connection, by method. What is registered there is what the
//!   side offers, and a method that is registered twice is a [`Conflict`].
//! * [`Router`]: functions and their state, to be registered.
//!
//! `acp-agent` and `acp-client` re-export what their users need.

mod argument;
mod bounds;
mod call;
mod conflicts;
mod context;
mod function;
mod handlers;
mod reply;
mod router;
mod serve;

pub use crate::argument::{Argument, FromCall, OnSession, RequestMeta};
pub use crate::bounds::{IntoError, Shared, assert_shared};
pub use crate::call::Call;
pub use crate::conflicts::Conflict;
pub use crate::context::CallContext;
pub use crate::function::{Borrowing, Handler, Listener};
pub use crate::handlers::{Handlers, NotificationHandler, RequestHandler, unreadable};
pub use crate::reply::Returns;
pub use crate::router::Router;
pub use crate::serve::{Admit, Answered, Notified, ServeKeyed, ServeNotification, ServeRequest};
