//! Handlers by the names of the protocol's operations, with the types of version 1.

use acp_types::v1;

use super::builder::Proxy;
use super::next::{Next, Pass};
use crate::flow::reply::Reply;
use crate::flow::route::Toward;

macro_rules! requests {
    ($($(#[$meta:meta])* $name:ident: $toward:ident, $method:literal, $params:ident;)*) => {
        /// Handlers of requests, with the types of version 1. With the feature `v2` they take part
        /// in version 2 as well: they see the message as version 1 has it, and what they change is
        /// written as version 2 has it. Everything else stays as it came. Without that feature each
        /// of them makes the proxy ask for version 1, as [`only_v1`](Proxy::only_v1) does.
        impl Proxy {$(
            #[doc = concat!("Handles `", $method, "`.")]
            $(#[$meta])*
            #[must_use]
            pub fn $name<F, Fut>(self, handler: F) -> Self
            where
                F: Fn(v1::$params, Next) -> Fut + Send + Sync + 'static,
                Fut: Future<Output: Into<Reply>> + Send + 'static,
            {
                self.__vocabulary_request(Toward::$toward, $method, handler)
            }
        )*}
    };
}

macro_rules! requests_of_both {
    ($($name:ident: $toward:ident, $method:literal, $params:ident;)*) => {
        /// Handlers of requests whose params look alike in both versions. The proxy takes part in
        /// either, as the client and the agent agree. Without the feature `v2` a handler that
        /// answers prompts in place of the rest needs [`only_v1`](Proxy::only_v1), too.
        impl Proxy {$(
            #[doc = concat!("Handles `", $method, "` of both versions.")]
            #[must_use]
            pub fn $name<F, Fut>(self, handler: F) -> Self
            where
                F: Fn(v1::$params, Next) -> Fut + Send + Sync + 'static,
                Fut: Future<Output: Into<Reply>> + Send + 'static,
            {
                self.__vocabulary_request(Toward::$toward, $method, handler)
            }
        )*}
    };
}

macro_rules! notifications {
    ($($name:ident: $toward:ident, $method:literal, $params:ident;)*) => {
        /// Handlers of notifications, with the types of version 1. In version 2 they see the
        /// message as [handlers of requests](#impl-Proxy-1) do. Updates of kinds that version 1
        /// does not have are unknown kinds. Diffs whose patch does not have the whole text of one
        /// file are unknown contents of the type `_changes`.
        impl Proxy {$(
            #[doc = concat!("Handles `", $method, "`.")]
            #[must_use]
            pub fn $name<F, Fut>(self, handler: F) -> Self
            where
                F: Fn(v1::$params, Pass) -> Fut + Send + Sync + 'static,
                Fut: Future<Output = ()> + Send + 'static,
            {
                self.__vocabulary_notification(Toward::$toward, $method, handler)
            }
        )*}
    };
}

requests! {
    authenticate: Agent, "authenticate", AuthenticateRequest;
    new_session: Agent, "session/new", NewSessionRequest;
    load_session: Agent, "session/load", LoadSessionRequest;
    resume_session: Agent, "session/resume", ResumeSessionRequest;
    set_mode: Agent, "session/set_mode", SetSessionModeRequest;
    set_config_option: Agent, "session/set_config_option", SetSessionConfigOptionRequest;
    request_permission: Client, "session/request_permission", RequestPermissionRequest;
    read_text_file: Client, "fs/read_text_file", ReadTextFileRequest;
    write_text_file: Client, "fs/write_text_file", WriteTextFileRequest;
    create_terminal: Client, "terminal/create", CreateTerminalRequest;
}

// `wire::alike` proves it.
requests_of_both! {
    prompt: Agent, "session/prompt", PromptRequest;
    list_sessions: Agent, "session/list", ListSessionsRequest;
    close_session: Agent, "session/close", CloseSessionRequest;
    delete_session: Agent, "session/delete", DeleteSessionRequest;
}

notifications! {
    cancel: Agent, "session/cancel", CancelNotification;
    update: Client, "session/update", SessionNotification;
}
