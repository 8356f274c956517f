use std::sync::Arc;
use acp_client::method::{Method, Request, Side};
use acp_client::v1::methods::FsWriteTextFile;
use acp_client::v1::{
    PlanEntry, ReadTextFileRequest, RequestPermissionRequest, SessionId, UsageUpdate,
    WriteTextFileRequest,
};
use acp_client::{Agent, Cancel, Error, Event, PermissionAnswer, RequestMeta};
#[derive(Debug)]
pub(crate) struct Editor<B>(pub(crate) Arc<B>);
#[derive(Debug)]
pub(crate) enum Count {}
impl Method for Count {
    const NAME: &'static str = "_acme.dev/count";
    const HANDLER: Side = Side::Client;
    type Params = PlanEntry;
}
impl Request for Count {
    type Response = UsageUpdate;
}
impl<B> Editor<B>
where
    B: AsRef<str> + Send + Sync + 'static,
{
    /// Is documented already.
    ///
    /// Handles `session/update`. Sees every update of every session: one at a time for each session, in the order of the wire.
    async fn update(&self, session: SessionId, event: Event) {
        let _ = (session, event);
    }
    /// Handles `session/request_permission`. Asks the user whether a tool may run.
    async fn request_permission(
        self: Arc<Self>,
        _request: RequestPermissionRequest,
    ) -> Result<PermissionAnswer, Error> {
        Ok(PermissionAnswer::RejectOnce)
    }
    /// Handles `fs/read_text_file`. Reads a text file as the user sees it, with what is not saved yet.
    async fn read_text_file(
        &self,
        _file: ReadTextFileRequest,
        _meta: RequestMeta,
    ) -> std::io::Result<String> {
        Ok(self.0.as_ref().as_ref().to_owned())
    }
    /// Handles `fs/write_text_file`. Writes a text file, and makes it if it is not there.
    async fn save(
        &self,
        _file: WriteTextFileRequest,
        cancel: Cancel,
    ) -> acp_client::Result<()> {
        cancel.cancelled().await;
        Ok(())
    }
    async fn count(&self, entry: PlanEntry) -> acp_client::Result<UsageUpdate> {
        Ok(UsageUpdate::new(entry.content.len() as u64, 100_u64))
    }
    async fn undo(&self, steps: u32, _agent: Agent) -> acp_client::Result<u32> {
        Ok(steps)
    }
    async fn seen(&self) {}
}
impl<B> ::acp_client::Client for Editor<B>
where
    B: AsRef<str> + Send + Sync + 'static,
    B: ::core::marker::Send + ::core::marker::Sync + 'static,
{
    fn register(self: ::std::sync::Arc<Self>, handlers: &mut ::acp_client::Handlers)
    where
        for<'a> Self: ::core::marker::Send + ::core::marker::Sync + 'static,
    {
        handlers
            .listen::<
                ::acp_client::op::Update,
                _,
                _,
            >(
                &self,
                |client, mut call| async move {
                    let argument_0 = <SessionId as ::acp_client::FromCall<
                        ::acp_client::op::Update,
                        ::acp_client::Context,
                    >>::from_call(&mut call)
                        .await?;
                    let argument_1 = <Event as ::acp_client::FromCall<
                        ::acp_client::op::Update,
                        ::acp_client::Context,
                    >>::from_call(&mut call)
                        .await?;
                    Self::update(&client, argument_0, argument_1).await;
                    ::core::result::Result::Ok(())
                },
            );
        handlers
            .serve::<
                ::acp_client::op::RequestPermission,
                _,
                _,
            >(
                &self,
                |client, mut call| async move {
                    let argument_0 = <RequestPermissionRequest as ::acp_client::FromCall<
                        ::acp_client::op::RequestPermission,
                        ::acp_client::Context,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::request_permission(client, argument_0)
                            .await
                        {
                            ::core::result::Result::Ok(value) => value,
                            ::core::result::Result::Err(error) => {
                                let error = <Error as ::acp_client::IntoError<
                                    ::acp_client::Error,
                                >>::into_error(error);
                                return ::core::result::Result::Err(error);
                            }
                        };
                        <::acp_client::Context as ::acp_client::Returns<
                            ::acp_client::op::RequestPermission,
                            PermissionAnswer,
                        >>::answer(value)
                    })
                },
            );
        handlers
            .serve::<
                ::acp_client::op::ReadTextFile,
                _,
                _,
            >(
                &self,
                |client, mut call| async move {
                    let argument_0 = <ReadTextFileRequest as ::acp_client::FromCall<
                        ::acp_client::op::ReadTextFile,
                        ::acp_client::Context,
                    >>::from_call(&mut call)
                        .await?;
                    let argument_1 = <RequestMeta as ::acp_client::FromCall<
                        ::acp_client::op::ReadTextFile,
                        ::acp_client::Context,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::read_text_file(
                                &client,
                                argument_0,
                                argument_1,
                            )
                            .await
                        {
                            ::core::result::Result::Ok(value) => value,
                            ::core::result::Result::Err(error) => {
                                let error = <_ as ::acp_client::IntoError<
                                    ::acp_client::Error,
                                >>::into_error(error);
                                return ::core::result::Result::Err(error);
                            }
                        };
                        <::acp_client::Context as ::acp_client::Returns<
                            ::acp_client::op::ReadTextFile,
                            String,
                        >>::answer(value)
                    })
                },
            );
        let _ = <FsWriteTextFile as ::acp_client::method::Method>::NAME;
        handlers
            .serve::<
                ::acp_client::op::WriteTextFile,
                _,
                _,
            >(
                &self,
                |client, mut call| async move {
                    let argument_0 = <WriteTextFileRequest as ::acp_client::FromCall<
                        ::acp_client::op::WriteTextFile,
                        ::acp_client::Context,
                    >>::from_call(&mut call)
                        .await?;
                    let argument_1 = <Cancel as ::acp_client::FromCall<
                        ::acp_client::op::WriteTextFile,
                        ::acp_client::Context,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::save(&client, argument_0, argument_1)
                            .await
                        {
                            ::core::result::Result::Ok(value) => value,
                            ::core::result::Result::Err(error) => {
                                let error = <_ as ::acp_client::IntoError<
                                    ::acp_client::Error,
                                >>::into_error(error);
                                return ::core::result::Result::Err(error);
                            }
                        };
                        <::acp_client::Context as ::acp_client::Returns<
                            ::acp_client::op::WriteTextFile,
                            (),
                        >>::answer(value)
                    })
                },
            );
        handlers
            .serve::<
                ::acp_client::op::Request<Count>,
                _,
                _,
            >(
                &self,
                |client, mut call| async move {
                    let argument_0 = <PlanEntry as ::acp_client::FromCall<
                        ::acp_client::op::Request<Count>,
                        ::acp_client::Context,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::count(&client, argument_0).await {
                            ::core::result::Result::Ok(value) => value,
                            ::core::result::Result::Err(error) => {
                                let error = <_ as ::acp_client::IntoError<
                                    ::acp_client::Error,
                                >>::into_error(error);
                                return ::core::result::Result::Err(error);
                            }
                        };
                        <::acp_client::Context as ::acp_client::Returns<
                            ::acp_client::op::Request<Count>,
                            UsageUpdate,
                        >>::answer(value)
                    })
                },
            );
        handlers
            .serve_ext(
                "_acme.dev/undo",
                &self,
                |client, mut call| async move {
                    let argument_0 = <u32 as ::acp_client::FromCall<
                        ::acp_client::op::Extension,
                        ::acp_client::Context,
                    >>::from_call(&mut call)
                        .await?;
                    let argument_1 = <Agent as ::acp_client::FromCall<
                        ::acp_client::op::Extension,
                        ::acp_client::Context,
                    >>::from_call(&mut call)
                        .await?;
                    ::core::result::Result::Ok({
                        let value = match Self::undo(&client, argument_0, argument_1)
                            .await
                        {
                            ::core::result::Result::Ok(value) => value,
                            ::core::result::Result::Err(error) => {
                                let error = <_ as ::acp_client::IntoError<
                                    ::acp_client::Error,
                                >>::into_error(error);
                                return ::core::result::Result::Err(error);
                            }
                        };
                        <::acp_client::Context as ::acp_client::Returns<
                            ::acp_client::op::Extension,
                            u32,
                        >>::answer(value)
                    })
                },
            );
        handlers
            .listen_ext(
                "_acme.dev/seen",
                &self,
                |client, _call| async move {
                    Self::seen(&client).await;
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
    impl<B> Bounds for Editor<B>
    where
        B: AsRef<str> + Send + Sync + 'static,
    {
        fn check() {
            ::acp_client::assert_shared::<B>();
        }
    }
};
