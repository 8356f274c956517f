//! Stores in memory that each break one promise.

mod log;
mod pages;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, SystemTime};

use acp_agent::store::{Pending, Records, SessionLog, SessionStore, StoreError};
use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};
use tokio::sync::Mutex;

use self::log::{AllRecords, BrokenLog};

macro_rules! flaws {
    ($($case:literal: $($flaw:ident)*;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Flaw { Minimal, $($($flaw,)*)* }

        impl Flaw {
            /// Each flaw with the case that catches it.
            pub(super) const ALL: &[(&str, Flaw)] = &[$($(($case, Flaw::$flaw),)*)*];
        }
    };
}

flaws! {
    "records-come-back": KindLost TextRewritten;
    "order": Reversed;
    "long-records": Cut;
    "read-while-open": UnreadWhileOpen;
    "read-given-up": ReadSkips;
    "nothing-added": PositionCountsCalls;
    "facts": TitleOfOneLine CwdLost DirectoriesGone;
    "title-removed": TitleStays;
    "state": FirstState;
    "sessions-apart": Mixed;
    "unknown": OpensUnknown;
    "exists": CreatesAgain;
    "created-once": CreatesExisting;
    "ids": IdsFolded;
    "odd-ids": OddIdsOpen;
    "deleted": NotDeleted;
    "delete-open": DeletesOpen;
    "read-deleted": ReadTwice;
    "busy": BusyUntilThePast SharedByAll;
    "closed": ClosedLater;
    "dropped": NeverClosed ClosedIfAwaited;
    "held": LostAtOnce;
    "given-up": GivenUpTwice;
    "one-writer": SharedByMany;
    "position": PositionStays;
    "end-of-writing": PositionOfProcess;
    "list": TitleNotListed OpenNotListed;
    "list-order": ListReversed;
    "list-pages": PageIncomplete;
    "list-changing": PagesByNumber;
    "list-equal-times": PagesByTime;
    "list-cursor": CursorIgnored;
    "list-folder": FolderIgnored;
    "only-looked-at": LookedAtIsUsed;
    "copied-time": TimeOfNobody TimeOfAnyText;
    "older-than": AgeIgnored;
    "any-age": AgeTooLate;
    "principals": PrincipalIgnored;
    "principals-older-than": AgeOfAll;
    "principal-of-the-store": PrincipalStays;
    "principal-names": PrincipalsFolded;
}

/// A store around one in memory.
pub(super) struct Broken {
    inner: Arc<dyn SessionStore>,
    /// The store of the principal without a name.
    root: Arc<dyn SessionStore>,
    flaw: Flaw,
}

type Shared = Arc<Mutex<Box<dyn SessionLog>>>;
type OpenLogs = HashMap<SessionId, Weak<Mutex<Box<dyn SessionLog>>>>;
/// The open logs of stores that open a session several times.
static OPEN: LazyLock<std::sync::Mutex<OpenLogs>> = LazyLock::new(Default::default);

impl Broken {
    pub(super) fn around(inner: Arc<dyn SessionStore>, flaw: Flaw) -> Arc<dyn SessionStore> {
        Arc::new(Broken { root: Arc::clone(&inner), inner, flaw })
    }

    fn is(&self, flaw: Flaw) -> bool {
        self.flaw == flaw
    }

    fn id(&self, session: &SessionId) -> SessionId {
        if self.is(Flaw::IdsFolded) { session.as_str().to_lowercase().into() } else { session.clone() }
    }

    fn log(&self, log: Box<dyn SessionLog>) -> Box<dyn SessionLog> {
        let info = log.info().clone();
        let log = Arc::new(Mutex::new(log));
        if matches!(self.flaw, Flaw::SharedByAll | Flaw::SharedByMany) {
            OPEN.lock().unwrap().insert(info.session_id.clone(), Arc::downgrade(&log));
        }
        self.handle(log, info)
    }

    fn handle(&self, log: Shared, info: SessionInfo) -> Box<dyn SessionLog> {
        Box::new(BrokenLog::of(log, info, self.flaw))
    }

    async fn open_log(&self, session: &SessionId) -> Result<Box<dyn SessionLog>, StoreError> {
        match self.inner.open(session).await {
            Ok(log) => Ok(self.log(log)),
            Err(StoreError::Unknown { .. }) if self.is(Flaw::OpensUnknown) => {
                Ok(self.log(self.inner.create(SessionInfo::new(session.clone(), "/work")).await?))
            }
            Err(StoreError::Busy { session, .. }) => match self.flaw {
                Flaw::BusyUntilThePast => {
                    Err(StoreError::Busy { session, until: Some(SystemTime::UNIX_EPOCH) })
                }
                Flaw::SharedByAll | Flaw::SharedByMany => {
                    let open = OPEN.lock().unwrap().get(&session).and_then(Weak::upgrade);
                    let log = open.ok_or(StoreError::Busy { session: session.clone(), until: None })?;
                    let info = log.lock().await.info().clone();
                    Ok(self.handle(log, info))
                }
                _ => Err(StoreError::Busy { session, until: None }),
            },
            Err(error) => Err(error),
        }
    }
}

impl SessionStore for Broken {
    fn create(&self, session: SessionInfo) -> Pending<'_, Box<dyn SessionLog>> {
        Box::pin(async move {
            let (id, mut session) = (self.id(&session.session_id), session);
            if self.is(Flaw::OddIdsOpen) && id.as_str().len() > 200 {
                return Err(StoreError::Id { session: id });
            }
            if self.is(Flaw::CwdLost) {
                session.cwd = session.cwd.replace(char::is_whitespace, "");
            }
            session.session_id = id.clone();
            match self.inner.create(session.clone()).await {
                Err(StoreError::Exists { .. }) if self.is(Flaw::CreatesAgain) => {
                    self.inner.delete(&id).await?;
                    Ok(self.log(self.inner.create(session).await?))
                }
                Err(StoreError::Exists { .. }) if self.is(Flaw::CreatesExisting) => {
                    Ok(self.log(self.inner.open(&id).await?))
                }
                outcome => Ok(self.log(outcome?)),
            }
        })
    }

    fn open<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn SessionLog>> {
        Box::pin(async {
            if self.is(Flaw::OddIdsOpen) && session.as_str().len() > 200 {
                return Err(StoreError::Id { session: session.clone() });
            }
            self.open_log(&self.id(session)).await
        })
    }

    fn read<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn Records>> {
        Box::pin(async {
            let mut all = Vec::new();
            let mut sessions = vec![self.id(session)];
            if self.is(Flaw::Mixed) {
                let listed = self.inner.list(&ListSessionsRequest::new()).await?.sessions;
                sessions = listed.into_iter().map(|session| session.session_id).collect();
            }
            let is_open = self.inner.open(&self.id(session)).await.is_err();
            for session in sessions {
                let mut records = self.inner.read(&session).await?;
                all.extend(records.next().await?);
            }
            match self.flaw {
                Flaw::UnreadWhileOpen if is_open => all.clear(),
                Flaw::ReadTwice => all.extend(all.clone()),
                _ => {}
            }
            Ok(Box::new(AllRecords { records: all, is_skipping: self.is(Flaw::ReadSkips) })
                as Box<dyn Records>)
        })
    }

    fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse> {
        Box::pin(async {
            if matches!(self.flaw, Flaw::PagesByNumber | Flaw::PagesByTime) {
                return pages::page(&*self.inner, request, self.is(Flaw::PagesByTime)).await;
            }
            let mut request = request.clone();
            if self.is(Flaw::FolderIgnored) {
                request.cwd = None;
            }
            let mut page = match self.inner.list(&request).await {
                Err(StoreError::Cursor) if self.is(Flaw::CursorIgnored) => {
                    self.inner.list(&ListSessionsRequest::new()).await?
                }
                outcome => outcome?,
            };
            match self.flaw {
                Flaw::TitleNotListed => page.sessions.iter_mut().for_each(|session| session.title = None),
                Flaw::ListReversed => page.sessions.reverse(),
                Flaw::PageIncomplete if page.next_cursor.is_some() => drop(page.sessions.pop()),
                Flaw::OpenNotListed => {
                    let mut closed = Vec::new();
                    for session in page.sessions {
                        if self.inner.open(&session.session_id).await.is_ok() {
                            closed.push(session);
                        }
                    }
                    page.sessions = closed;
                }
                _ => {}
            }
            Ok(page)
        })
    }

    fn delete<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
        Box::pin(async {
            match self.inner.delete(&self.id(session)).await {
                _ if self.is(Flaw::NotDeleted) => Ok(()),
                Err(StoreError::Busy { .. }) if self.is(Flaw::DeletesOpen) => Ok(()),
                outcome => outcome,
            }
        })
    }

    fn delete_older_than(&self, time: SystemTime) -> Pending<'_, u64> {
        Box::pin(async move {
            match self.flaw {
                Flaw::Minimal => Err(StoreError::Unsupported { operation: "delete_older_than" }),
                Flaw::AgeIgnored => {
                    self.inner.delete_older_than(SystemTime::now() + Duration::from_secs(9)).await
                }
                Flaw::AgeTooLate if time > SystemTime::now() + Duration::from_secs(1 << 40) => {
                    Err(StoreError::other("the calendar has no such day"))
                }
                Flaw::AgeOfAll => {
                    for principal in ["", "bob"] {
                        self.root.for_principal(principal)?.delete_older_than(time).await?;
                    }
                    self.inner.delete_older_than(time).await
                }
                _ => self.inner.delete_older_than(time).await,
            }
        })
    }

    fn for_principal(&self, principal: &str) -> Result<Arc<dyn SessionStore>, StoreError> {
        let inner = match self.flaw {
            Flaw::Minimal => return Err(StoreError::Unsupported { operation: "for_principal" }),
            Flaw::PrincipalIgnored => Arc::clone(&self.inner),
            Flaw::PrincipalStays if principal.is_empty() => Arc::clone(&self.inner),
            Flaw::PrincipalsFolded => self.root.for_principal(&principal.to_lowercase())?,
            _ => self.root.for_principal(principal)?,
        };
        Ok(Arc::new(Broken { inner, root: Arc::clone(&self.root), flaw: self.flaw }))
    }
}
