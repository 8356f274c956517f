//! An agent whose store never finishes a write.

use std::ffi::OsString;

use acp_agent::store::{Journal, Pending, Record, Records, SessionLog, SessionStore};
use acp_agent::types::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};
use acp_agent::{Agent, Result, Router, StopReason, op};

struct Wedged(Journal);

struct WedgedLog(Box<dyn SessionLog>);

pub(crate) fn agent(folder: OsString) -> impl Agent {
    Router::new("wedged", "1", ()).on::<op::Prompt, _>(prompt).store(Wedged(Journal::at(folder)))
}

async fn prompt(_: &()) -> Result<StopReason> {
    Ok(StopReason::EndTurn)
}

impl SessionStore for Wedged {
    fn create(&self, session: SessionInfo) -> Pending<'_, Box<dyn SessionLog>> {
        Box::pin(async move {
            let log = self.0.create(session).await?;
            Ok(Box::new(WedgedLog(log)) as Box<dyn SessionLog>)
        })
    }

    fn open<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn SessionLog>> {
        self.0.open(session)
    }

    fn read<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn Records>> {
        self.0.read(session)
    }

    fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse> {
        self.0.list(request)
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        self.0.delete(session)
    }
}

impl SessionLog for WedgedLog {
    fn info(&self) -> &SessionInfo {
        self.0.info()
    }

    fn append(&mut self, records: Vec<Record>) -> Pending<'_, ()> {
        self.0.append(records)
    }

    fn set_title(&mut self, title: Option<String>) -> Pending<'_, ()> {
        self.0.set_title(title)
    }

    fn commit(&mut self) -> Pending<'_, ()> {
        Box::pin(async {
            eprintln!("closing");
            std::future::pending().await
        })
    }
}
