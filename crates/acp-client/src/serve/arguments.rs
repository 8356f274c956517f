//! The arguments of handlers that only a client has.

use crate::op::{self, Op};
use crate::{Agent, Argument, Call, Cancel, Context, Event, FromCall};

/// The agent that asks. Before `initialize` is answered, the call waits for that.
impl<O: Op> FromCall<O, Context> for Agent {
    fn from_call(call: &mut Call<O>) -> Argument<'_, Self> {
        Argument::later(call.context().agent(O::METHOD))
    }
}

impl<O: Op> FromCall<O, Context> for Cancel {
    fn from_call(call: &mut Call<O>) -> Argument<'_, Self> {
        Argument::now(call.context().cancel())
    }
}

impl<O: Op> FromCall<O, Context> for Context {
    fn from_call(call: &mut Call<O>) -> Argument<'_, Self> {
        Argument::now(call.context().clone())
    }
}

impl FromCall<op::Update, Context> for Event {
    fn from_call(call: &mut Call<op::Update>) -> Argument<'_, Self> {
        Argument::now(call.context().wire().event(call.params().update.clone()))
    }
}
