//! Servers that are processes, of every kind there is: real ones of both eras, made with rmcp, and scripted ones that do
//! one thing wrong each. This program starts itself as those servers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test fails by panicking, and a server of its own prints"
)]

mod cases;
mod life;
#[path = "../options/mod.rs"]
mod options;
#[path = "../common/real.rs"]
mod real;
mod scene;
mod script;

use futures_util::future::join_all;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, serve, mode, log] = &arguments[..]
        && serve == "--serve"
    {
        return match mode.strip_prefix("real-") {
            Some(era) => real::serve_stdio(era),
            None => script::serve(mode, log),
        };
    }
    // As `cargo test` does, takes a part of a name to pick cases by.
    let picked =
        arguments.iter().skip(1).find(|argument| !argument.starts_with('-')).cloned().unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let cases: Vec<_> = cases::all().into_iter().filter(|(name, _)| name.contains(&picked)).collect();
    let failed = runtime.block_on(async {
        let running = cases.into_iter().map(|(name, case)| async move {
            let outcome = tokio::time::timeout(scene::WAY_OUT, tokio::spawn(case())).await;
            let is_ok = matches!(outcome, Ok(Ok(())));
            eprintln!("test servers: {name} ... {}", if is_ok { "ok" } else { "FAILED" });
            !is_ok
        });
        join_all(running).await.into_iter().filter(|failed| *failed).count()
    });
    assert_eq!(failed, 0, "cases failed");
}
