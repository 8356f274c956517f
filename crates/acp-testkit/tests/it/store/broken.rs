//! Stores in memory that each break one promise.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Weak};
use std::time::{Duration, SystemTime};

use acp_agent::store::{Pending, Record, RecordKind, Records, SessionLog, SessionStore, StoreError};
use acp_types::v1::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};
use tokio::sync::Mutex;

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
    "nothing-added": PositionCountsCalls;
    "facts": TitleOfOneLine CwdLost;
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
    "dropped": NeverClosed;
    "one-writer": SharedByMany;
    "position": PositionStays;
    "end-of-writing": PositionOfProcess;
    "list": TitleNotListed OpenNotListed;
    "list-order": ListReversed;
    "list-pages": PageIncomplete;
    "list-cursor": CursorIgnored;
    "list-folder": FolderIgnored;
    "only-looked-at": LookedAtIsUsed;
    "copied-time": TimeOfNobody;
    "older-than": AgeIgnored;
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
        Box::new(BrokenLog { log: Some(log), info, flaw: self.flaw, calls: 0 })
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
            Ok(Box::new(AllRecords(all)) as Box<dyn Records>)
        })
    }

    fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse> {
        Box::pin(async {
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

struct AllRecords(Vec<Record>);

impl Records for AllRecords {
    fn next(&mut self) -> Pending<'_, Vec<Record>> {
        let records = std::mem::take(&mut self.0);
        Box::pin(async { Ok(records) })
    }
}

struct BrokenLog {
    log: Option<Shared>,
    info: SessionInfo,
    flaw: Flaw,
    calls: u64,
}

impl BrokenLog {
    fn shared(&self) -> Shared {
        Arc::clone(self.log.as_ref().unwrap())
    }

    fn broken(&self, records: Vec<Record>) -> Vec<Record> {
        let mut records = records;
        let rewritten = |record: &Record| {
            let value: serde_json::Value = serde_json::from_str(record.json()).unwrap_or_default();
            Record::new(record.kind(), value.to_string()).unwrap()
        };
        match self.flaw {
            Flaw::KindLost => {
                let as_update = |record: &Record| match record.kind() {
                    RecordKind::UpdateV2 => Record::new(RecordKind::Update, record.json()).unwrap(),
                    _ => record.clone(),
                };
                records.iter().map(as_update).collect()
            }
            Flaw::TextRewritten => records.iter().map(rewritten).collect(),
            Flaw::Reversed => {
                records.reverse();
                records
            }
            Flaw::Cut => {
                records.truncate(1000);
                records
            }
            _ => records,
        }
    }
}

impl SessionLog for BrokenLog {
    fn info(&self) -> &SessionInfo {
        &self.info
    }

    fn state(&mut self) -> Pending<'_, Option<Vec<Record>>> {
        Box::pin(async {
            if self.flaw == Flaw::Minimal {
                return Ok(None);
            }
            let state = self.shared().lock().await.state().await?;
            Ok(state.map(|state| match self.flaw {
                Flaw::FirstState => state.into_iter().take(1).collect(),
                _ => state,
            }))
        })
    }

    fn position(&self) -> Option<u64> {
        match self.flaw {
            Flaw::Minimal => None,
            Flaw::PositionCountsCalls => Some(self.calls),
            Flaw::PositionStays => Some(1),
            Flaw::PositionOfProcess => Some(std::ptr::from_ref(self).addr() as u64),
            _ => self.log.as_ref()?.try_lock().ok()?.position(),
        }
    }

    fn append(&mut self, records: Vec<Record>) -> Pending<'_, ()> {
        Box::pin(async {
            self.calls += 1;
            tokio::task::yield_now().await;
            let records = self.broken(records);
            self.shared().lock().await.append(records).await
        })
    }

    fn set_title(&mut self, title: Option<String>) -> Pending<'_, ()> {
        Box::pin(async {
            let title = match self.flaw {
                Flaw::TitleStays if title.is_none() => return Ok(()),
                Flaw::TitleOfOneLine => title.map(|title| title.lines().take(1).collect()),
                _ => title,
            };
            self.info.title.clone_from(&title);
            self.shared().lock().await.set_title(title).await
        })
    }

    fn set_additional_directories(&mut self, directories: Vec<String>) -> Pending<'_, ()> {
        Box::pin(async {
            let log = self.shared();
            let mut log = log.lock().await;
            if self.flaw == Flaw::LookedAtIsUsed {
                let title = log.info().title.clone();
                log.set_title(title).await?;
            }
            log.set_additional_directories(directories).await
        })
    }

    fn set_updated_at(&mut self, time: String) -> Pending<'_, ()> {
        Box::pin(async {
            let time = match self.flaw {
                Flaw::Minimal => return Ok(()),
                Flaw::TimeOfNobody => "1999-12-31T23:59:59.000Z".to_owned(),
                _ => time,
            };
            self.shared().lock().await.set_updated_at(time).await
        })
    }

    fn commit(&mut self) -> Pending<'_, ()> {
        Box::pin(async { self.shared().lock().await.commit().await })
    }

    fn close(mut self: Box<Self>) -> Pending<'static, ()> {
        Box::pin(async move {
            match self.flaw {
                Flaw::ClosedLater => {
                    let log = self.log.take();
                    tokio::spawn(async move {
                        tokio::time::sleep(Duration::from_millis(1)).await;
                        drop(log);
                    });
                }
                Flaw::NeverClosed => drop(self.log.take()),
                _ => {}
            }
            Ok(())
        })
    }
}

impl Drop for BrokenLog {
    fn drop(&mut self) {
        if self.flaw == Flaw::NeverClosed {
            std::mem::forget(self.log.take());
        }
    }
}
