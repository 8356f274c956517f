use std::sync::Arc;
use acp_agent::method::{Method, Request, Side};
use acp_agent::types::{AuthMethod, PlanEntry, SetSessionModeRequest, UsageUpdate};
use acp_agent::{Cancel, Error, NewSession, Opened, Session, StopReason, Turn};
#[derive(Debug)]
pub(crate) struct Editor<M>(pub(crate) Arc<M>);
#[derive(Debug)]
pub(crate) enum Count {}
impl Method for Count {
    const NAME: &'static str = "_acme.dev/count";
    const HANDLER: Side = Side::Agent;
    type Params = PlanEntry;
}
impl Request for Count {
    type Response = UsageUpdate;
}
impl<M> Editor<M>
where
    M: AsRef<str> + Send + Sync + 'static,
{
    /// Is documented already.
    ///
    /// Handles `session/prompt`. Runs a turn: from the user's message to the reason why the agent stopped.
    async fn prompt(
        self: Arc<Self>,
        turn: Turn,
        notes: Session<String>,
    ) -> Result<StopReason, Error> {
        turn.say(notes.as_str()).await?;
        Ok(StopReason::EndTurn)
    }
    /// Called during `initialize`. Lists the ways to log in.
    async fn auth_methods(&self) -> acp_agent::Result<Vec<AuthMethod>> {
        Ok(Vec::new())
    }
    /// Handles `session/new`. Opens a session.
    async fn new_session(&self, _open: NewSession) -> std::io::Result<Opened<String>> {
        Ok(Opened::new("notes".to_owned()))
    }
    /// Handles `session/set_mode`. Changes the mode of a session.
    async fn change_mode(
        &self,
        _request: SetSessionModeRequest,
        cancel: Cancel,
    ) -> acp_agent::Result<()> {
        cancel.cancelled().await;
        Ok(())
    }
    async fn count(&self, entry: PlanEntry) -> acp_agent::Result<UsageUpdate> {
        Ok(UsageUpdate::new(entry.content.len() as u64, 100_u64))
    }
    async fn undo(&self, steps: u32) -> acp_agent::Result<u32> {
        Ok(steps)
    }
    async fn seen(&self) {}
}
impl<M> ::acp_agent::Agent for Editor<M>
where
    M: AsRef<str> + Send + Sync + 'static,
{
    type Session = String;
    const PROFILE: ::acp_agent::Profile<'static> = ::acp_agent::Profile::new(
            "editor",
            "2",
        )
        .title("Editor")
        .operations(
            &[
                ::acp_agent::Operation::Prompt,
                ::acp_agent::Operation::NewSession,
                ::acp_agent::Operation::SetMode,
            ],
        )
        .auth_methods(true)
        .login_required(true)
        .extensions(
            &[
                ::acp_agent::Extension::request(
                    <::acp_agent::op::Request<Count> as ::acp_agent::Op>::METHOD,
                ),
                ::acp_agent::Extension::request("_acme.dev/undo"),
                ::acp_agent::Extension::notification("_acme.dev/seen"),
            ],
        )
        .prompt(::acp_agent::PromptContent {
            image: true,
            audio: false,
            embedded_context: false,
        })
        .queue_prompts(true)
        .mcp(::acp_agent::McpTransports {
            http: true,
            sse: false,
        })
        .additional_directories(true);
    fn capability_meta(&self) -> ::acp_agent::Meta {
        ::acp_agent::Meta::new()
            .with("acme.dev/undo", true)
            .with("acme.dev/steps", self.0.as_ref().as_ref().len() as u64)
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
                        let argument_1 = <Session<
                            String,
                        > as ::acp_agent::FromCall<
                            ::acp_agent::op::Prompt,
                            Self,
                        >>::from_call(&mut call)?;
                        ::core::result::Result::Ok({
                            let value = match Self::prompt(agent, argument_0, argument_1)
                                .await
                            {
                                ::core::result::Result::Ok(value) => value,
                                ::core::result::Result::Err(error) => {
                                    let error = <Error as ::core::convert::Into<
                                        ::acp_agent::Error,
                                    >>::into(error);
                                    return ::core::result::Result::Err(error);
                                }
                            };
                            <StopReason as ::acp_agent::IntoReply<
                                ::acp_agent::op::Prompt,
                                <Self as ::acp_agent::Agent>::Session,
                            >>::into_reply(value)
                        })
                    })
            }
            "initialize" => {
                incoming
                    .run::<
                        ::acp_agent::op::Initialize,
                        _,
                        _,
                    >(|agent, _call| async move {
                        ::core::result::Result::Ok({
                            let value = Self::auth_methods(&agent).await?;
                            <Vec<
                                AuthMethod,
                            > as ::acp_agent::IntoReply<
                                ::acp_agent::op::Initialize,
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
                    >(|agent, mut call| async move {
                        let argument_0 = <NewSession as ::acp_agent::FromCall<
                            ::acp_agent::op::NewSession,
                            Self,
                        >>::from_call(&mut call)?;
                        ::core::result::Result::Ok({
                            let value = Self::new_session(&agent, argument_0).await?;
                            <Opened<
                                String,
                            > as ::acp_agent::IntoReply<
                                ::acp_agent::op::NewSession,
                                <Self as ::acp_agent::Agent>::Session,
                            >>::into_reply(value)
                        })
                    })
            }
            "session/set_mode" => {
                incoming
                    .run::<
                        ::acp_agent::op::SetMode,
                        _,
                        _,
                    >(|agent, mut call| async move {
                        let argument_0 = <SetSessionModeRequest as ::acp_agent::FromCall<
                            ::acp_agent::op::SetMode,
                            Self,
                        >>::from_call(&mut call)?;
                        let argument_1 = <Cancel as ::acp_agent::FromCall<
                            ::acp_agent::op::SetMode,
                            Self,
                        >>::from_call(&mut call)?;
                        ::core::result::Result::Ok({
                            let value = Self::change_mode(&agent, argument_0, argument_1)
                                .await?;
                            <() as ::acp_agent::IntoReply<
                                ::acp_agent::op::SetMode,
                                <Self as ::acp_agent::Agent>::Session,
                            >>::into_reply(value)
                        })
                    })
            }
            <::acp_agent::op::Request<Count> as ::acp_agent::Op>::METHOD => {
                incoming
                    .run::<
                        ::acp_agent::op::Request<Count>,
                        _,
                        _,
                    >(|agent, mut call| async move {
                        let argument_0 = <PlanEntry as ::acp_agent::FromCall<
                            ::acp_agent::op::Request<Count>,
                            Self,
                        >>::from_call(&mut call)?;
                        ::core::result::Result::Ok({
                            let value = Self::count(&agent, argument_0).await?;
                            <UsageUpdate as ::acp_agent::IntoReply<
                                ::acp_agent::op::Request<Count>,
                                <Self as ::acp_agent::Agent>::Session,
                            >>::into_reply(value)
                        })
                    })
            }
            "_acme.dev/undo" => {
                incoming
                    .run::<
                        ::acp_agent::op::Extension,
                        _,
                        _,
                    >(|agent, mut call| async move {
                        let argument_0 = <u32 as ::acp_agent::FromCall<
                            ::acp_agent::op::Extension,
                            Self,
                        >>::from_call(&mut call)?;
                        ::core::result::Result::Ok({
                            let value = Self::undo(&agent, argument_0).await?;
                            <u32 as ::acp_agent::IntoReply<
                                ::acp_agent::op::Extension,
                                <Self as ::acp_agent::Agent>::Session,
                            >>::into_reply(value)
                        })
                    })
            }
            _ => incoming.refuse(),
        }
    }
    fn notify(
        incoming: ::acp_agent::IncomingNotification<'_, Self>,
    ) -> ::acp_agent::Delivery {
        match incoming.method() {
            "_acme.dev/seen" => {
                incoming
                    .run::<
                        ::acp_agent::op::Extension,
                        _,
                        _,
                    >(|agent, _call| async move {
                        Self::seen(&agent).await;
                        ::core::result::Result::Ok(())
                    })
            }
            _ => incoming.ignore(),
        }
    }
}
