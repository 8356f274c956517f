//! The events on both sides of a simulated connection, recorded and judged as they happen.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard};

use testkit::Dice;
use tokio::sync::Semaphore;

/// The number of lanes on each side.
pub(crate) const LANES: usize = 3;

pub(crate) struct World {
    pub(crate) dice: Dice,
    /// Failures that are not mistakes.
    pub(crate) excuses: Excuses,
    /// For each side: the jobs that block their lane until a call of that side has been answered.
    pub(crate) held_up: [Semaphore; 2],
    /// For each side: the number of these jobs that may go on.
    pub(crate) released: [Semaphore; 2],
    ledger: Mutex<Ledger>,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Excuses {
    /// The incoming ceiling is so low that calls are given up.
    pub(crate) overload: bool,
    /// Lines that are not messages come in between.
    pub(crate) noise: bool,
    /// The connection ends in the middle of everything.
    pub(crate) interrupted: bool,
}

#[derive(Default)]
struct Ledger {
    /// For each side that receives.
    lanes: [[Lane; LANES]; 2],
    /// For each side that writes: the requests whose answers the other side has not written yet.
    unanswered: [HashSet<String>; 2],
    /// Set for a side that has refused a request that was cut off.
    cut: [bool; 2],
    /// Handlers, jobs and other futures that exist.
    alive: usize,
    closed: [usize; 2],
    transcript: DefaultHasher,
    problem: Option<String>,
}

/// Steps are numbered as they are written to the output buffer, from 1.
#[derive(Default)]
struct Lane {
    sent: u64,
    received: u64,
    finished: u64,
    at_work: bool,
}

impl World {
    pub(crate) fn new(dice: Dice, excuses: Excuses) -> Arc<Self> {
        Arc::new(Self {
            dice,
            excuses,
            held_up: [Semaphore::new(0), Semaphore::new(0)],
            released: [Semaphore::new(0), Semaphore::new(0)],
            ledger: Mutex::default(),
        })
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap()
    }

    /// Reports something that must not happen. The first report counts: others may follow from it.
    pub(crate) fn problem(&self, problem: String) {
        self.ledger().problem.get_or_insert(problem);
    }

    /// Returns the number of the next step for this lane of `receiver`.
    pub(crate) fn stamp(&self, receiver: usize, lane: usize) -> u64 {
        let lane = &mut self.ledger().lanes[receiver][lane];
        lane.sent += 1;
        lane.sent
    }

    /// Returns the numbers of the last steps for each lane of `receiver`.
    pub(crate) fn marks(&self, receiver: usize) -> [u64; LANES] {
        let ledger = self.ledger();
        std::array::from_fn(|lane| ledger.lanes[receiver][lane].sent)
    }

    pub(crate) fn received(&self, receiver: usize, lane: usize, number: u64) {
        let expected = {
            let lane = &mut self.ledger().lanes[receiver][lane];
            lane.received += 1;
            lane.received
        };
        if number != expected {
            self.problem(format!("side {receiver} received {lane}/{number} instead of {expected}"));
        }
    }

    /// Records that a job begins. All earlier jobs of its lane must have ended.
    pub(crate) fn begins(&self, receiver: usize, lane: usize, number: u64) {
        let (finished, at_work) = {
            let lane = &mut self.ledger().lanes[receiver][lane];
            (lane.finished, std::mem::replace(&mut lane.at_work, true))
        };
        if at_work || finished + 1 != number {
            self.problem(format!("side {receiver} began {lane}/{number} after {finished} (busy: {at_work})"));
        }
    }

    pub(crate) fn finishes(&self, receiver: usize, lane: usize) {
        let lane = &mut self.ledger().lanes[receiver][lane];
        lane.finished += 1;
        lane.at_work = false;
    }

    /// Checks an answer that was delivered through a lane: everything sent before it must be done.
    pub(crate) fn delivered(&self, receiver: usize, lane: usize, mark: u64) {
        let finished = self.ledger().lanes[receiver][lane].finished;
        if finished < mark {
            self.problem(format!(
                "side {receiver}: lane {lane} had done {finished} steps when an answer after {mark} came"
            ));
        }
    }

    /// Records a line on the wire. Every request is answered at most once, and nothing else is
    /// answered.
    pub(crate) fn written(&self, writer: usize, line: &[u8]) {
        let mut ledger = self.ledger();
        (writer, line).hash(&mut ledger.transcript);
        let line = String::from_utf8_lossy(line);
        let Some((id, rest)) =
            line.strip_prefix(r#"{"jsonrpc":"2.0","id":"#).and_then(|rest| rest.split_once(','))
        else {
            return;
        };
        let sound = if rest.starts_with(r#""method""#) {
            ledger.unanswered[writer].insert(id.to_owned())
        } else {
            // A request that was cut off with its connection is refused under its id. There is at
            // most one of those.
            id == "null"
                || ledger.unanswered[1 - writer].remove(id)
                || (rest.contains(r#""code":-32700"#) && !std::mem::replace(&mut ledger.cut[writer], true))
        };
        if !sound {
            ledger.problem.get_or_insert(format!("side {writer} wrote this out of turn: {line}"));
        }
    }

    /// Counts something that exists until the result is dropped.
    pub(crate) fn alive(self: &Arc<Self>) -> Alive {
        self.ledger().alive += 1;
        Alive(Arc::clone(self))
    }

    /// Returns the number of handlers and jobs that exist.
    pub(crate) fn at_work(&self) -> usize {
        self.ledger().alive
    }

    pub(crate) fn closed(&self, side: usize) {
        self.ledger().closed[side] += 1;
    }

    /// Judges a connection after the last event on it, before its end.
    pub(crate) fn is_at_rest(&self) -> Result<(), String> {
        let ledger = self.ledger();
        for (receiver, lanes) in ledger.lanes.iter().enumerate() {
            for (number, lane) in lanes.iter().enumerate() {
                let Lane { sent, received, finished, .. } = lane;
                if sent != received || sent != finished {
                    return Err(format!(
                        "lane {number} of side {receiver}: {sent} sent, {received} received, {finished} done"
                    ));
                }
            }
        }
        let unanswered: Vec<&String> = ledger.unanswered.iter().flatten().collect();
        match (ledger.alive, unanswered.as_slice()) {
            (0, []) => Ok(()),
            (alive, unanswered) => Err(format!("{alive} handlers at work; unanswered: {unanswered:?}")),
        }
    }

    /// Judges a connection after its end.
    pub(crate) fn verdict(&self) -> Result<(), String> {
        let ledger = self.ledger();
        match (&ledger.problem, ledger.alive, ledger.closed) {
            (Some(problem), ..) => Err(problem.clone()),
            (None, 0, [1, 1]) => Ok(()),
            (None, alive, closed) => {
                Err(format!("{alive} handlers outlived the connection, which closed {closed:?} times"))
            }
        }
    }

    /// Returns a hash of everything that was on the wire, in order.
    pub(crate) fn transcript(&self) -> u64 {
        self.ledger().transcript.finish()
    }
}

pub(crate) struct Alive(Arc<World>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.ledger().alive -= 1;
    }
}
