//! Simulations by seed: the source of their choices, and the seeds that run.
//!
//! `ACP_TESTS=full` runs all seeds that belong to a change, instead of the few that belong to every
//! test run. `ACP_SIMULATIONS=1000000` runs that many, and `ACP_SIMULATION_FROM=5000` begins there.
//! A failure names its seed; `ACP_SIMULATION_SEED=4711` replays it alone.

#![allow(dead_code, reason = "each simulation uses its own part of this")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Choices that follow from a seed (splitmix64). Clones share one sequence.
#[derive(Clone)]
pub(crate) struct Dice(Arc<AtomicU64>);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Arc::new(AtomicU64::new(seed)))
    }

    /// A number below `limit`.
    pub(crate) fn below(&self, limit: u64) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let state = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    /// Returns true once in this many times, on average.
    pub(crate) fn one_in(&self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a, T>(&self, choices: &'a [T]) -> &'a T {
        &choices[self.index(choices.len())]
    }

    pub(crate) fn index(&self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap()
    }
}

/// Runs a simulation for every seed that was asked for; panics with the first one that finds a
/// problem.
pub(crate) fn each_seed(few: u64, all: u64, simulate: impl Fn(u64) -> Result<(), String>) {
    let seeds = match (number("ACP_SIMULATION_SEED"), number("ACP_SIMULATIONS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, count) => {
            let first = number("ACP_SIMULATION_FROM").unwrap_or(0);
            let is_full = std::env::var_os("ACP_TESTS").is_some_and(|tests| tests == "full");
            first..first + count.unwrap_or(if is_full { all } else { few })
        }
    };
    for seed in seeds {
        let outcome = catch_unwind(AssertUnwindSafe(|| simulate(seed)));
        let problem = match outcome {
            Ok(Ok(())) => continue,
            Ok(Err(problem)) => problem,
            Err(_) => "it panicked (see above)".to_owned(),
        };
        panic!("seed {seed}: {problem}\nto see it alone, set ACP_SIMULATION_SEED={seed}");
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} must be a number")))
}
