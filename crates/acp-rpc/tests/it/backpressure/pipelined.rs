//! Requests that come faster than their handlers get to run.

use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_json::Node;
use acp_rpc::{
    CloseReason, Delivery, Error, Options, Peer, Reply, Request, Service, Task, Transport, connect,
};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::task::yield_now;

use super::settle;
use crate::common::soon;

const COUNT: usize = 20_000;

/// Answers every request as soon as its handler runs, with its params; ignores notifications.
#[derive(Clone, Default)]
struct Prompt {
    /// The number of handlers that have not run, now and at most.
    waiting: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Service for Prompt {
    fn request(&self, _: &str, params: Node<'_>, _: Request) -> Result<Task, Error> {
        let params = params.as_str().unwrap_or_default().to_owned();
        let waiting = self.waiting.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(waiting, Ordering::SeqCst);
        let waiting = Arc::clone(&self.waiting);
        Ok(Box::pin(async move {
            waiting.fetch_sub(1, Ordering::SeqCst);
            Ok(Reply::new(params))
        }))
    }

    fn notification(&self, _: &str, _: Node<'_>, _: &Peer) -> Delivery {
        Delivery::Done
    }
}

/// Builds this many requests, the last one without its newline.
fn requests(count: usize, params: &str) -> Cursor<Vec<u8>> {
    let lines: Vec<String> = (0..count)
        .map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"do","params":"{params}"}}"#))
        .collect();
    Cursor::new(lines.join("\n").into_bytes())
}

/// Sends this many requests by a stream that is always ready. The peer reads only when nothing
/// moves any more, and every request gets its result. Returns the largest number of handlers that
/// had not run.
async fn all_are_answered(count: usize, params: &str, options: Options) -> usize {
    let service = Prompt::default();
    let (far, near) = tokio::io::duplex(4096);
    let (_peer, driver) = connect(Transport::new(requests(count, params), near), service.clone(), options);
    let driver = tokio::spawn(driver);
    settle().await;
    let mut lines = BufReader::new(far).lines();
    let mut answered = vec![false; count];
    while let Some(line) = soon("an answer", lines.next_line()).await.unwrap() {
        let (id, result) = line
            .strip_prefix(r#"{"jsonrpc":"2.0","id":"#)
            .and_then(|line| line.split_once(','))
            .unwrap_or_else(|| panic!("{line}"));
        assert!(result.starts_with(r#""result":"#), "{line}");
        assert!(!std::mem::replace(&mut answered[id.parse::<usize>().unwrap()], true), "{id} twice");
    }
    assert!(answered.iter().all(|answered| *answered), "some were not answered");
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Eof));
    service.most.load(Ordering::SeqCst)
}

async fn limits_do_not_meet_who_has_had_no_chance() {
    let most = all_are_answered(COUNT, "", Options::default()).await;
    assert!(most <= 64, "{most} handlers had not run");
    let tight = || Options::default().outgoing_budget(1000);
    all_are_answered(COUNT, "", tight()).await;
    all_are_answered(2000, "", tight().max_in_flight(1)).await;
    all_are_answered(2000, "", tight().max_in_flight(5)).await;
    let long = "x".repeat(1000);
    all_are_answered(2000, &long, tight().in_flight_budget(1)).await;
    all_are_answered(2000, &long, tight().in_flight_budget(20_000)).await;
}

#[tokio::test]
async fn limits_do_not_meet_who_has_had_no_chance_on_one_thread() {
    limits_do_not_meet_who_has_had_no_chance().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_do_not_meet_who_has_had_no_chance_on_several_threads() {
    limits_do_not_meet_who_has_had_no_chance().await;
}

/// Reads a stream that is always ready to its end. Returns the number of runs of another task of
/// the thread meanwhile.
async fn runs_beside(input: Vec<u8>) -> usize {
    let (far, near) = tokio::io::duplex(4096);
    let input = Cursor::new(input);
    let (peer, driver) = connect(Transport::new(input, near), Prompt::default(), Options::default());
    let beside = tokio::spawn(async move {
        let mut runs = 0;
        while !peer.is_closed() {
            runs += 1;
            yield_now().await;
        }
        runs
    });
    let reading = tokio::spawn(async move { tokio::io::copy(&mut { far }, &mut tokio::io::sink()).await });
    soon("the end of the input", driver).await;
    soon("the end of the output", reading).await.unwrap().unwrap();
    soon("the other task", beside).await.unwrap()
}

#[tokio::test]
async fn other_tasks_run_while_input_is_always_ready() {
    let line = |text: &str| format!("{text}\n").repeat(COUNT).into_bytes();
    let inputs = [
        ("notifications", 20, line(r#"{"jsonrpc":"2.0","method":"done"}"#)),
        ("reserved notifications", 20, line(r#"{"jsonrpc":"2.0","method":"$/progress"}"#)),
        ("answers to nothing", 20, line(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#)),
        ("requests", 20, requests(COUNT, "").into_inner()),
        ("blank lines", 20, line(&" ".repeat(1000))),
        // The longer it is, the more of it is read at once.
        ("one line", 5, format!("\"{}\"", "x".repeat(1000 * COUNT)).into_bytes()),
    ];
    for (what, least, input) in inputs {
        let runs = runs_beside(input).await;
        assert!(runs >= least, "another task ran {runs} times beside {what}");
    }
}
