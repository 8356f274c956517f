//! The end of a connection, in every way: waiters learn the reason, handlers are stopped, and no
//! task, thread or process survives. Each case has a process of its own on either kind of runtime,
//! so that everything that it counts belongs to it.

mod scene;
mod survivors;

use std::process::Command;

const CASE: &str = "ACP_RPC_TEST_CASE";
const WORKERS: &str = "ACP_RPC_TEST_WORKERS";

/// Plays the case that the environment names, if it names one.
pub(crate) fn plays_a_part() -> bool {
    let Ok(name) = std::env::var(CASE) else { return false };
    let case = scene::cases().into_iter().find(|case| case.name == name).unwrap();
    let workers = std::env::var(WORKERS).unwrap().parse().unwrap();
    survivors::none_of(workers, case.play());
    true
}

pub(crate) fn run(is_picked: impl Fn(&str) -> bool) {
    let play = |(name, workers): (&'static str, u8)| {
        let mut process = Command::new(std::env::current_exe().unwrap());
        (name, workers, process.env(CASE, name).env(WORKERS, workers.to_string()).spawn().unwrap())
    };
    let names = scene::cases().into_iter().map(|case| case.name);
    let names = names.filter(|name| is_picked(&format!("lifecycle: {name}")));
    // All at once, because most of the time they wait.
    let mut playing: Vec<_> = names.flat_map(|name| [(name, 0), (name, 2)]).map(play).collect();
    for (name, workers, process) in &mut playing {
        let passed = process.wait().unwrap().success();
        eprintln!("test lifecycle: {name} ({workers} workers) ... {}", if passed { "ok" } else { "FAILED" });
    }
    assert!(playing.iter_mut().all(|(_, _, process)| process.wait().unwrap().success()), "cases failed");
}
