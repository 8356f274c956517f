//! Functions as handlers of a [`Router`].

use std::pin::Pin;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::handler::arguments::FromCall;
use crate::handler::call::Call;
use crate::handler::operation::ServeOperation;
use crate::handler::replies::IntoReply;
use crate::handler::router::Router;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A function that can handle operation `O` of a [`Router<S, T>`](Router):
/// `async fn(&S, arguments…) -> Result<value>`.
///
/// The arguments implement [`FromCall`], the value [`IntoReply`].
#[diagnostic::on_unimplemented(
    message = "this function cannot handle the operation `{O}`",
    label = "not a handler of `{O}`",
    note = "a handler is an `async fn(&S, arguments…) -> Result<value>` with at most 6 arguments"
)]
pub trait Handler<O: ServeOperation, S, T, Arguments>: Clone + Send + Sync + 'static
where
    S: Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    /// The value in the `Result` of the function.
    type Value;

    /// Calls the function.
    fn call(self, agent: Arc<Router<S, T>>, call: Call<O, T>) -> Boxed<'static, Result<O::Answer<T>>>;
}

/// A function that can handle notification `O` of a [`Router<S, T>`](Router): `async fn(&S,
/// arguments…)`.
#[diagnostic::on_unimplemented(
    message = "this function cannot handle a notification",
    label = "not a handler of notifications",
    note = "it is an `async fn(&S, arguments…)` with at most 6 arguments that returns nothing"
)]
pub trait Listener<O: ServeOperation, S, T, Arguments>: Clone + Send + Sync + 'static
where
    S: Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    /// Calls the function.
    fn call(self, agent: Arc<Router<S, T>>, call: Call<O, T>) -> Boxed<'static, Result<()>>;
}

/// A function `Fn(&'a S, arguments…)` whose future borrows from `S`. An `async fn(&S, …)` is one
/// for all `'a`.
pub trait Borrowing<'a, S, Arguments> {
    /// The output of the future, which does not borrow.
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

        impl<O, S, T, F, V, E, $($argument),*> Handler<O, S, T, ($($argument,)*)> for F
        where
            O: ServeOperation,
            S: Send + Sync + 'static,
            T: Send + Sync + 'static,
            F: for<'a> Borrowing<'a, S, ($($argument,)*), Output = Result<V, E>> + Clone + Send + Sync + 'static,
            V: IntoReply<O, T>,
            E: Into<Error>,
            $($argument: FromCall<O, Router<S, T>>,)*
        {
            type Value = V;

            #[allow(unused_mut, unused_variables, reason = "a handler may have no arguments")]
            fn call(
                self,
                agent: Arc<Router<S, T>>,
                mut call: Call<O, T>,
            ) -> Boxed<'static, Result<O::Answer<T>>> {
                Box::pin(async move {
                    let arguments = ($($argument::from_call(&mut call)?,)*);
                    let value = self.invoke(agent.state(), arguments).await.map_err(Into::into)?;
                    Ok(value.into_reply())
                })
            }
        }

        impl<O, S, T, F, $($argument),*> Listener<O, S, T, ($($argument,)*)> for F
        where
            O: ServeOperation,
            S: Send + Sync + 'static,
            T: Send + Sync + 'static,
            F: for<'a> Borrowing<'a, S, ($($argument,)*), Output = ()> + Clone + Send + Sync + 'static,
            $($argument: FromCall<O, Router<S, T>>,)*
        {
            #[allow(unused_mut, unused_variables, reason = "a handler may have no arguments")]
            fn call(
                self,
                agent: Arc<Router<S, T>>,
                mut call: Call<O, T>,
            ) -> Boxed<'static, Result<()>> {
                Box::pin(async move {
                    let arguments = ($($argument::from_call(&mut call)?,)*);
                    self.invoke(agent.state(), arguments).await;
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
