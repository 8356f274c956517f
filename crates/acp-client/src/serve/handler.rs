//! Functions as handlers of a [`Router`](crate::Router).

use std::pin::Pin;
use std::sync::Arc;

use crate::error::Result;
use crate::serve::arguments::FromCall;
use crate::serve::call::Call;
use crate::serve::replies::IntoReply;
use crate::serve::serve_op::Served;
use crate::{Error, op};

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A function that can handle the request `O` of a [`Router<S>`](crate::Router):
/// `async fn(&S, arguments…) -> Result<value>`.
///
/// The arguments implement [`FromCall`], and the value implements [`IntoReply`].
#[diagnostic::on_unimplemented(
    message = "this function cannot handle the operation `{O}`",
    label = "not a handler of `{O}`",
    note = "a handler is an `async fn(&S, arguments…) -> Result<value>` with at most 6 arguments"
)]
pub trait Handler<O: Served, S, Arguments>: Clone + Send + Sync + 'static {
    /// Calls the function.
    fn call(self, state: Arc<S>, call: Call<O>) -> Boxed<'static, Result<O::Answer>>;
}

/// A function that can handle the notification `O` of a [`Router<S>`](crate::Router):
/// `async fn(&S, arguments…)`.
#[diagnostic::on_unimplemented(
    message = "this function cannot handle the notification `{O}`",
    label = "not a handler of `{O}`",
    note = "it is an `async fn(&S, arguments…)` with at most 6 arguments that returns nothing"
)]
pub trait Listener<O: op::Op, S, Arguments>: Clone + Send + Sync + 'static {
    /// Calls the function.
    fn call(self, state: Arc<S>, call: Call<O>) -> Boxed<'static, Result<()>>;
}

/// `Fn(&'a S, arguments…)` whose future borrows from `S`. An `async fn(&S, …)` implements it for
/// every `'a`.
pub trait Borrowing<'a, S, Arguments> {
    /// The output of the future. It does not borrow.
    type Output;

    /// Calls the function.
    fn invoke(&self, state: &'a S, arguments: Arguments) -> Boxed<'a, Self::Output>;
}

macro_rules! functions {
    ($($argument:ident)*) => {
        impl<'a, S, F, R, $($argument),*> Borrowing<'a, S, ($($argument,)*)> for F
        where
            S: 'a,
            F: Fn(&'a S, $($argument),*) -> R,
            R: Future + Send + 'a,
        {
            type Output = R::Output;

            #[allow(non_snake_case, reason = "each argument is named like its type")]
            fn invoke(&self, state: &'a S, ($($argument,)*): ($($argument,)*)) -> Boxed<'a, R::Output> {
                Box::pin(self(state, $($argument),*))
            }
        }

        impl<O, S, F, V, E, $($argument),*> Handler<O, S, ($($argument,)*)> for F
        where
            O: Served,
            S: Send + Sync + 'static,
            F: for<'a> Borrowing<'a, S, ($($argument,)*), Output = Result<V, E>> + Clone + Send + Sync + 'static,
            V: IntoReply<O>,
            E: Into<Error>,
            $($argument: FromCall<O> + Send,)*
        {
            #[allow(unused_mut, unused_variables, reason = "a handler may have no arguments")]
            fn call(self, state: Arc<S>, mut call: Call<O>) -> Boxed<'static, Result<O::Answer>> {
                Box::pin(async move {
                    let arguments = ($($argument::from_call(&mut call).await?,)*);
                    let value = self.invoke(&state, arguments).await.map_err(Into::into)?;
                    Ok(value.into_reply())
                })
            }
        }

        impl<O, S, F, $($argument),*> Listener<O, S, ($($argument,)*)> for F
        where
            O: op::Op,
            S: Send + Sync + 'static,
            F: for<'a> Borrowing<'a, S, ($($argument,)*), Output = ()> + Clone + Send + Sync + 'static,
            $($argument: FromCall<O> + Send,)*
        {
            #[allow(unused_mut, unused_variables, reason = "a handler may have no arguments")]
            fn call(self, state: Arc<S>, mut call: Call<O>) -> Boxed<'static, Result<()>> {
                Box::pin(async move {
                    let arguments = ($($argument::from_call(&mut call).await?,)*);
                    self.invoke(&state, arguments).await;
                    Ok(())
                })
            }
        }
    };
}

functions!();
functions!(A1);
functions!(A1 A2);
functions!(A1 A2 A3);
functions!(A1 A2 A3 A4);
functions!(A1 A2 A3 A4 A5);
functions!(A1 A2 A3 A4 A5 A6);
