//! The place of processes: on one processor and before others, or free.
//!
//! It holds for this process and for processes that it starts later. On a busy machine only one
//! processor and a better priority make the ratios stable. With several processors, the two ends of
//! a connection run at the same time.

use anyhow::{Context as _, Result};
use rustix::process::setpriority_process;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The best priority, for a process that may have it.
const FIRST: i32 = -20;

/// Pins this process to the last processor that it may use.
pub fn pin() -> Result<()> {
    let allowed = sched_getaffinity(None)?;
    let last = (0..CpuSet::MAX_CPU).rev().find(|&cpu| allowed.is_set(cpu)).context("no processor")?;
    let mut one = CpuSet::new();
    one.set(last);
    sched_setaffinity(None, &one)?;
    if setpriority_process(None, FIRST).is_err() {
        eprintln!("without a better priority than others: that takes more rights");
    }
    Ok(())
}

/// Takes all processors and the usual priority again.
pub fn unpin() -> Result<()> {
    let mut all = CpuSet::new();
    (0..CpuSet::MAX_CPU).for_each(|cpu| all.set(cpu));
    sched_setaffinity(None, &all)?;
    let _ = setpriority_process(None, 0);
    Ok(())
}

/// Runs a function with all processors and the usual priority, and pins this process again.
pub fn unpinned<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    unpin()?;
    let result = run();
    pin()?;
    result
}
