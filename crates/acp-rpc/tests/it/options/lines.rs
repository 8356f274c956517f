//! Options of connections of lines at their extremes.

use std::time::Duration;

use acp_rpc::lines::{Head, LineOptions, Lines, connect};
use acp_rpc::{BoxFuture, CloseReason, Fault, Transport};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{SIZES, TIMES};
use crate::common::soon;

/// Writes back what comes, or `skipped`.
struct Echo(std::sync::Arc<std::sync::OnceLock<acp_rpc::lines::Outlet>>);

impl Echo {
    fn say(&self, text: &str) {
        self.0.get().unwrap().push(|buffer| buffer.extend_from_slice(text.as_bytes()));
    }
}

impl Lines for Echo {
    fn line(&self, line: &str) {
        self.say(line);
    }

    fn skipped(&self, _: &Head, _: Fault<'_>) {
        self.say("skipped");
    }

    fn pause(&self) -> Option<BoxFuture> {
        let outlet = self.0.get().unwrap().clone();
        Some(Box::pin(async move { outlet.room().await }))
    }

    fn ended(&self, _: &CloseReason) -> BoxFuture {
        Box::pin(async {})
    }
}

async fn play(options: LineOptions) -> String {
    let (here, mut far) = tokio::io::duplex(1024);
    let outlet = std::sync::Arc::default();
    let echo = Echo(std::sync::Arc::clone(&outlet));
    let (way, driver) = connect(Transport::from_stream(here), echo, options);
    outlet.set(way).unwrap();
    let driver = tokio::spawn(driver);
    far.write_all(b"one\ntwo\n").await.unwrap();
    let mut out = vec![0; 8];
    soon("output", far.read_exact(&mut out)).await.unwrap();
    far.shutdown().await.unwrap();
    soon("the rest", far.read_to_end(&mut out)).await.unwrap();
    soon("the end", driver).await.unwrap();
    String::from_utf8(out).unwrap()
}

#[tokio::test]
async fn every_size_and_time_works() {
    type Set<T> = fn(LineOptions, T) -> LineOptions;
    let (works, skipped) = ("one\ntwo\n", "skipped\nskipped\n");
    let sizes: [(&str, Set<usize>, [&str; 3]); 2] = [
        ("LineOptions::max_line", LineOptions::max_line, [skipped, skipped, works]),
        ("LineOptions::outgoing_budget", LineOptions::outgoing_budget, [works; 3]),
    ];
    for (name, set, outcomes) in sizes {
        for (size, outcome) in SIZES.into_iter().zip(outcomes) {
            assert_eq!(play(set(LineOptions::default(), size)).await, outcome, "{name}({size})");
        }
    }
    let times: [(&str, Set<Duration>); 2] = [
        ("LineOptions::drain", LineOptions::drain),
        ("LineOptions::pause_limit", |options, time| options.pause_limit(Some(time))),
    ];
    for (name, set) in times {
        for time in TIMES {
            assert_eq!(play(set(LineOptions::default(), time)).await, works, "{name}({time:?})");
        }
    }
}
