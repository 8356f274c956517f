//! Races: several contenders do one thing, timed in turns.

use std::time::{Duration, Instant};

/// The time that one contender runs before the next one's turn.
const TURN: Duration = Duration::from_millis(1);

/// A run of this time is slow, even if it was held up.
const SLOW: u32 = 20;

/// The number of slow runs after which a contender gets so few runs.
const TRIES: usize = 5;

/// A contender.
pub struct Contender<'a> {
    /// Its name in the table.
    pub name: &'static str,
    /// Does the thing once.
    pub run: Box<dyn Fn() + 'a>,
}

/// The times of one contender, one for each round, in nanoseconds for a single run.
#[derive(Clone, Debug)]
pub struct Times(Vec<f64>);

impl Times {
    /// Returns the median, in nanoseconds.
    pub fn median(&self) -> f64 {
        median(self.0.clone())
    }

    /// Adds the times of another race of the same contender.
    pub fn extend(&mut self, more: Times) {
        self.0.extend(more.0);
    }

    /// Returns the speed relative to `other`: the median over the rounds of the ratio in each.
    ///
    /// A machine that is busy for a while slows both in the same rounds, so the ratio moves less
    /// than the times.
    pub fn faster_than(&self, other: &Times) -> f64 {
        median(self.0.iter().zip(&other.0).map(|(mine, theirs)| theirs / mine).collect())
    }
}

/// Lets the contenders take turns for this number of rounds. The first one changes from round to
/// round.
///
/// Each begins its turn with some runs that are not timed. They bring its code and its processes
/// back.
pub fn race(contenders: &[Contender<'_>], rounds: usize) -> Vec<Times> {
    let repeats: Vec<u32> = contenders.iter().map(|contender| repeats(&contender.run)).collect();
    let mut times = vec![Times(Vec::with_capacity(rounds)); contenders.len()];
    for round in 0..rounds {
        for turn in 0..contenders.len() {
            let index = (round + turn) % contenders.len();
            if repeats[index] > 1 {
                time(&contenders[index].run, repeats[index] / 4 + 1);
            }
            let elapsed = time(&contenders[index].run, repeats[index]);
            times[index].0.push(elapsed.as_nanos() as f64 / f64::from(repeats[index]));
        }
    }
    times
}

/// Returns the middle one, or the mean of the two in the middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Returns the number of runs of a contender in one turn. The measurement warms it up.
fn repeats(run: &dyn Fn()) -> u32 {
    if time(run, 1) > TURN * SLOW {
        return 1;
    }
    let mut repeats = 1;
    // A single slow run does not count as slow. With one run in a turn it would always be timed
    // cold.
    while (0..TRIES).any(|_| time(run, repeats) < TURN) {
        repeats *= 2;
    }
    repeats
}

fn time(run: &dyn Fn(), repeats: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..repeats {
        run();
    }
    start.elapsed()
}
