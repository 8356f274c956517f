//! Random choices that follow from a seed, and the seeds of a test run.

use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

/// Choices that follow from a seed (splitmix64). Clones share one sequence.
#[derive(Clone, Debug)]
pub struct Dice(Arc<AtomicU64>);

impl Dice {
    /// Makes the choices of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(AtomicU64::new(seed)))
    }

    /// Returns a number below `limit`. Below 0 it is 0.
    #[must_use]
    pub fn below(&self, limit: u64) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let state = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)).checked_rem(limit).unwrap_or(0)
    }

    /// Returns a position in a list of this length.
    #[must_use]
    pub fn index(&self, length: usize) -> usize {
        // It is below a `usize`.
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }

    /// Returns true once in so many times, on average.
    #[must_use]
    pub fn one_in(&self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Returns true in this many of a hundred times, on average.
    #[must_use]
    pub fn percent(&self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Picks an element of a list.
    ///
    /// # Panics
    /// Panics if the list is empty.
    #[must_use]
    #[allow(clippy::indexing_slicing, reason = "a list of choices has one, as documented")]
    pub fn pick<'c, T>(&self, choices: &'c [T]) -> &'c T {
        &choices[self.index(choices.len())]
    }
}

/// The seeds that a test runs with.
///
/// A test run takes a few of them, always the same ones. With `ACP_TESTS=full` it takes all. Three
/// variables choose others:
///
/// | variable | runs |
/// |---|---|
/// | `ACP_SEED=4711` | this seed alone: a failure names the variable and its seed |
/// | `ACP_SEEDS=1000000` | so many seeds |
/// | `ACP_SEEDS_FROM=5000` | the seeds from this one on |
///
/// ```
/// use acp_testkit::{Dice, Seeds};
///
/// # fn main() -> Result<(), acp_testkit::SeedFault> {
/// Seeds::few(20).all(1000).each(|seed| {
///     let dice = Dice::new(seed);
///     let numbers: Vec<u64> = (0..dice.below(10)).map(|_| dice.below(6)).collect();
///     let mut sorted = numbers.clone();
///     sorted.sort_unstable();
///     if sorted.len() == numbers.len() { Ok(()) } else { Err(format!("{numbers:?}")) }
/// })
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "seeds do nothing until they are run"]
pub struct Seeds {
    first: u64,
    few: u64,
    all: u64,
}

impl Seeds {
    /// Takes this many seeds in every test run, from 0 on.
    pub const fn few(count: u64) -> Self {
        Self { first: 0, few: count, all: count }
    }

    /// Takes this many seeds with `ACP_TESTS=full`.
    pub const fn all(mut self, count: u64) -> Self {
        self.all = count;
        self
    }

    /// Begins with this seed.
    pub const fn from(mut self, first: u64) -> Self {
        self.first = first;
        self
    }

    /// Runs a test with each seed.
    ///
    /// # Errors
    /// Fails with the first seed whose test fails or panics, or if a variable is not a number.
    pub fn each(self, mut test: impl FnMut(u64) -> Result<(), String>) -> Result<(), SeedFault> {
        for seed in self.range()? {
            catch_unwind(AssertUnwindSafe(|| test(seed)))
                .unwrap_or_else(|_| panicked())
                .map_err(|problem| SeedFault { seed: Some(seed), problem })?;
        }
        Ok(())
    }

    /// Runs an asynchronous test with each seed, one after the other.
    ///
    /// # Errors
    /// Fails like [`each`](Self::each).
    pub async fn each_async(
        self,
        mut test: impl AsyncFnMut(u64) -> Result<(), String>,
    ) -> Result<(), SeedFault> {
        for seed in self.range()? {
            let mut run = pin!(test(seed));
            let outcome = std::future::poll_fn(|context| {
                let polled = catch_unwind(AssertUnwindSafe(|| run.as_mut().poll(context)));
                polled.unwrap_or_else(|_| Poll::Ready(panicked()))
            });
            outcome.await.map_err(|problem| SeedFault { seed: Some(seed), problem })?;
        }
        Ok(())
    }

    fn range(&self) -> Result<Range<u64>, SeedFault> {
        if let Some(seed) = number("ACP_SEED")? {
            return Ok(seed..seed.saturating_add(1));
        }
        let is_full = std::env::var_os("ACP_TESTS").is_some_and(|tests| tests == "full");
        let count = number("ACP_SEEDS")?.unwrap_or(if is_full { self.all } else { self.few });
        let first = number("ACP_SEEDS_FROM")?.unwrap_or(self.first);
        Ok(first..first.saturating_add(count))
    }
}

fn panicked() -> Result<(), String> {
    Err("it panicked (see above)".to_owned())
}

fn number(variable: &str) -> Result<Option<u64>, SeedFault> {
    let Ok(text) = std::env::var(variable) else { return Ok(None) };
    let number = text.parse().map(Some);
    number.map_err(|_| SeedFault { seed: None, problem: format!("{variable} must be a number") })
}

/// The failure of a test with a seed. `Debug` writes the same text as `Display`.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeedFault {
    /// The seed, `None` if no test has run.
    pub seed: Option<u64>,
    /// The reason.
    pub problem: String,
}

impl fmt::Display for SeedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(seed) = self.seed else { return f.write_str(&self.problem) };
        write!(f, "seed {seed}: {}\nto run it alone, set ACP_SEED={seed}", self.problem)
    }
}

impl fmt::Debug for SeedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SeedFault {}
