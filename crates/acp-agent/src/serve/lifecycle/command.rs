//! Slash commands with handlers: prompts that call one, up to their answer.

use std::marker::PhantomData;
use std::sync::Arc;

use acp_handlers::{Admit, Returns, ServeRequest};
use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::{AvailableCommand, PromptRequest, PromptResponse, StopReason};

use crate::error::{Error, Result};
use crate::handler::scope::{Call, Handlers, Scope};
use crate::op::{self, Op as _};
use crate::serve::lifecycle::rows;
use crate::session::running::Running;

/// Ends the registration of commands, and returns them. An agent that has nothing but commands
/// refuses other prompts.
pub(crate) fn seal<S: Send + Sync + 'static>(handlers: &mut Handlers<S>) -> Vec<AvailableCommand> {
    let commands = handlers.special.seal();
    if !commands.is_empty() && !handlers.serves(op::Prompt::METHOD) {
        let names: Vec<_> = commands.iter().map(|command| format!("/{}", command.name)).collect();
        let refusal = format!("`prompt`: this agent takes only its commands: {}", names.join(", "));
        handlers.serve::<op::Prompt, _, _>(&Arc::new(refusal), |refusal, _| async move {
            Err(Error::invalid_params(String::clone(&refusal)))
        });
    }
    commands
}

/// A command is admitted as the prompt that calls it.
impl<S: Send + Sync + 'static> Admit<op::Command> for Scope<S> {
    type Admission = Arc<Running<S>>;

    fn admit(&self, params: &Arc<PromptRequest>) -> Result<Arc<Running<S>>, RpcError> {
        Admit::<op::Prompt>::admit(self, params)
    }
}

impl<S: Send + Sync + 'static> ServeRequest<op::Command> for Scope<S> {
    type Answer = PromptResponse;

    async fn finish(call: &Call<op::Command, S>, outcome: Result<PromptResponse>) -> Result<Reply, RpcError> {
        let call = call.clone().into_call_of::<op::Prompt>();
        <Self as ServeRequest<op::Prompt>>::finish(&call, outcome).await
    }

    fn enter<F>(_: &mut Handlers<S>, _: &str, _: impl Fn(Call<op::Command, S>) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Result<PromptResponse>> + Send + 'static,
    {
        const { needs_a_name(PhantomData::<F>) }
    }
}

/// Fails the build of `Router::on::<op::Command, _>`.
const fn needs_a_name<F>(_: PhantomData<F>) {
    panic!("a command has a name: `Router::command` takes it");
}

impl<S: Send + Sync + 'static> Returns<op::Command, PromptResponse> for Scope<S> {
    fn answer(value: PromptResponse) -> PromptResponse {
        value
    }
}

impl<S: Send + Sync + 'static> Returns<op::Command, StopReason> for Scope<S> {
    fn answer(value: StopReason) -> PromptResponse {
        PromptResponse::new(value)
    }
}

rows::session!(Command);
