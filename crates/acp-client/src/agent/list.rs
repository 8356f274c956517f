//! The list of an agent's sessions, page by page.

use std::fmt;
use std::future::poll_fn;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use acp_rpc::CallError;
use acp_types::v1::ext::PathError;
use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionInfo};
use futures_core::Stream;

use crate::agent::session::place::absolute;
use crate::{Agent, Error};

/// A stream of the sessions that an agent knows (`session/list`). At the end of a page it asks for
/// the next one. After an error it ends.
///
/// ```no_run
/// # async fn list(agent: acp_client::Agent) -> Result<(), acp_client::Error> {
/// let mut sessions = agent.list_sessions().cwd("/home/me/project");
/// while let Some(session) = sessions.next().await {
///     let session = session?;
///     println!("{} {}", session.session_id, session.title.unwrap_or_default());
/// }
/// # Ok(()) }
/// ```
#[must_use = "a stream does nothing until it is read"]
pub struct SessionList {
    agent: Agent,
    filter: Result<ListSessionsRequest, PathError>,
    page: std::vec::IntoIter<SessionInfo>,
    next: Next,
}

enum Next {
    /// A page to ask for, with this cursor.
    Page(Option<String>),
    /// A page that has been asked for.
    Asked(Option<String>, PageRequest),
    End,
}

type PageRequest = Pin<Box<dyn Future<Output = Result<ListSessionsResponse, Error>> + Send>>;

impl Agent {
    /// Lists the sessions that the agent knows (`session/list`). Without `sessionCapabilities.list`
    /// the first item is [`Error::NotOffered`].
    pub fn list_sessions(&self) -> SessionList {
        SessionList {
            agent: self.clone(),
            filter: Ok(ListSessionsRequest::new()),
            page: Vec::new().into_iter(),
            next: Next::Page(None),
        }
    }
}

impl SessionList {
    /// Selects the sessions that work in this folder, an absolute path.
    pub fn cwd(mut self, cwd: impl AsRef<Path>) -> Self {
        self.filter = self.filter.and_then(|filter| Ok(filter.cwd(absolute(cwd.as_ref())?)));
        self
    }

    /// Selects archived sessions as well, or archived sessions only. Needs
    /// `sessionCapabilities.archive`.
    #[cfg(feature = "unstable")]
    pub fn archived(mut self, filter: impl Into<acp_types::v1::SessionArchiveFilter>) -> Self {
        self.filter = self.filter.map(|request| request.archived(filter));
        self
    }

    /// Returns the next session, or `None` after the last one. Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`Error::NotOffered`]; [`Error::Argument`] for a path that is not absolute; the agent
    /// refused.
    pub async fn next(&mut self) -> Option<Result<SessionInfo, Error>> {
        poll_fn(|cx| self.poll_session(cx)).await
    }

    fn poll_session(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<SessionInfo, Error>>> {
        loop {
            if let Some(session) = self.page.next() {
                return Poll::Ready(Some(Ok(session)));
            }
            match &mut self.next {
                Next::End => return Poll::Ready(None),
                Next::Page(cursor) => {
                    let cursor = cursor.take();
                    self.next = Next::Asked(cursor.clone(), self.ask(cursor));
                }
                Next::Asked(cursor, page) => {
                    let page = ready!(page.as_mut().poll(cx));
                    let page = page.and_then(|page| follows(&self.agent, cursor.as_deref(), page));
                    let page = match page {
                        Ok(page) => page,
                        Err(error) => {
                            self.next = Next::End;
                            return Poll::Ready(Some(Err(error)));
                        }
                    };
                    self.next = page.next_cursor.map_or(Next::End, |cursor| Next::Page(Some(cursor)));
                    self.page = page.sessions.into_iter();
                }
            }
        }
    }

    fn ask(&self, cursor: Option<String>) -> PageRequest {
        let (agent, filter) = (self.agent.clone(), self.filter.clone());
        Box::pin(async move {
            let method = agent.method::<ListSessionsRequest>();
            let offered = &agent.capabilities().session_capabilities;
            agent.check_offered(offered.list.is_some(), method, "sessionCapabilities.list")?;
            let mut request = filter.map_err(|error| Error::argument(method, "cwd", &error))?;
            #[cfg(feature = "unstable")]
            agent.check_offered(
                request.archived.is_none() || offered.archive.is_some(),
                method,
                "sessionCapabilities.archive",
            )?;
            request.cursor = cursor;
            agent.ask(None, &request).await
        })
    }
}

/// Returns the page, unless its cursor leads back to itself.
fn follows(
    agent: &Agent,
    asked: Option<&str>,
    page: ListSessionsResponse,
) -> Result<ListSessionsResponse, Error> {
    if asked.is_some() && page.next_cursor.as_deref() == asked {
        let problem = "its `nextCursor` is the one that it answers";
        let error =
            CallError::Malformed { method: agent.method::<ListSessionsRequest>().to_owned(), problem };
        return Err(Error::Call { session: None, error });
    }
    Ok(page)
}

impl Stream for SessionList {
    type Item = Result<SessionInfo, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_session(cx)
    }
}

impl fmt::Debug for SessionList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionList").field("filter", &self.filter).finish_non_exhaustive()
    }
}
