//! A process of the simulation, with one log at a time.

use testkit::Dice;

use super::Defect;
use super::database::{Answer, Database, Does, Found, Statement};
use crate::lease::{Change, Ending, Lease, Step};

/// The log of a process.
enum Log {
    Closed,
    /// It is being opened, or created.
    Opening {
        holder: u64,
        does: Does,
        /// The holders of earlier attempts.
        earlier: Vec<u64>,
    },
    Open(Box<OpenLog>),
    /// Its statement may come late. The holder gives its lease up again if the answer is lost.
    Closing(GivenUp),
    /// The next statement of a deletion.
    Deleting(Does),
}

/// A lease that is to be given up.
#[derive(Clone, Copy)]
struct GivenUp {
    holder: u64,
    /// The session may have been created with the lease.
    may_be_new: bool,
}

struct OpenLog {
    lease: Lease<u64>,
    /// The change that is being made, and the numbers of its records.
    change: Option<(Change, Vec<u64>)>,
    /// The kind of the statement whose answer is awaited.
    awaits: Option<Step>,
    next_number: u64,
    /// The session that it means.
    meant: u64,
}

pub(super) struct Actor {
    log: Log,
    /// The difference of its clock from that of the database.
    pub(super) skew: i64,
    /// The number of statements that it and the processes before it have sent.
    pub(super) sent: u64,
    /// Set while it waits for an answer. It never learns if that is lost, and gives up waiting.
    is_waiting: bool,
    /// The holders whose leases could not be given up.
    given_up: Vec<GivenUp>,
}

impl Actor {
    pub(super) fn new(dice: &Dice, sent: u64) -> Self {
        let skew = i64::try_from(dice.below(200)).unwrap_or_default() - 100;
        Actor { log: Log::Closed, skew, sent, is_waiting: false, given_up: Vec::new() }
    }

    /// Takes the next step. Returns the statement that it sends.
    pub(super) fn act(
        &mut self,
        dice: &Dice,
        next_holder: &mut u64,
        defect: Option<Defect>,
    ) -> Option<Statement> {
        // Patience ends at any time.
        if self.is_waiting && !dice.one_in(4) {
            return None;
        }
        let was_lost = std::mem::take(&mut self.is_waiting);
        let statement = self.next(dice, next_holder, was_lost, defect)?;
        self.sent += 1;
        self.is_waiting = !matches!(statement.does, Does::Renew);
        Some(statement)
    }

    fn next(
        &mut self,
        dice: &Dice,
        next_holder: &mut u64,
        was_lost: bool,
        defect: Option<Defect>,
    ) -> Option<Statement> {
        let of = |does, holder| Some(Statement { does, holder, epoch: 0, earlier: Vec::new(), meant: 0 });
        match &mut self.log {
            Log::Closed => {
                let holder = new_holder(next_holder);
                if dice.one_in(5) {
                    // Another process may have begun the deletion.
                    let does = if dice.one_in(4) { Does::Piece } else { Does::Delete };
                    self.log = Log::Deleting(does.clone());
                    return of(does, holder);
                }
                if dice.one_in(3)
                    && let Some(given_up) = self.given_up.pop()
                {
                    self.log = Log::Closing(given_up);
                    return of(given_up.does(), given_up.holder);
                }
                let does = if dice.one_in(2) { Does::Create } else { Does::Open };
                self.log = Log::Opening { holder, does: does.clone(), earlier: Vec::new() };
                of(does, holder)
            }
            Log::Opening { holder, does, earlier } if was_lost && dice.one_in(4) => {
                let may_be_new = matches!(does, Does::Create | Does::Adopt);
                earlier.push(*holder);
                self.given_up.extend(earlier.drain(..).map(|holder| GivenUp { holder, may_be_new }));
                self.log = Log::Closed;
                None
            }
            // The answer was lost, or the session that it creates exists already.
            Log::Opening { holder, does, earlier } => {
                if was_lost {
                    earlier.push(*holder);
                }
                if defect != Some(Defect::SameHolder) {
                    *holder = new_holder(next_holder);
                }
                Some(Statement {
                    does: does.clone(),
                    holder: *holder,
                    epoch: 0,
                    earlier: earlier.clone(),
                    meant: 0,
                })
            }
            Log::Closing(given_up) => {
                self.given_up.push(*given_up);
                self.log = Log::Closed;
                None
            }
            Log::Deleting(_) if was_lost && dice.one_in(4) => {
                self.log = Log::Closed;
                None
            }
            Log::Deleting(does) => {
                let does = does.clone();
                of(does, new_holder(next_holder))
            }
            Log::Open(log) => {
                let holder = log.lease.holder;
                if was_lost && log.awaits == Some(Step::Apply) {
                    log.lost(defect);
                }
                log.awaits = None;
                if dice.one_in(10) {
                    return of(Does::Renew, holder);
                }
                if dice.one_in(12) {
                    let given_up = GivenUp { holder, may_be_new: false };
                    self.log = Log::Closing(given_up);
                    return of(given_up.does(), holder);
                }
                Some(log.send(dice))
            }
        }
    }

