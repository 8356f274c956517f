use acp_agent::store::Journal;
use acp_agent::types::methods;
use acp_agent::types::{
    ForkSessionRequest, MessageMcpNotification, SetSessionTitleRequest,
};
use acp_agent::{Opened, Result, StopReason, Turn};
#[derive(Debug)]
pub(crate) struct Stored(pub(crate) Journal);
impl Stored {
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
impl ::acp_agent::Agent for Stored {
    type Session = ();
    fn profile(&self) -> ::acp_agent::Profile {
        ::acp_agent::Profile::new(
            ::core::env!("CARGO_PKG_NAME"),
            ::core::env!("CARGO_PKG_VERSION"),
        )
    }
    fn store(
        &self,
    ) -> ::core::option::Option<::std::sync::Arc<dyn ::acp_agent::store::SessionStore>> {
        ::core::option::Option::Some(::std::sync::Arc::new(self.0.clone()))
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
                ::acp_agent::op::ForkSession,
                _,
                _,
            >(
                &self,
                |agent, mut call| async move {
                    let argument_0 = <ForkSessionRequest as ::acp_agent::FromCall<
                        ::acp_agent::op::ForkSession,
                        ::acp_agent::Scope<<Self as ::acp_agent::Agent>::Session>,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::fork_session(&agent, argument_0).await {
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
                            ::acp_agent::op::ForkSession,
                            Opened<()>,
                        >>::answer(value)
                    })
                },
            );
        let _ = <methods::SessionSetTitle as ::acp_agent::method::Method>::NAME;
        handlers
            .serve::<
                ::acp_agent::op::SetTitle,
                _,
                _,
            >(
                &self,
                |agent, mut call| async move {
                    let argument_0 = <SetSessionTitleRequest as ::acp_agent::FromCall<
                        ::acp_agent::op::SetTitle,
                        ::acp_agent::Scope<<Self as ::acp_agent::Agent>::Session>,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::name(&agent, argument_0).await {
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
                            ::acp_agent::op::SetTitle,
                            String,
                        >>::answer(value)
                    })
                },
            );
        handlers
            .listen::<
                ::acp_agent::op::McpMessage,
                _,
                _,
            >(
                &self,
                |agent, mut call| async move {
                    let argument_0 = <MessageMcpNotification as ::acp_agent::FromCall<
                        ::acp_agent::op::McpMessage,
                        ::acp_agent::Scope<<Self as ::acp_agent::Agent>::Session>,
                    >>::from_call(&mut call)
                        .await?;
                    Self::mcp_message(&agent, argument_0).await;
                    ::core::result::Result::Ok(())
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
    fn profile(&self) -> ::acp_agent::Profile {
        ::acp_agent::Profile::new("quiet", ::core::env!("CARGO_PKG_VERSION"))
    }
    fn store(
        &self,
    ) -> ::core::option::Option<::std::sync::Arc<dyn ::acp_agent::store::SessionStore>> {
        ::core::option::Option::Some(
            ::std::sync::Arc::new(::acp_agent::store::Journal::of_agent("quiet")),
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
                |agent, _call| async move {
                    ::core::result::Result::Ok({
                        let value = match Self::prompt(&agent).await {
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
