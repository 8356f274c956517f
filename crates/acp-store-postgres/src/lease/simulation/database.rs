//! The database of the simulation: one session, and what must be true of it.

use std::collections::HashMap;

use super::Defect;
use crate::lease::{
    ADOPT, CHANGE, Condition, DELETE, DELETED, FENCE, Given, Head, OPEN, PIECE, RELEASE, REMOVE, RENEW, UNDO,
};

/// The time of a lease.
const LEASE: u64 = 20;

/// The conditions of the statements.
pub(super) struct Rules {
    open: Vec<Condition>,
    adopt: Vec<Condition>,
    change: Vec<Condition>,
    fence: Vec<Condition>,
    renew: Vec<Condition>,
    release: Vec<Condition>,
    undo: Vec<Condition>,
    delete: Vec<Condition>,
    piece: Vec<Condition>,
    remove: Vec<Condition>,
    is_open_repeated: bool,
    is_clock_of_process: bool,
}

impl Rules {
    pub(super) fn with(defect: Option<Defect>) -> Self {
        let of = |name: &str, conditions: &[Condition]| -> Vec<Condition> {
            let is_kept = |condition: &Condition| match defect {
                Some(Defect::Without(statement, without)) => statement != name || without != *condition,
                _ => true,
            };
            conditions.iter().copied().filter(is_kept).collect()
        };
        Rules {
            open: of("open", OPEN),
            adopt: of("adopt", ADOPT),
            change: of("change", CHANGE),
            fence: of("fence", FENCE),
            renew: of("renew", RENEW),
            release: of("release", RELEASE),
            undo: of("undo", UNDO),
            delete: of("delete", DELETE),
            piece: of("piece", PIECE),
            remove: of("remove", REMOVE),
            is_open_repeated: defect != Some(Defect::OpenIsNotRepeated),
            is_clock_of_process: defect == Some(Defect::ClockOfProcess),
        }
    }
}

/// A statement with its parameters.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) does: Does,
    pub(super) holder: u64,
    pub(super) epoch: i64,
    /// The holders of earlier attempts.
    pub(super) earlier: Vec<u64>,
    /// The session that the log means, of those that were created one after the other. No condition
    /// has it.
    pub(super) meant: u64,
}

#[derive(Clone, Debug)]
pub(super) enum Does {
    Create,
    Open,
    Adopt,
    /// Adds records with these numbers.
    Change(Vec<u64>),
    Fence,
    Renew,
    Release,
    /// Deletes a session whose creation was given up.
    Undo,
    /// Marks the session as deleted.
    Delete,
    /// Deletes some records of a session that is marked.
    Piece,
    /// Deletes the row of a session that is marked.
    Remove,
}

/// The answer: the row after the statement, if there was one that fulfilled the conditions.
pub(super) type Answer = Option<Found>;

/// A row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) epoch: i64,
    pub(super) seq: i64,
    /// The number of the session among those that were created. A log never uses it for anything
    /// but [`Statement::meant`].
    pub(super) number: u64,
}

/// The row of the session with its records.
struct Row {
    number: u64,
    head: Head,
    seq: i64,
    /// The log that opened it last.
    opened_by: u64,
    /// The holder and the number of each record.
    records: Vec<(u64, u64)>,
}

pub(super) struct Database {
    pub(super) now: u64,
    rules: Rules,
    row: Option<Row>,
    /// The acknowledged records of the present session, which is another one after a deletion.
    acknowledged: Vec<(u64, u64)>,
    /// The number of sessions that were created.
    created: u64,
    /// The logs of sessions that were deleted.
    gone: Vec<u64>,
    pub(super) counts: Counts,
}

/// The events of a schedule.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) records: u64,
    pub(super) takeovers: u64,
    pub(super) fenced_off: u64,
    pub(super) deletions: u64,
    pub(super) settled: u64,
    pub(super) undone: u64,
}

impl Database {
    pub(super) fn new(rules: Rules) -> Self {
        let counts = Counts::default();
        Database {
            now: 1000,
            rules,
            row: None,
            acknowledged: Vec::new(),
            created: 0,
            gone: Vec::new(),
            counts,
        }
    }

