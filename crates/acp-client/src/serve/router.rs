//! Clients without the macro.

use std::sync::Arc;

use crate::{Client, Context, Handlers};

/// A client made of functions. It does the same as [`#[client]`](macro@crate::client) without the
/// macro.
///
/// `S` is the client's state, and every handler gets it by reference. Handlers take the same
/// arguments and return the same results as in a `#[client]` block.
///
/// ```
/// use acp_client::types::{ReadTextFileRequest, SessionId};
/// use acp_client::{Event, Result, Router, op};
///
/// struct Editor;
///
/// impl Editor {
///     async fn read(&self, file: ReadTextFileRequest) -> Result<String> {
///         Ok(format!("unsaved text of {}", file.path))
///     }
///
///     async fn show(&self, session: SessionId, event: Event) {
///         // …
///     }
/// }
///
/// let editor = Router::new(Editor)
///     .on::<op::ReadTextFile, _>(Editor::read)
///     .on_notification::<op::Update, _>(Editor::show);
/// # let _ = |transport: acp_client::Transport| acp_client::connect(transport).client(editor);
/// ```
pub type Router<S> = acp_handlers::Router<S, Context>;

impl<S: Send + Sync + 'static> Client for Router<S> {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        Router::register(&self, handlers);
    }
}
