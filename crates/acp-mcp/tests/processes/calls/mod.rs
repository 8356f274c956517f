//! What is called on servers, and what they tell: each case against a server that is a process and one at an address, of
//! either era. This program starts itself as the process.

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

mod bounds;
mod consent;
mod fake;
mod http;
mod lists;
mod place;
mod rules;
mod updates;

use std::future::Future;
use std::pin::Pin;

use futures_util::{StreamExt as _, stream};

use crate::place::Binding;

type Case = fn(Binding) -> Pin<Box<dyn Future<Output = ()> + Send>>;

/// Makes a list of cases of functions that take a binding.
macro_rules! cases {
    ($($name:ident)*) => {
        pub fn all() -> Vec<(&'static str, crate::Case)> {
            vec![$((stringify!($name), |binding| Box::pin($name(binding)))),*]
        }
    };
}
pub(crate) use cases;

/// How many cases run at the same time.
const AT_ONCE: usize = 8;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, serve, config, log] = &arguments[..]
        && serve == "--serve"
    {
        return place::serve(config, log);
    }
    // As `cargo test` does, takes a part of a name to pick cases by.
    let picked =
        arguments.iter().skip(1).find(|argument| !argument.starts_with('-')).cloned().unwrap_or_default();
    let all = [lists::all(), updates::all(), consent::all(), rules::all(), bounds::all()].concat();
    let cases = all.into_iter().filter(|(name, _)| name.contains(&picked));
    let cases: Vec<_> =
        cases.flat_map(|case| [Binding::Stdio, Binding::Http].map(|binding| (case, binding))).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let failed = runtime.block_on(async {
        let running = stream::iter(cases).map(|((name, case), binding)| async move {
            let outcome = tokio::time::timeout(place::WAY_OUT, tokio::spawn(case(binding))).await;
            let is_ok = matches!(outcome, Ok(Ok(())));
            eprintln!("test calls: {name} {binding:?} ... {}", if is_ok { "ok" } else { "FAILED" });
            !is_ok
        });
        running.buffer_unordered(AT_ONCE).filter(|failed| std::future::ready(*failed)).count().await
    });
    assert_eq!(failed, 0, "cases failed");
}
