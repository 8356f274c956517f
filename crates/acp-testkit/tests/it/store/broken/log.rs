//! Logs and readers of the broken stores.

use std::sync::Arc;
use std::time::Duration;

use acp_agent::store::{Loss, Pending, Record, RecordKind, Records, SessionLog, StoreError};
use acp_types::v1::SessionInfo;

use super::{Flaw, Shared};

pub(super) struct AllRecords {
    pub(super) records: Vec<Record>,
    /// Set if a call that is given up costs the records.
    pub(super) is_skipping: bool,
}

impl Records for AllRecords {
    fn next(&mut self) -> Pending<'_, Vec<Record>> {
        if self.is_skipping {
            let records = std::mem::take(&mut self.records);
            return Box::pin(async { Ok(records) });
        }
        Box::pin(async { Ok(std::mem::take(&mut self.records)) })
    }
}

pub(super) struct BrokenLog {
    log: Option<Shared>,
    info: SessionInfo,
    flaw: Flaw,
    calls: u64,
    /// The records of an addition that was not waited for.
    given_up: Vec<Record>,
}

/// A log that is closed only if its closing comes to an end.
struct Forgotten(Option<Shared>);

impl Drop for Forgotten {
    fn drop(&mut self) {
        std::mem::forget(self.0.take());
    }
}

impl BrokenLog {
    pub(super) fn of(log: Shared, info: SessionInfo, flaw: Flaw) -> Self {
        BrokenLog { log: Some(log), info, flaw, calls: 0, given_up: Vec::new() }
    }

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

    fn lost(&self) -> Loss {
        let error = StoreError::Changed { session: self.info.session_id.clone() };
        match self.flaw {
            Flaw::LostAtOnce => Box::pin(async { error }),
            _ => Box::pin(std::future::pending()),
        }
    }

    fn append(&mut self, records: Vec<Record>) -> Pending<'_, ()> {
        Box::pin(async {
            self.calls += 1;
            tokio::task::yield_now().await;
            let mut records = self.broken(records);
            if self.flaw == Flaw::GivenUpTwice {
                records.splice(0..0, std::mem::take(&mut self.given_up));
                self.given_up.clone_from(&records);
            }
            self.shared().lock().await.append(records).await?;
            tokio::task::yield_now().await;
            self.given_up.clear();
            Ok(())
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
            match self.flaw {
                Flaw::DirectoriesGone => log.set_additional_directories(Vec::new()).await,
                _ => log.set_additional_directories(directories).await,
            }
        })
    }

    fn set_updated_at(&mut self, time: String) -> Pending<'_, ()> {
        Box::pin(async {
            let time = match self.flaw {
                Flaw::Minimal => return Ok(()),
                Flaw::TimeOfNobody => "1999-12-31T23:59:59.000Z".to_owned(),
                Flaw::TimeOfAnyText if !time.starts_with("2024") => "1999-12-31T23:59:59.000Z".to_owned(),
                _ => time,
            };
            self.shared().lock().await.set_updated_at(time).await
        })
    }

    fn commit(&mut self) -> Pending<'_, ()> {
        Box::pin(async { self.shared().lock().await.commit().await })
    }

    fn close(mut self: Box<Self>) -> Pending<'static, ()> {
        let mut closing = Forgotten(None);
        if self.flaw == Flaw::ClosedIfAwaited {
            closing.0 = self.log.take();
        }
        Box::pin(async move {
            if self.flaw == Flaw::ClosedIfAwaited {
                tokio::task::yield_now().await;
                drop(closing.0.take());
            }
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
