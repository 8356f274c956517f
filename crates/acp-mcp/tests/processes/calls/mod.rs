//! Calls on servers, and reports of servers. Each case runs against a server that is a process and
//! against one at an address, of either era.

mod bounds;
mod consent;
mod fake;
mod http;
mod lists;
pub mod place;
mod rules;
mod updates;

use std::future::Future;
use std::pin::Pin;

use futures_util::{StreamExt as _, stream};

use self::place::Binding;

pub type Case = fn(Binding) -> Pin<Box<dyn Future<Output = ()> + Send>>;

/// Makes a list of cases from functions that take a binding.
macro_rules! cases {
    ($($name:ident)*) => {
        pub fn all() -> Vec<(&'static str, $crate::calls::Case)> {
            vec![$((stringify!($name), |binding| Box::pin($name(binding)))),*]
        }
    };
}
pub(crate) use cases;

/// The number of cases that run at the same time.
const AT_ONCE: usize = 8;

/// Runs the cases that have `picked` in their name, over each binding, and returns how many failed.
pub async fn run(picked: &str) -> usize {
    let all = [lists::all(), updates::all(), consent::all(), rules::all(), bounds::all()].concat();
    let cases = all.into_iter().filter(|(name, _)| format!("calls::{name}").contains(picked));
    let cases: Vec<_> =
        cases.flat_map(|case| [Binding::Stdio, Binding::Http].map(|binding| (case, binding))).collect();
    let running = stream::iter(cases).map(|((name, case), binding)| async move {
        let outcome = tokio::time::timeout(place::WAY_OUT, tokio::spawn(case(binding))).await;
        let is_ok = matches!(outcome, Ok(Ok(())));
        eprintln!("test calls::{name} {binding:?} ... {}", if is_ok { "ok" } else { "FAILED" });
        !is_ok
    });
    running.buffer_unordered(AT_ONCE).filter(|failed| std::future::ready(*failed)).count().await
}
