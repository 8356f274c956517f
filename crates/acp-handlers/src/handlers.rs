//! The handlers of one connection.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::pin::{Pin, pin};
use std::sync::Arc;

use acp_json::{Node, ReadError};
use acp_rpc::{Error as RpcError, Request, Task};
use acp_types::op::{self, Op};

use crate::call::Call;
use crate::conflicts::{Conflict, Conflicts};
use crate::context::CallContext;
use crate::serve::{Admit, ServeKeyed, ServeNotification, ServeRequest};

/// The handlers of one connection, by method. A method has one handler.
///
/// The functions of this type that look a handler up, and those that the handlers are, run on the
/// reader: they read the params and admit the message. User code runs in the futures that they
/// return.
pub struct Handlers<Cx: CallContext> {
    requests: HashMap<Box<str>, RequestHandler<Cx>>,
    notifications: HashMap<Box<str>, NotificationHandler<Cx>>,
    pub(crate) conflicts: Conflicts,
    /// The part of the handlers that only this side has.
    pub special: Cx::Special,
}

/// A handler of requests: it returns the task that answers a request, or the error that the request
/// is refused with.
pub type RequestHandler<Cx> = Arc<dyn Fn(Node<'_>, Cx, &Request) -> Result<Task, RpcError> + Send + Sync>;

/// A handler of notifications: it returns the job, or the reason why the notification has no
/// effect.
pub type NotificationHandler<Cx> = Arc<dyn Fn(Node<'_>, Cx) -> Result<Job, Cow<'static, str>> + Send + Sync>;

type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

impl<Cx: CallContext> Default for Handlers<Cx> {
    fn default() -> Self {
        Self {
            requests: HashMap::new(),
            notifications: HashMap::new(),
            conflicts: Conflicts::default(),
            special: Cx::Special::default(),
        }
    }
}

impl<Cx: CallContext> Handlers<Cx> {
    /// Serves request `O` of the protocol, or an extension that a marker names. The attributes call
    /// this for each function that answers. Handlers run as tasks.
    pub fn serve<O, S, F>(
        &mut self,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, Call<O, Cx>) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        O: Op,
        Cx: ServeRequest<O>,
        S: Send + Sync + 'static,
        F: Future<Output = Result<Cx::Answer, Cx::Error>> + Send + 'static,
    {
        const { assert_name::<O>() }
        <Cx as ServeRequest<O>>::enter(self, O::METHOD, with_state(state, handler));
        self
    }

    /// Serves request `O` where the params name this key. Other handlers serve other keys.
    pub fn serve_keyed<O, S, F>(
        &mut self,
        key: Cx::Key,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, Call<O, Cx>) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        O: Op,
        Cx: ServeKeyed<O>,
        S: Send + Sync + 'static,
        F: Future<Output = Result<Cx::Answer, Cx::Error>> + Send + 'static,
    {
        <Cx as ServeKeyed<O>>::enter_keyed(self, key, with_state(state, handler));
        self
    }

    /// Serves the extension request `method`, whose name starts with `_`.
    ///
    /// # Panics
    /// The name starts with another letter. All those names belong to the protocol.
    #[track_caller]
    pub fn serve_ext<S, F>(
        &mut self,
        method: &str,
        state: &Arc<S>,
        handler: impl Fn(Arc<S>, Call<op::Extension, Cx>) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        Cx: ServeRequest<op::Extension>,
        S: Send + Sync + 'static,
        F: Future<Output = Result<Cx::Answer, Cx::Error>> + Send + 'static,
    {
        op::assert_own(method);
        <Cx as ServeRequest<op::Extension>>::enter(self, method, with_state(state, handler));
        self
    }

    /// Receives notification `O` of the protocol, or an extension that a marker names. The
    /// attributes call this for each function that returns nothing.
    pub fn listen<O, S, F>(
        &mut self,
        state: &Arc<S>,
        listener: impl Fn(Arc<S>, Call<O, Cx>) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        O: Op,
        Cx: ServeNotification<O>,
        S: Send + Sync + 'static,
        F: Future<Output = Result<(), Cx::Error>> + Send + 'static,
    {
        const { assert_name::<O>() }
        <Cx as ServeNotification<O>>::enter(self, O::METHOD, with_state(state, listener));
        self
    }

    /// Receives the extension notification `method`, whose name starts with `_`.
    ///
    /// # Panics
    /// The name starts with another letter. All those names belong to the protocol.
    #[track_caller]
    pub fn listen_ext<S, F>(
        &mut self,
        method: &str,
        state: &Arc<S>,
        listener: impl Fn(Arc<S>, Call<op::Extension, Cx>) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        Cx: ServeNotification<op::Extension>,
        S: Send + Sync + 'static,
        F: Future<Output = Result<(), Cx::Error>> + Send + 'static,
    {
        op::assert_own(method);
        <Cx as ServeNotification<op::Extension>>::enter(self, method, with_state(state, listener));
        self
    }

    /// Returns true if a request of this name has a handler.
    #[must_use]
    pub fn serves(&self, method: &str) -> bool {
        self.requests.contains_key(method)
    }

    /// Returns true if a request or notification of this name has a handler.
    #[must_use]
    pub fn has(&self, method: &str) -> bool {
        self.serves(method) || self.notifications.contains_key(method)
    }

    /// Returns the handler of a request.
    #[must_use]
    pub fn find_request(&self, method: &str) -> Option<&RequestHandler<Cx>> {
        self.requests.get(method)
    }

    /// Returns the handler of a notification.
    #[must_use]
    pub fn find_notification(&self, method: &str) -> Option<&NotificationHandler<Cx>> {
        self.notifications.get(method)
    }

    /// Begins the registration of what has this type. What was registered before is a default.
    pub fn begin<T: ?Sized>(&mut self) {
        self.conflicts.begin::<T>();
    }

    /// Notes that this method has a handler. If several handlers share a method, the part of each
    /// is in the name: `elicitation/create, form`.
    pub fn claim(&mut self, method: &str) {
        self.conflicts.claim(method);
    }

    /// Checks that these can be the handlers of one connection. The operations are methods of the
    /// protocol, each with the capability that stands for it.
    ///
    /// # Errors
    /// A method is registered twice, or a capability lacks methods.
    pub fn check<I>(&self, operations: &I) -> Result<(), Conflict>
    where
        I: Iterator<Item = (&'static str, Option<&'static str>)> + Clone,
    {
        self.conflicts.check()?;
        for (_, capability) in operations.clone().filter(|(method, _)| self.has(method)) {
            let Some(capability) = capability else { continue };
            let others = operations.clone().filter(|(_, other)| *other == Some(capability));
            let missing: Vec<_> =
                others.map(|(method, _)| method).filter(|method| !self.has(method)).collect();
            if !missing.is_empty() {
                return Err(Conflict::Incomplete { capability, missing });
            }
        }
        Ok(())
    }

    /// Sets the handler of a request, below the work of any operation.
    pub fn set_request(&mut self, method: &str, handler: RequestHandler<Cx>) {
        self.requests.insert(method.into(), handler);
    }

    /// Sets the handler of a notification, below the work of any operation.
    pub fn set_notification(&mut self, method: &str, handler: NotificationHandler<Cx>) {
        self.notifications.insert(method.into(), handler);
    }

    /// Enters the handler of a request: the side's work, and the handler in its middle.
    pub fn enter_request<O, F>(
        &mut self,
        method: &str,
        handler: impl Fn(Call<O, Cx>) -> F + Send + Sync + 'static,
    ) where
        O: Op,
        Cx: ServeRequest<O>,
        F: Future<Output = Result<Cx::Answer, Cx::Error>> + Send + 'static,
    {
        self.claim(method);
        let (name, handler): (Box<str>, _) = (method.into(), Arc::new(handler));
        let call = move |params: Node<'_>, context: Cx, request: &Request| -> Result<Task, RpcError> {
            let params = context.params(given::<O>(params)).map_err(|error| unreadable(&name, &error))?;
            let params = Arc::new(params);
            let admission = context.admit(&params)?;
            Cx::on_admitted(&admission, request);
            let (call, handler) = (Call::new(context, params, admission), Arc::clone(&handler));
            Ok(Box::pin(async move {
                let outcome = match Cx::ready(&call).await {
                    Ok(()) => {
                        // Pinned here: the future of a handler is large, and each function that
                        // takes it by value would have room for one more.
                        let handling = pin!(handler(call.clone()));
                        call.context().run(handling).await
                    }
                    Err(error) => Err(error),
                };
                Cx::finish(&call, outcome).await
            }))
        };
        self.set_request(method, Arc::new(call));
    }

    /// Enters the handler of a notification. It has no answer, so an error is reported.
    pub fn enter_notification<O, F>(
        &mut self,
        method: &str,
        listener: impl Fn(Call<O, Cx>) -> F + Send + Sync + 'static,
    ) where
        O: Op,
        Cx: Admit<O>,
        F: Future<Output = Result<(), Cx::Error>> + Send + 'static,
    {
        self.claim(method);
        let (name, listener): (Arc<str>, _) = (method.into(), Arc::new(listener));
        let call = move |params: Node<'_>, context: Cx| -> Result<Job, Cow<'static, str>> {
            let params = Arc::new(context.params(given::<O>(params)).map_err(|error| error.to_string())?);
            let admission = context.admit(&params).map_err(|error| error.message)?;
            let (name, listener) = (Arc::clone(&name), Arc::clone(&listener));
            Ok(Box::pin(async move {
                if let Err(error) = listener(Call::new(context.clone(), params, admission)).await {
                    context.ignored(&name, &error.to_string());
                }
            }))
        };
        self.set_notification(method, Arc::new(call));
    }
}

/// Returns the params, which may have been left out.
fn given<O: Op>(params: Node<'_>) -> Node<'_> {
    if params.is_null() { O::no_params() } else { params }
}

/// Returns the error object for params of a request that do not fit.
#[must_use]
pub fn unreadable(method: &str, error: &ReadError) -> RpcError {
    RpcError::invalid_params(format!("params of `{method}`: {error}"))
}

/// Checks the name of an extension while the program is compiled.
const fn assert_name<O: Op>() {
    if O::IS_OWN {
        op::assert_own(O::METHOD);
    }
}

fn with_state<S: Send + Sync + 'static, C, F>(
    state: &Arc<S>,
    handler: impl Fn(Arc<S>, C) -> F + Send + Sync + 'static,
) -> impl Fn(C) -> F + Send + Sync + 'static {
    let state = Arc::clone(state);
    move |call| handler(Arc::clone(&state), call)
}

impl<Cx: CallContext> fmt::Debug for Handlers<Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers")
            .field("requests", &self.requests.keys())
            .field("notifications", &self.notifications.keys())
            .finish_non_exhaustive()
    }
}
