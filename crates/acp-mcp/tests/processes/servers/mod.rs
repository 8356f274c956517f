//! Servers that are processes: real ones of both eras, made with rmcp, and scripted ones with one
//! fault each.

mod called;
mod cases;
mod life;
mod options;
mod scene;
pub mod script;

use futures_util::future::join_all;

/// Runs the cases that have `picked` in their name, all at the same time, and returns how many
/// failed.
pub async fn run(picked: &str) -> usize {
    let cases = cases::all().into_iter().filter(|(name, _)| format!("servers::{name}").contains(picked));
    let running = cases.map(|(name, case)| async move {
        let outcome = tokio::time::timeout(scene::WAY_OUT, tokio::spawn(case())).await;
        let is_ok = matches!(outcome, Ok(Ok(())));
        eprintln!("test servers::{name} ... {}", if is_ok { "ok" } else { "FAILED" });
        !is_ok
    });
    join_all(running).await.into_iter().filter(|failed| *failed).count()
}
