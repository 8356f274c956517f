//! The end of processes that outlive a check.

use std::fs;
use std::process::Command;

/// A name in the environment of a check, which its processes inherit.
pub(super) const VARIABLE: &str = "ACP_CONFORMANCE_RUN";

/// Ends all processes of a run, and returns how many there were. Only Linux shows them.
pub(super) fn end(run: &str) -> usize {
    let mark = format!("{VARIABLE}={run}");
    let processes = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_of_run = |id: &u32| {
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes())
    };
    let left: Vec<u32> = ids.filter(is_of_run).collect();
    for id in &left {
        // One that has gone by itself is as good.
        Command::new("kill").args(["-s", "KILL", &id.to_string()]).status().ok();
    }
    left.len()
}
