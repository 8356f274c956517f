//! Servers that are processes.
//!
//! A program of its own, without the harness: it starts itself as those servers, whose stdout is
//! the wire, and the harness prints there before the first test.

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

#[cfg(feature = "http")]
mod calls;
#[path = "../it/support/real.rs"]
mod real;
mod servers;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, serve, mode, log] = &arguments[..] {
        match (serve.as_str(), mode.strip_prefix("real-")) {
            ("--serve", Some(era)) => return real::serve_stdio(era),
            ("--serve", None) => return servers::script::serve(mode, log),
            #[cfg(feature = "http")]
            ("--serve-fake", _) => return calls::place::serve(mode, log),
            _ => {}
        }
    }
    // The first argument picks cases by a part of their name, as with `cargo test`.
    let picked =
        arguments.iter().skip(1).find(|argument| !argument.starts_with('-')).cloned().unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let failed = runtime.block_on(async {
        let failed = servers::run(&picked).await;
        #[cfg(feature = "http")]
        let failed = failed + calls::run(&picked).await;
        failed
    });
    assert_eq!(failed, 0, "cases failed");
}