    /// Carries out a statement, and checks that it may do what it does. `clock` is that of the
    /// process that has sent it.
    pub(super) fn carry_out(&mut self, statement: &Statement, clock: u64) -> Result<Answer, String> {
        let Statement { does, holder, epoch, earlier, meant } = statement;
        let until = Some(self.now + LEASE);
        let Some(row) = &mut self.row else {
            if matches!(does, Does::Create) {
                let head = Head { holder: Some(*holder), epoch: 1, lease_until: until };
                self.created += 1;
                let number = self.created;
                self.row = Some(Row { number, head, seq: 0, opened_by: *holder, records: Vec::new() });
                return Ok(Some(Found { epoch: 1, seq: 0, number }));
            }
            return Ok(None);
        };
        let conditions = match does {
            Does::Create => return Ok(None),
            Does::Open => &self.rules.open,
            Does::Adopt => &self.rules.adopt,
            Does::Change(_) => &self.rules.change,
            Does::Fence => &self.rules.fence,
            Does::Renew => &self.rules.renew,
            Does::Release => &self.rules.release,
            Does::Undo => &self.rules.undo,
            Does::Delete => &self.rules.delete,
            Does::Piece => &self.rules.piece,
            Does::Remove => &self.rules.remove,
        };
        let now = if self.rules.is_clock_of_process { clock } else { self.now };
        let own: &[u64] =
            if matches!(does, Does::Open) && !self.rules.is_open_repeated { &[] } else { earlier };
        let given =
            Given { holder: *holder, epoch: *epoch, earlier: own, now, is_empty: row.records.is_empty() };
        let holds = conditions.iter().all(|condition| condition.holds(&row.head, &given));
        let is_leased = row.head.lease_until.is_some_and(|until| until > self.now);
        let is_own = row.opened_by == *holder;
        let is_earlier = row.head.holder.is_some_and(|holder| earlier.contains(&holder));
        if !holds {
            if matches!(does, Does::Open | Does::Adopt) && is_earlier {
                return Err("an opening that was repeated is refused".to_owned());
            }
            self.counts.fenced_off += u64::from(matches!(does, Does::Change(_)));
            return Ok(None);
        }
        if matches!(does, Does::Delete | Does::Piece | Does::Remove) && row.opened_by == DELETED {
            return self.delete_more(does);
        }
        if matches!(does, Does::Piece | Does::Remove) {
            return Err(format!("{does:?} of a session that is not deleted"));
        }
        let is_of_holder = !matches!(does, Does::Open | Does::Adopt | Does::Delete);
        if is_of_holder && !is_own {
            return Err(format!("{does:?} of log {holder} while log {} has the session", row.opened_by));
        }
        if !is_of_holder && is_leased && !is_earlier {
            return Err(format!("{does:?} of log {holder} during the lease of {:?}", row.head.holder));
        }
        match does {
            Does::Open | Does::Adopt | Does::Fence => {
                self.counts.takeovers += u64::from(!is_own);
                row.head = Head { holder: Some(*holder), epoch: row.head.epoch + 1, lease_until: until };
                row.opened_by = *holder;
            }
            Does::Change(numbers) => {
                if *meant != row.number {
                    return Err(format!("log {holder} writes into a session that was created later"));
                }
                for number in numbers {
                    row.add((*holder, *number))?;
                }
                row.seq += i64::try_from(numbers.len()).unwrap_or_default();
                row.head.lease_until = until;
                self.counts.records += 1;
            }
            Does::Renew => row.head.lease_until = until,
            Does::Undo => {
                if !row.records.is_empty() {
                    return Err(format!("log {holder} was given up, and has added records"));
                }
                self.row = None;
                self.counts.undone += 1;
                return Ok(Some(Found { epoch: 0, seq: 0, number: 0 }));
            }
            Does::Release => row.head = Head { holder: None, lease_until: None, ..row.head },
            Does::Delete => {
                let records = row.records.iter().map(|(holder, _)| *holder);
                self.gone.extend(records.chain([row.opened_by]));
                row.head =
                    Head { holder: Some(DELETED), epoch: row.head.epoch + 1, lease_until: Some(u64::MAX) };
                row.opened_by = DELETED;
                self.counts.deletions += 1;
                self.check()?;
                self.acknowledged.clear();
                return Ok(Some(Found { epoch: 0, seq: 0, number: 0 }));
            }
            Does::Create | Does::Piece | Does::Remove => return Ok(None),
        }
        Ok(Some(Found { epoch: row.head.epoch, seq: row.seq, number: row.number }))
    }

    /// Goes on with the deletion of a session that is marked. The answer to a piece says if there
    /// was one.
    fn delete_more(&mut self, does: &Does) -> Result<Answer, String> {
        let Some(row) = &mut self.row else { return Ok(None) };
        let found = Found { epoch: 0, seq: 0, number: 0 };
        match does {
            Does::Piece if row.records.is_empty() => return Ok(None),
            Does::Piece => drop(row.records.drain(..row.records.len().min(2))),
            Does::Remove if !row.records.is_empty() => {
                return Err("records stay behind a session that is gone".to_owned());
            }
            Does::Remove => self.row = None,
            _ => {}
        }
        Ok(Some(found))
    }

    /// Notes records that a log may rely on from now on.
    pub(super) fn acknowledge(&mut self, holder: u64, numbers: &[u64]) {
        let is_gone = self.gone.contains(&holder);
        self.acknowledged.extend(numbers.iter().filter(|_| !is_gone).map(|number| (holder, *number)));
    }

    /// Checks what was acknowledged.
    pub(super) fn check(&self) -> Result<(), String> {
        let records = self.row.as_ref().map(|row| row.records.as_slice()).unwrap_or_default();
        let mut places = HashMap::new();
        for (place, record) in records.iter().enumerate() {
            places.insert(*record, place);
        }
        for record in &self.acknowledged {
            if !places.contains_key(record) {
                return Err(format!("record {record:?} was acknowledged, and is not there"));
            }
        }
        Ok(())
    }
}

impl Row {
    /// Adds a record, which has to be a new one, behind those of its log.
    fn add(&mut self, record: (u64, u64)) -> Result<(), String> {
        let (holder, number) = record;
        let last = self.records.iter().rfind(|(other, _)| *other == holder);
        if last.is_some_and(|(_, last)| *last >= number) {
            return Err(format!("record {number} of log {holder} comes twice, or behind a later one"));
        }
        self.records.push(record);
        Ok(())
    }
}
