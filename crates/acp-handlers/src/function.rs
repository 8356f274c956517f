//! Functions as handlers of a [`Router`](crate::Router).

use std::pin::Pin;
use std::sync::Arc;

use acp_types::op::Op;

use crate::argument::FromCall;
use crate::call::Call;
use crate::reply::Returns;
use crate::serve::{Admit, ServeRequest};

/// A function that can handle the request `O` of a `Router` with the state `S`:
/// `async fn(&S, arguments…) -> Result<value>`.
///
/// The arguments implement [`FromCall`], and the side [`Returns`] the value.
#[diagnostic::on_unimplemented(
    message = "this function cannot handle the operation `{O}`",
    label = "not a handler of `{O}`",
    note = "a handler is an `async fn(&S, arguments…) -> Result<value>` with at most 6 arguments"
)]
pub trait Handler<O: Op, S, Cx: ServeRequest<O>, Arguments>: Clone + Send + Sync + 'static {
    /// The value in the `Result` of the function.
    type Value;

    /// Calls the function.
    fn call(
        self,
        state: Arc<S>,
        call: Call<O, Cx>,
    ) -> impl Future<Output = Result<Cx::Answer, Cx::Error>> + Send + 'static;
}

/// A function that can handle the notification `O` of a `Router` with the state `S`:
/// `async fn(&S, arguments…)`.
#[diagnostic::on_unimplemented(
    message = "this function cannot handle the notification `{O}`",
    label = "not a handler of `{O}`",
    note = "it is an `async fn(&S, arguments…)` with at most 6 arguments that returns nothing"
)]
pub trait Listener<O: Op, S, Cx: Admit<O>, Arguments>: Clone + Send + Sync + 'static {
    /// Calls the function.
    fn call(
        self,
        state: Arc<S>,
        call: Call<O, Cx>,
    ) -> impl Future<Output = Result<(), Cx::Error>> + Send + 'static;
}

/// `Fn(&'a S, arguments…)` whose future borrows from `S`. An `async fn(&S, …)` implements it for
/// every `'a`.
pub trait Borrowing<'a, S, Arguments> {
    /// The output of the future. It does not borrow.
    type Output;

    /// Calls the function.
    fn invoke(
        &self,
        state: &'a S,
        arguments: Arguments,
    ) -> Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;
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
            fn invoke(
                &self,
                state: &'a S,
                ($($argument,)*): ($($argument,)*),
            ) -> Pin<Box<dyn Future<Output = R::Output> + Send + 'a>> {
                Box::pin(self(state, $($argument),*))
            }
        }

        impl<O, S, Cx, F, V, E, $($argument),*> Handler<O, S, Cx, ($($argument,)*)> for F
        where
            O: Op,
            S: Send + Sync + 'static,
            Cx: Returns<O, V>,
            F: for<'a> Borrowing<'a, S, ($($argument,)*), Output = Result<V, E>> + Clone + Send + Sync + 'static,
            V: 'static,
            E: Into<Cx::Error> + 'static,
            $($argument: FromCall<O, Cx> + Send + 'static,)*
        {
            type Value = V;

            #[allow(unused_mut, unused_variables, reason = "a handler may have no arguments")]
            async fn call(self, state: Arc<S>, mut call: Call<O, Cx>) -> Result<Cx::Answer, Cx::Error> {
                let arguments = ($($argument::from_call(&mut call).await?,)*);
                let value = self.invoke(&state, arguments).await.map_err(Into::into)?;
                Ok(Cx::answer(value))
            }
        }

        impl<O, S, Cx, F, $($argument),*> Listener<O, S, Cx, ($($argument,)*)> for F
        where
            O: Op,
            S: Send + Sync + 'static,
            Cx: Admit<O>,
            F: for<'a> Borrowing<'a, S, ($($argument,)*), Output = ()> + Clone + Send + Sync + 'static,
            $($argument: FromCall<O, Cx> + Send + 'static,)*
        {
            #[allow(unused_mut, unused_variables, reason = "a handler may have no arguments")]
            async fn call(self, state: Arc<S>, mut call: Call<O, Cx>) -> Result<(), Cx::Error> {
                let arguments = ($($argument::from_call(&mut call).await?,)*);
                self.invoke(&state, arguments).await;
                Ok(())
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
