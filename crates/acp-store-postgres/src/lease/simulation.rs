//! A simulation of the protocol: processes that pause and die, clocks that differ, connections that
//! drop before and after a commit.
//!
//! The conditions and the steps are those of the store. The rest is a database of one session. Its
//! statements are carried out one after the other, in any order and at any time after they were
//! sent.

mod actor;
mod database;

use testkit::{Dice, Seeds};

use self::actor::Actor;
use self::database::{Answer, Counts, Database, Rules, Statement};
use super::Condition;

/// A defect that the simulation has to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defect {
    /// A statement has one condition less: the statement and the condition.
    Without(&'static str, Condition),
    /// A session is not opened by the holder whose first answer was lost.
    OpenIsNotRepeated,
    /// An attempt that is made again has the holder of the earlier one.
    SameHolder,
    /// The end of a lease is judged by the clock of the process.
    ClockOfProcess,
    /// A change whose answer is lost is sent again without a fence.
    NoFence,
    /// A change whose answer is lost counts as not made.
    NeverMade,
    /// A change whose answer is lost counts as made.
    AlwaysMade,
}

const DEFECTS: [Defect; 18] = [
    Defect::Without("open", Condition::FreeOrOwn),
    Defect::Without("change", Condition::Holder),
    Defect::Without("change", Condition::Epoch),
    Defect::Without("fence", Condition::Holder),
    Defect::Without("renew", Condition::Holder),
    Defect::Without("release", Condition::Holder),
    Defect::Without("undo", Condition::Holder),
    Defect::Without("delete", Condition::FreeOrDeleted),
    Defect::Without("piece", Condition::Deleted),
    Defect::Without("remove", Condition::Deleted),
    Defect::Without("remove", Condition::Empty),
    Defect::Without("adopt", Condition::Own),
    Defect::OpenIsNotRepeated,
    Defect::SameHolder,
    Defect::ClockOfProcess,
    Defect::NoFence,
    Defect::NeverMade,
    Defect::AlwaysMade,
];

/// A statement on its way to the database, and its answer on the way back.
struct Flight {
    actor: usize,
    /// The number of the statement among those of its actor.
    number: u64,
    statement: Statement,
    answer: Option<Answer>,
}

/// Runs one schedule.
fn run(seed: u64, defect: Option<Defect>) -> Result<Counts, String> {
    let dice = Dice::new(seed);
    let mut database = Database::new(Rules::with(defect));
    let mut actors: Vec<Actor> = (0..3).map(|_| Actor::new(&dice, 0)).collect();
    let mut flights: Vec<Flight> = Vec::new();
    let mut next_holder = 1;
    for _ in 0..40 + dice.below(200) {
        match dice.below(10) {
            0 => database.now += dice.below(30),
            // A statement reaches the database, and its answer comes, or is lost.
            1..=4 if !flights.is_empty() => {
                let at = dice.index(flights.len());
                let mut flight = flights.swap_remove(at);
                match flight.answer.take() {
                    None if dice.one_in(8) => {}
                    None => {
                        let clock = database.now.saturating_add_signed(actors[flight.actor].skew);
                        flight.answer = Some(database.carry_out(&flight.statement, clock)?);
                        if !dice.one_in(6) {
                            flights.push(flight);
                        }
                    }
                    Some(answer) => {
                        actors[flight.actor].answered(flight.number, answer, &mut database, defect)
                    }
                }
            }
            // A process dies. Its statements are still on their way.
            5 if dice.one_in(6) => {
                let number = dice.index(actors.len());
                actors[number] = Actor::new(&dice, actors[number].sent);
            }
            // A process that is not chosen is paused.
            _ => {
                let at = dice.index(actors.len());
                if let Some(statement) = actors[at].act(&dice, &mut next_holder, defect) {
                    let number = actors[at].sent;
                    flights.push(Flight { actor: at, number, statement, answer: None });
                }
            }
        }
    }
    // What is still on its way arrives late.
    for flight in flights.drain(..).filter(|flight| flight.answer.is_none()) {
        let clock = database.now.saturating_add_signed(actors[flight.actor].skew);
        database.carry_out(&flight.statement, clock)?;
    }
    database.check()?;
    Ok(database.counts)
}

#[test]
fn no_schedule_has_two_writers_or_loses_a_record() {
    Seeds::few(5_000).all(1_000_000).each(|seed| run(seed, None).map(drop)).unwrap();
}

#[test]
fn each_defect_is_found() {
    for defect in DEFECTS {
        let found = (0..1_000_000).any(|seed| run(seed, Some(defect)).is_err());
        assert!(found, "{defect:?} is not found");
    }
}

/// Schedules add records, lose answers, take sessions over and make them anew.
#[test]
fn schedules_are_not_idle() {
    let mut totals = [0; 6];
    for seed in 0..15_000 {
        let counts = run(seed, None).unwrap();
        let Counts { records, takeovers, fenced_off, deletions, settled, undone } = counts;
        let counts = [records, takeovers, fenced_off, deletions, settled, undone];
        for (total, count) in totals.iter_mut().zip(counts) {
            *total += count;
        }
    }
    assert!(totals.iter().all(|total| *total > 200), "{totals:?}");
}
