//! A process and all that it has started end together, in every way of ending.

use std::time::Duration;

use acp_process::Spawned;
use tokio::io::AsyncReadExt;
use tokio::runtime::Builder;

use super::life::{LifeLine, all_ended};
use super::role::{living, role};
use crate::support::{GUARD, soon};

/// Next to no time to exit.
const GRACE: Duration = Duration::from_millis(100);

#[tokio::test]
async fn an_end_is_the_end_of_every_process() {
    let life_line = LifeLine::new().await;
    let Spawned { stdout: _stdout, child, guard, .. } =
        living("root", &life_line.address()).grace(GRACE).spawn().unwrap();
    let lives = life_line.lives(3).await;
    soon("the end", guard.end()).await;
    all_ended(lives).await;
    assert_eq!(soon("the exit", child.wait()).await.status, Some(1), "that of a job that is ended");
}

#[tokio::test]
async fn a_guard_that_is_dropped_ends_every_process() {
    let life_line = LifeLine::new().await;
    let Spawned { stdout: _stdout, guard, .. } =
        living("root", &life_line.address()).grace(GRACE).spawn().unwrap();
    let lives = life_line.lives(3).await;
    drop(guard);
    all_ended(lives).await;
}

#[tokio::test]
async fn what_a_process_leaves_behind_ends_with_it() {
    let life_line = LifeLine::new().await;
    let spawned = living("root", &life_line.address()).grace(GUARD).spawn().unwrap();
    let (mut running, _output) = living("root", &life_line.address()).run().unwrap();
    let mut lives = life_line.lives(6).await;
    for root in lives.iter_mut().filter(|life| life.role == "root") {
        root.order_to_exit().await;
    }
    assert_eq!(soon("the exit", spawned.child.wait()).await.status, Some(9));
    assert_eq!(soon("the exit", running.exited()).await.status, Some(9));
    soon("the rest", running.gone()).await;
    // Both are still held.
    all_ended(lives).await;
}

#[tokio::test]
async fn a_command_that_is_ended_or_dropped_ends_every_process() {
    let life_line = LifeLine::new().await;
    let (mut ended, _output) = living("root", &life_line.address()).grace(GRACE).run().unwrap();
    let (dropped, _output) = living("root", &life_line.address()).run().unwrap();
    let lives = life_line.lives(6).await;
    assert_eq!(soon("the end", ended.end()).await.status, Some(1));
    drop(dropped);
    all_ended(lives).await;
}

#[test]
fn the_end_of_a_runtime_ends_every_process() {
    let mut kinds = [Builder::new_current_thread(), Builder::new_multi_thread()];
    for there in &mut kinds {
        let here = Builder::new_current_thread().enable_all().build().unwrap();
        let there = there.worker_threads(2).enable_all().build().unwrap();
        let life_line = here.block_on(LifeLine::new());
        let root = living("root", &life_line.address()).grace(GUARD);
        let _spawned = there.block_on(async { root.spawn().unwrap() });
        let lives = here.block_on(life_line.lives(3));
        drop(there);
        here.block_on(all_ended(lives));
    }
}

#[tokio::test]
async fn nothing_is_left_of_a_client_that_is_killed() {
    let life_line = LifeLine::new().await;
    let mut client = living("client", &life_line.address()).to_std().spawn().unwrap();
    let lives = life_line.lives(6).await;
    client.kill().unwrap();
    client.wait().unwrap();
    all_ended(lives).await;
}

#[tokio::test]
async fn a_process_prints_nothing_past_its_pipes() {
    let (mut running, mut output) = role("console").run().unwrap();
    let mut printed = String::new();
    soon("the output", output.read_to_string(&mut printed)).await.unwrap();
    assert_eq!(soon("the exit", running.exited()).await.status, Some(0));
    assert!(!printed.contains("stray"), "{printed}");
}