    /// Takes an answer, unless it has given up waiting for it.
    pub(super) fn answered(
        &mut self,
        number: u64,
        answer: Answer,
        database: &mut Database,
        defect: Option<Defect>,
    ) {
        if !self.is_waiting || number != self.sent {
            return;
        }
        self.is_waiting = false;
        match &mut self.log {
            Log::Opening { holder, does, earlier } => match answer {
                Some(Found { epoch, seq, number: meant }) => {
                    let lease = Lease::new(*holder, epoch, seq);
                    let log = OpenLog { lease, change: None, awaits: None, next_number: 0, meant };
                    self.log = Log::Open(Box::new(log));
                }
                // The one that exists may be its own.
                None if matches!(does, Does::Create) && !earlier.is_empty() => *does = Does::Adopt,
                None => self.log = Log::Closed,
            },
            Log::Deleting(does) => match (&*does, answer) {
                (Does::Delete | Does::Piece, Some(_)) => *does = Does::Piece,
                (Does::Piece, None) => *does = Does::Remove,
                _ => self.log = Log::Closed,
            },
            Log::Closing(given_up) => {
                // A session that is not new any more is left to others.
                if given_up.may_be_new {
                    self.given_up.push(GivenUp { may_be_new: false, ..*given_up });
                }
                self.log = Log::Closed;
            }
            Log::Open(log) => {
                if log.answered(answer, database, defect) == Some(Ending::Lost) {
                    self.log = Log::Closed;
                }
            }
            Log::Closed => {}
        }
    }
}

impl GivenUp {
    const fn does(self) -> Does {
        if self.may_be_new { Does::Undo } else { Does::Release }
    }
}

fn new_holder(next: &mut u64) -> u64 {
    *next += 1;
    *next
}

impl OpenLog {
    /// Sends the next statement of the change, or of a new one.
    fn send(&mut self, dice: &Dice) -> Statement {
        // An operation that has waited long enough fails, and a later one has other records.
        if dice.one_in(6) {
            self.change = None;
        }
        if self.change.is_none() {
            let numbers: Vec<u64> = (self.next_number..).take(1 + dice.index(2)).collect();
            self.next_number += 2;
            self.change = Some((Change::new(i64::try_from(numbers.len()).unwrap_or_default()), numbers));
        }
        let (holder, epoch, meant) = (self.lease.holder, self.lease.epoch, self.meant);
        let Some((change, numbers)) = &mut self.change else {
            return Statement { does: Does::Fence, holder, epoch, earlier: Vec::new(), meant };
        };
        let step = change.next(&mut self.lease);
        self.awaits = Some(step);
        let does = match step {
            Step::Apply => Does::Change(numbers.clone()),
            Step::Fence => Does::Fence,
        };
        Statement { does, holder, epoch, earlier: Vec::new(), meant }
    }

    /// Takes the answer to the statement.
    fn answered(
        &mut self,
        answer: Answer,
        database: &mut Database,
        defect: Option<Defect>,
    ) -> Option<Ending> {
        let step = self.awaits.take()?;
        let (change, numbers) = self.change.as_mut()?;
        let was_in_doubt = change.clone();
        let ending = match step {
            Step::Apply => change.applied(&mut self.lease, answer.is_some()),
            Step::Fence => {
                let ending = change.fenced(&mut self.lease, answer.map(|found| (found.epoch, found.seq)));
                match (defect, ending) {
                    (Some(Defect::NeverMade), Some(Ending::Made)) => {
                        *change = was_in_doubt;
                        None
                    }
                    (Some(Defect::AlwaysMade), None) => Some(Ending::Made),
                    _ => ending,
                }
            }
        };
        if ending == Some(Ending::Made) {
            database.acknowledge(self.lease.holder, numbers);
            database.counts.settled += u64::from(step == Step::Fence);
        }
        if ending.is_some() {
            self.change = None;
        }
        ending
    }

    /// Goes on after an answer was lost, as a log with a defect does.
    fn lost(&mut self, defect: Option<Defect>) {
        if defect == Some(Defect::NoFence) {
            let Lease { holder, epoch, seq, .. } = self.lease;
            self.lease = Lease::new(holder, epoch, seq);
        }
    }
}
