use acp_agent::{Result, StopReason, Turn};
#[derive(Debug)]
pub(crate) struct Echo;
impl Echo {
    /// Handles `session/prompt`. Runs a turn: from the user's message to the reason why the agent stopped.
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(turn.text()).await?;
        Ok(StopReason::EndTurn)
    }
}
impl ::acp_agent::Agent for Echo {
    type Session = ();
    fn profile(&self) -> ::acp_agent::Profile {
        ::acp_agent::Profile::new(
            ::core::env!("CARGO_PKG_NAME"),
            ::core::env!("CARGO_PKG_VERSION"),
        )
    }
    fn register(
        self: ::std::sync::Arc<Self>,
        handlers: &mut ::acp_agent::Handlers<Self::Session>,
    )
    where
        for<'a> Self: ::core::marker::Send + ::core::marker::Sync + 'static,
    {
        handlers
            .serve::<
                ::acp_agent::op::Prompt,
                _,
                _,
            >(
                &self,
                |agent, mut call| async move {
                    let argument_0 = <Turn as ::acp_agent::FromCall<
                        ::acp_agent::op::Prompt,
                        ::acp_agent::Scope<<Self as ::acp_agent::Agent>::Session>,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::prompt(&agent, argument_0).await {
                            ::core::result::Result::Ok(value) => value,
                            ::core::result::Result::Err(error) => {
                                let error = <_ as ::acp_agent::IntoError<
                                    ::acp_agent::Error,
                                >>::into_error(error);
                                return ::core::result::Result::Err(error);
                            }
                        };
                        <::acp_agent::Scope<
                            <Self as ::acp_agent::Agent>::Session,
                        > as ::acp_agent::Returns<
                            ::acp_agent::op::Prompt,
                            StopReason,
                        >>::answer(value)
                    })
                },
            );
        handlers
            .serve::<
                ::acp_agent::op::NewSession,
                _,
                _,
            >(
                &self,
                |_agent, _call| async move {
                    ::core::result::Result::Ok(::acp_agent::Opened::new(()))
                },
            );
    }
}
