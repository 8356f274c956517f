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
    /// Runs the command `/edit`: Appends to the notes
    async fn edit(&self, turn: Turn, input: &str) -> acp_agent::Result<StopReason> {
        turn.say(input).await?;
        Ok(StopReason::EndTurn)
    }
    async fn undo(&self, steps: u32) -> acp_agent::Result<u32> {
        Ok(steps)
    }
    async fn seen(&self) {}
}
impl<M> ::acp_agent::Agent for Editor<M>
where
    M: AsRef<str> + Send + Sync + 'static,
    M: ::core::marker::Send + ::core::marker::Sync + 'static,
{
    type Session = String;
    fn profile(&self) -> ::acp_agent::Profile {
        let mut profile = ::acp_agent::Profile::new("editor", "2");
        profile.title = ::core::option::Option::Some("Editor");
        profile.login_required = true;
        profile.prompt = ::acp_agent::PromptContent {
            image: true,
            audio: false,
            embedded_context: false,
        };
        profile.queue_prompts = true;
        profile.mcp = ::acp_agent::McpTransports {
            http: true,
            sse: false,
        };
        profile.additional_directories = true;
        profile
    }
    fn capability_meta(&self) -> ::acp_agent::Meta {
        ::acp_agent::Meta::new()
            .with("acme.dev/undo", true)
            .with("acme.dev/steps", self.0.as_ref().as_ref().len() as u64)
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
                    let argument_1 = <Session<
                        String,
                    > as ::acp_agent::FromCall<
                        ::acp_agent::op::Prompt,
                        ::acp_agent::Scope<<Self as ::acp_agent::Agent>::Session>,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::prompt(agent, argument_0, argument_1)
                            .await
                        {
                            ::core::result::Result::Ok(value) => value,
                            ::core::result::Result::Err(error) => {
                                let error = <Error as ::acp_agent::IntoError<
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
                ::acp_agent::op::Initialize,
                _,
                _,
            >(
                &self,
                |agent, _call| async move {
                    ::core::result::Result::Ok({
                        let value = match Self::auth_methods(&agent).await {
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
                            ::acp_agent::op::Initialize,
                            Vec<AuthMethod>,
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
                |agent, mut call| async move {
                    let argument_0 = <NewSession as ::acp_agent::FromCall<
                        ::acp_agent::op::NewSession,
                        ::acp_agent::Scope<<Self as ::acp_agent::Agent>::Session>,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::new_session(&agent, argument_0).await {
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
                            ::acp_agent::op::NewSession,
                            Opened<String>,
                        >>::answer(value)
                    })
                },
            );
        handlers
            .serve::<
                ::acp_agent::op::SetMode,
                _,
                _,
            >(
                &self,
                |agent, mut call| async move {
                    let argument_0 = <SetSessionModeRequest as ::acp_agent::FromCall<
                        ::acp_agent::op::SetMode,
                        ::acp_agent::Scope<<Self as ::acp_agent::Agent>::Session>,
                    >>::from_call(&mut call)
                        .await?;
                    let argument_1 = <Cancel as ::acp_agent::FromCall<
                        ::acp_agent::op::SetMode,
                        ::acp_agent::Scope<<Self as ::acp_agent::Agent>::Session>,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::change_mode(
                                &agent,
                                argument_0,
                                argument_1,
                            )
                            .await
                        {
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
                            ::acp_agent::op::SetMode,
                            (),
                        >>::answer(value)
                    })
                },
            );
        handlers
            .serve::<
                ::acp_agent::op::Request<Count>,
                _,
                _,
            >(
                &self,
                |agent, mut call| async move {
                    let argument_0 = <PlanEntry as ::acp_agent::FromCall<
                        ::acp_agent::op::Request<Count>,
                        ::acp_agent::Scope<<Self as ::acp_agent::Agent>::Session>,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::count(&agent, argument_0).await {
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
                            ::acp_agent::op::Request<Count>,
                            UsageUpdate,
                        >>::answer(value)
                    })
                },
            );
        handlers
            .serve_keyed::<
                ::acp_agent::op::Command,
                _,
                _,
            >(
                ::acp_agent::types::AvailableCommand::new("edit", "Appends to the notes")
                    .hint("TEXT"),
                &self,
                |agent, mut call| async move {
                    let argument_0 = <Turn as ::acp_agent::FromCall<
                        ::acp_agent::op::Command,
                        ::acp_agent::Scope<<Self as ::acp_agent::Agent>::Session>,
                    >>::from_call(&mut call)
                        .await?;
                    let argument_1 = <::std::string::String as ::acp_agent::FromCall<
                        ::acp_agent::op::Command,
                        ::acp_agent::Scope<<Self as ::acp_agent::Agent>::Session>,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::edit(&agent, argument_0, &argument_1)
                            .await
                        {
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
                            ::acp_agent::op::Command,
                            StopReason,
                        >>::answer(value)
                    })
                },
            );
        handlers
            .serve_ext(
                "_acme.dev/undo",
                &self,
                |agent, mut call| async move {
                    let argument_0 = <u32 as ::acp_agent::FromCall<
                        ::acp_agent::op::Extension,
                        ::acp_agent::Scope<<Self as ::acp_agent::Agent>::Session>,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::undo(&agent, argument_0).await {
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
                            ::acp_agent::op::Extension,
                            u32,
                        >>::answer(value)
                    })
                },
            );
        handlers
            .listen_ext(
                "_acme.dev/seen",
                &self,
                |agent, _call| async move {
                    Self::seen(&agent).await;
                    ::core::result::Result::Ok(())
                },
            );
    }
}
const _: () = {
    #[allow(dead_code)]
    trait Bounds {
        fn check();
    }
    impl<M> Bounds for Editor<M>
    where
        M: AsRef<str> + Send + Sync + 'static,
    {
        fn check() {
            ::acp_agent::assert_shared::<M>();
        }
    }
};
