use acp_agent::store::Journal;
use acp_agent::types::methods;
use acp_agent::types::{
    ForkSessionRequest, MessageMcpNotification, SetSessionTitleRequest,
};
use acp_agent::{Opened, Result, StopReason, Turn};
#[derive(Debug)]
pub(crate) struct Keeper(pub(crate) Journal);
impl Keeper {
    /// Handles `session/prompt`. Runs a turn: from the user's message to the reason why the agent stopped.
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(turn.text()).await?;
        Ok(StopReason::EndTurn)
    }
    /// Handles `session/fork`. Opens a session that begins with what another one knows.
    async fn fork_session(&self, _fork: ForkSessionRequest) -> Result<Opened<()>> {
        Ok(Opened::new(()))
    }
    /// Handles `session/set_title`. Gives a session a title of the user's, and says which it has now.
    async fn name(&self, request: SetSessionTitleRequest) -> Result<String> {
        Ok(request.title)
    }
    /// Handles `mcp/message`. Takes a notification of an MCP server that is reached through the client.
    async fn mcp_message(&self, _message: MessageMcpNotification) {}
}
impl ::acp_agent::Agent for Keeper {
    type Session = ();
    const PROFILE: ::acp_agent::Profile<'static> = ::acp_agent::Profile::new(
            ::core::env!("CARGO_PKG_NAME"),
            ::core::env!("CARGO_PKG_VERSION"),
        )
        .operations(
            &[
                ::acp_agent::Operation::Prompt,
                ::acp_agent::Operation::ForkSession,
                ::acp_agent::Operation::SetTitle,
                ::acp_agent::Operation::McpMessage,
                ::acp_agent::Operation::NewSession,
            ],
        );
    fn store(
        &self,
    ) -> ::core::option::Option<::std::sync::Arc<dyn ::acp_agent::store::SessionStore>> {
        ::core::option::Option::Some(::std::sync::Arc::new(self.0.clone()))
    }
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
            "session/fork" => {
                incoming
                    .run::<
                        ::acp_agent::op::ForkSession,
                        _,
                        _,
                    >(|agent, mut call| async move {
                        let argument_0 = <ForkSessionRequest as ::acp_agent::FromCall<
                            ::acp_agent::op::ForkSession,
                            Self,
                        >>::from_call(&mut call)?;
                        ::core::result::Result::Ok({
                            let value = Self::fork_session(&agent, argument_0).await?;
                            <Opened<
                                (),
                            > as ::acp_agent::IntoReply<
                                ::acp_agent::op::ForkSession,
                                <Self as ::acp_agent::Agent>::Session,
                            >>::into_reply(value)
                        })
                    })
            }
            <methods::SessionSetTitle as ::acp_agent::method::Method>::NAME => {
                incoming
                    .run::<
                        ::acp_agent::op::SetTitle,
                        _,
                        _,
                    >(|agent, mut call| async move {
                        let argument_0 = <SetSessionTitleRequest as ::acp_agent::FromCall<
                            ::acp_agent::op::SetTitle,
                            Self,
                        >>::from_call(&mut call)?;
                        ::core::result::Result::Ok({
                            let value = Self::name(&agent, argument_0).await?;
                            <String as ::acp_agent::IntoReply<
                                ::acp_agent::op::SetTitle,
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
    fn notify(
        incoming: ::acp_agent::IncomingNotification<'_, Self>,
    ) -> ::acp_agent::Delivery {
        match incoming.method() {
            "mcp/message" => {
                incoming
                    .run::<
                        ::acp_agent::op::McpMessage,
                        _,
                        _,
                    >(|agent, mut call| async move {
                        let argument_0 = <MessageMcpNotification as ::acp_agent::FromCall<
                            ::acp_agent::op::McpMessage,
                            Self,
                        >>::from_call(&mut call)?;
                        Self::mcp_message(&agent, argument_0).await;
                        ::core::result::Result::Ok(())
                    })
            }
            _ => incoming.ignore(),
        }
    }
}
#[derive(Debug)]
pub(crate) struct Quiet;
impl Quiet {
    /// Handles `session/prompt`. Runs a turn: from the user's message to the reason why the agent stopped.
    async fn prompt(&self) -> Result<StopReason> {
        Ok(StopReason::Refusal)
    }
}
impl ::acp_agent::Agent for Quiet {
    type Session = ();
    const PROFILE: ::acp_agent::Profile<'static> = ::acp_agent::Profile::new(
            "quiet",
            ::core::env!("CARGO_PKG_VERSION"),
        )
        .operations(
            &[::acp_agent::Operation::Prompt, ::acp_agent::Operation::NewSession],
        );
    fn store(
        &self,
    ) -> ::core::option::Option<::std::sync::Arc<dyn ::acp_agent::store::SessionStore>> {
        ::core::option::Option::Some(
            ::std::sync::Arc::new(::acp_agent::store::Journal::of_agent("quiet")),
        )
    }
    fn call(incoming: ::acp_agent::Incoming<'_, Self>) -> ::acp_agent::Called {
        match incoming.method() {
            "session/prompt" => {
                incoming
                    .run::<
                        ::acp_agent::op::Prompt,
                        _,
                        _,
                    >(|agent, _call| async move {
                        ::core::result::Result::Ok({
                            let value = Self::prompt(&agent).await?;
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
