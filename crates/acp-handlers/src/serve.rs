//! Operations, as a side serves them.

use std::sync::Arc;

use acp_json::{Node, ReadError, Value};
use acp_rpc::{Error as RpcError, Reply, Request};
use acp_types::method;
use acp_types::op::{self, Op};

use crate::call::Call;
use crate::context::CallContext;
use crate::handlers::Handlers;

/// A context in which messages of operation `O` are admitted.
pub trait Admit<O: Op>: CallContext {
    /// The result of admission, such as the session.
    type Admission: Clone + Send + Sync + 'static;

    /// Reads the params.
    ///
    /// # Errors
    /// They do not fit.
    fn params(&self, params: Node<'_>) -> Result<O::Params, ReadError> {
        self.read::<O>(params)
    }

    /// Checks the params and finds the things that they name. Runs on the reader, in the order of
    /// the wire.
    ///
    /// # Errors
    /// The error that a request is refused with.
    fn admit(&self, params: &Arc<O::Params>) -> Result<Self::Admission, RpcError>;
}

/// A context in which requests of operation `O` are answered.
#[diagnostic::on_unimplemented(
    message = "`{O}` is not a request",
    label = "not a request",
    note = "`Router::on_notification` takes the handlers of notifications"
)]
pub trait ServeRequest<O: Op>: Admit<O> {
    /// The answer that a handler's result is converted to.
    type Answer: Send + 'static;

    /// Sets the guards that hold until the request is answered. A layer may answer it, too.
    fn on_admitted(_: &Self::Admission, _: &Request) {}

    /// Waits until the handler may start. After an error the handler is not called: the error is
    /// the outcome.
    fn ready(_: &Call<O, Self>) -> impl Future<Output = Result<(), Self::Error>> + Send {
        std::future::ready(Ok(()))
    }

    /// Makes the reply of the handler's result. The handler has ended, or was dropped.
    ///
    /// # Errors
    /// The error that the request is answered with.
    fn finish(
        call: &Call<O, Self>,
        outcome: Result<Self::Answer, Self::Error>,
    ) -> impl Future<Output = Result<Reply, RpcError>> + Send;

    /// Enters a handler into the table.
    fn enter<F>(
        handlers: &mut Handlers<Self>,
        method: &str,
        handler: impl Fn(Call<O, Self>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<Self::Answer, Self::Error>> + Send + 'static,
    {
        handlers.enter_request(method, handler);
    }
}

/// A context in which operation `O` can have several handlers, each with a key. The params tell
/// which of them is called. A key has one handler.
pub trait ServeKeyed<O: Op>: ServeRequest<O> {
    /// The key, with everything that is told of its handler.
    type Key: Clone + Send + Sync + 'static;

    /// Enters the handler of a key into the table.
    fn enter_keyed<F>(
        handlers: &mut Handlers<Self>,
        key: Self::Key,
        handler: impl Fn(Call<O, Self>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<Self::Answer, Self::Error>> + Send + 'static;
}

/// A context in which notifications of operation `O` are received.
#[diagnostic::on_unimplemented(
    message = "`{O}` is not a notification",
    label = "not a notification",
    note = "`Router::on` takes the handlers of requests"
)]
pub trait ServeNotification<O: Op>: Admit<O> {
    /// Enters a handler into the table.
    fn enter<F>(
        handlers: &mut Handlers<Self>,
        method: &str,
        listener: impl Fn(Call<O, Self>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<(), Self::Error>> + Send + 'static,
    {
        handlers.enter_notification(method, listener);
    }
}

/// A request whose answer is what its handler returned.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a request",
    label = "a notification has no answer",
    note = "`Router::on_notification` takes the handlers of notifications"
)]
pub trait Answered: Op {
    /// The answer: the response, unless its type is known only to the handler.
    type Answer: Send + 'static;

    /// Makes the reply. `write` writes a response.
    fn reply(answer: Self::Answer, write: impl FnOnce(Self::Response) -> Reply) -> Reply;
}

impl Answered for op::Extension {
    type Answer = Reply;

    fn reply(answer: Reply, _: impl FnOnce(Value) -> Reply) -> Reply {
        answer
    }
}

impl<M> Answered for op::Request<M>
where
    M: method::Request<Params: Clone + Sync> + 'static,
{
    type Answer = M::Response;

    fn reply(answer: M::Response, write: impl FnOnce(M::Response) -> Reply) -> Reply {
        write(answer)
    }
}

/// A notification. Its handler returns nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a notification",
    label = "a request has an answer",
    note = "`Router::on` takes the handlers of requests"
)]
pub trait Notified: Op {}

impl Notified for op::Extension {}

impl<M> Notified for op::Notification<M> where M: method::Notification<Params: Clone + Sync> + 'static {}
