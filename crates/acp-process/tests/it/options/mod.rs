//! Options at their extremes: each value works.
//!
//! `cargo test -p xtask` compares the names in these tables with the setters in the sources.

#[cfg(unix)]
use std::time::Duration;

use acp_process::Scrollback;

#[cfg(unix)]
use acp_process::{Command, Spawned};

#[cfg(unix)]
use crate::support::soon;

#[test]
fn scrollbacks_at_the_extremes_of_their_limit() {
    let name = "Scrollback::new";
    for (limit, kept) in [(0, ""), (1, "e"), (2, "\u{DF}"), (usize::MAX, "gr\u{F6}\u{DF}e")] {
        let mut scrollback = Scrollback::new(limit);
        scrollback.push(if limit == 2 { "gr\u{F6}\u{DF}" } else { "gr\u{F6}\u{DF}e" }.as_bytes());
        scrollback.end();
        assert_eq!((&*scrollback.text(), scrollback.is_truncated()), (kept, limit < 9), "{name}: {limit}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn programs_at_the_extremes_of_their_options() {
    const SIZES: [usize; 3] = [0, 1, usize::MAX];
    const TIMES: [Duration; 3] = [Duration::ZERO, Duration::from_nanos(1), Duration::MAX];
    type Set = fn(Command, usize) -> Command;
    let rows: [(&str, Set, [&str; 3]); 2] = [
        ("Command::grace", |command, at| command.grace(TIMES[at]), ["words\n"; 3]),
        ("Command::stderr_tail", |command, at| command.stderr_tail(SIZES[at]), ["", "\n", "words\n"]),
    ];
    for (name, set, tails) in rows {
        for (at, tail) in tails.into_iter().enumerate() {
            let command = Command::new("/bin/sh").arg("-c").arg("echo words >&2; exit 3");
            let Spawned { child, guard, .. } = set(command, at).spawn().unwrap();
            let exit = soon("the exit", child.wait()).await;
            assert_eq!((exit.status, exit.stderr_tail.as_str()), (Some(3), tail), "{name} at {at}");
            soon("the end", guard.end()).await;
        }
    }
}
