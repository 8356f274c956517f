//! Agents and servers that are killed with signal 9, at random moments.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use acp_agent::store::{Record, RecordKind, SessionStore, StoreError};
use acp_store_postgres::{Options, PostgresStore};
use testkit::Dice;

use crate::server::{Server, server_or_skip};
use crate::{connect, id, info, quick, read};

const URL: &str = "ACP_POSTGRES_TEST_URL";

/// The number of kills: few in each run, many with `ACP_TESTS=full`.
fn kills(few: u64, all: u64) -> u64 {
    if std::env::var_os("ACP_TESTS").is_some_and(|tests| tests == "full") { all } else { few }
}

/// Builds the record with this number. Some take several rows.
fn record(number: usize) -> Record {
    let filler = if number % 7 == 3 { 200_000 } else { number * 37 % 900 };
    let json = format!(r#"{{"n":{number},"filler":"{}"}}"#, "x".repeat(filler));
    let kind = if number % 13 == 4 { RecordKind::Settings } else { RecordKind::Update };
    Record::new(kind, json).unwrap()
}

/// Fails unless the session has the records from 0 on, in order, and at least the acknowledged
/// ones. Returns their number.
async fn check(store: &PostgresStore, acknowledged: usize, kill: u64) -> usize {
    let found = read(store, &id()).await;
    assert!(found.len() >= acknowledged, "kill {kill}: {} of {acknowledged} records", found.len());
    let in_order = found.iter().enumerate().all(|(number, found)| *found == record(number));
    assert!(in_order, "kill {kill}");
    found.len()
}

/// Runs in the child processes: writes records, and prints how many are written, until it is
/// killed.
#[tokio::test]
async fn writer() {
    let Some(url) = std::env::var_os(URL) else { return };
    let options = Options::new(url.to_str().unwrap()).unwrap().lease(Duration::from_secs(1));
    let store = PostgresStore::connect(&options).await.unwrap();
    let mut log = loop {
        match store.open(&id()).await {
            Err(StoreError::Busy { .. }) => tokio::time::sleep(Duration::from_millis(50)).await,
            opened => break opened.unwrap(),
        }
    };
    let mut number = read(&store, &id()).await.len();
    loop {
        let batch: Vec<_> = (number..).take(1 + number % 3).map(record).collect();
        number += batch.len();
        log.append(batch).await.unwrap();
        if number % 11 == 0 {
            log.set_title(Some(format!("{number}"))).await.unwrap();
        }
        writeln!(std::io::stderr(), "{number}").unwrap();
    }
}

fn start(url: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill::writer", "--nocapture"])
        .env(URL, url)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_agent_loses_no_acknowledged_record() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = connect(&quick(&database)).await;
    store.create(info()).await.unwrap().close().await.unwrap();
    let (dice, mut total) = (Dice::new(9), 0);
    for kill in 0..kills(6, 200) {
        let mut child = start(&database.url());
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut acknowledged = 0;
        for line in said.by_ref().take(1 + dice.index(8)) {
            acknowledged = line.unwrap().parse().unwrap();
        }
        // Some of these numbers let the kill come in the middle of the next statement.
        for _ in 0..dice.below(400_000) {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for line in said.map_while(Result::ok) {
            acknowledged = line.parse().unwrap();
        }
        let found = check(&store, acknowledged, kill).await;
        assert!(found > total, "kill {kill}: nothing was written");
        total = found;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_loses_no_acknowledged_record() {
    let mut server = server_or_skip!(Server::start());
    let database = server.database();
    let store = connect(&quick(&database).patience(Duration::from_secs(300))).await;
    let mut log = store.create(info()).await.unwrap();
    let acknowledged = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let writing = {
        let (acknowledged, stop) = (std::sync::Arc::clone(&acknowledged), std::sync::Arc::clone(&stop));
        tokio::spawn(async move {
            let mut number = 0;
            while !stop.load(std::sync::atomic::Ordering::Acquire) {
                let batch: Vec<_> = (number..).take(1 + number % 3).map(record).collect();
                number += batch.len();
                log.append(batch).await.unwrap();
                acknowledged.store(number, std::sync::atomic::Ordering::Release);
            }
            log.close().await.unwrap();
            number
        })
    };
    let dice = Dice::new(10);
    for kill in 0..kills(3, 60) {
        let before = acknowledged.load(std::sync::atomic::Ordering::Acquire);
        let until = Instant::now() + Duration::from_secs(300);
        while acknowledged.load(std::sync::atomic::Ordering::Acquire) < before + 1 + dice.index(40) {
            assert!(Instant::now() < until, "kill {kill}: nothing is written");
            tokio::task::yield_now().await;
        }
        server.kill();
        let written = acknowledged.load(std::sync::atomic::Ordering::Acquire);
        server.run();
        check(&store, written, kill).await;
    }
    stop.store(true, std::sync::atomic::Ordering::Release);
    let written = writing.await.unwrap();
    assert_eq!(check(&store, written, u64::MAX).await, written, "records were doubled");
}

/// A process that is stopped for longer than its lease, and then goes on (rule `rm-st-03`).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_agent_writes_nothing_more() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    let store = connect(&quick(&database)).await;
    store.create(info()).await.unwrap().close().await.unwrap();
    for round in 0..kills(2, 30) {
        let mut child = start(&database.url());
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        said.by_ref().take(5).for_each(|line| drop(line.unwrap()));
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
        let mut log = loop {
            match store.open(&id()).await {
                Err(StoreError::Busy { .. }) => tokio::time::sleep(Duration::from_millis(50)).await,
                opened => break opened.unwrap(),
            }
        };
        let number = read(&store, &id()).await.len();
        log.append(vec![record(number)]).await.unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
        // Its next record fails, and it ends.
        assert!(!child.wait().unwrap().success(), "it has gone on");
        assert_eq!(check(&store, number + 1, round).await, number + 1);
        log.append(vec![record(number + 1)]).await.unwrap();
        assert_eq!(check(&store, number + 2, round).await, number + 2);
        log.close().await.unwrap();
    }
}
