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
    const PROFILE: ::acp_agent::Profile<'static> = ::acp_agent::Profile::new(
            ::core::env!("CARGO_PKG_NAME"),
            ::core::env!("CARGO_PKG_VERSION"),
        )
        .operations(
            &[::acp_agent::Operation::Prompt, ::acp_agent::Operation::NewSession],
        );
    fn call(incoming: ::acp_agent::Incoming<'_, Self>) -> ::acp_agent::Called {
        match incoming.method() {
            "session/prompt" => {
                incoming
                    .run::<
                        ::acp_agent::op::Prompt,
                        _,
                        _,
                    >(|agent, mut call| async move {
                        let argument_0 = <Turn as ::acp_agent::FromCall<
                            ::acp_agent::op::Prompt,
                            Self,
                        >>::from_call(&mut call)?;
                        ::core::result::Result::Ok({
                            let value = Self::prompt(&agent, argument_0).await?;
                            <StopReason as ::acp_agent::IntoReply<
                                ::acp_agent::op::Prompt,
                                <Self as ::acp_agent::Agent>::Session,
                            >>::into_reply(value)
                        })
                    })
            }
            "session/new" => {
                incoming
                    .run::<
                        ::acp_agent::op::NewSession,
                        _,
                        _,
                    >(|_agent, _call| async move {
                        ::core::result::Result::Ok(::acp_agent::Opened::new(()))
                    })
            }
            _ => incoming.refuse(),
        }
    }
}
