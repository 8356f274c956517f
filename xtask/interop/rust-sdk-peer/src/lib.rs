//! The common parts of the clients and agents of both versions.

use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_client_protocol::{AcpAgent, Error, Result};
use serde_json::{Map, Value, json};

/// A client's observations, which are printed at the end.
#[derive(Debug)]
pub struct Report {
    members: Mutex<Map<String, Value>>,
}

impl Report {
    /// Creates a report with these lists, which are empty.
    pub fn new(lists: &[&str]) -> Self {
        let members = lists.iter().map(|name| ((*name).to_owned(), json!([]))).collect();
        Report { members: Mutex::new(members) }
    }

    /// Sets a member.
    pub fn set(&self, name: &str, value: Value) {
        lock(&self.members).insert(name.to_owned(), value);
    }

    /// Adds an entry to one of the lists.
    pub fn note(&self, list: &str, value: Value) {
        if let Some(Value::Array(entries)) = lock(&self.members).get_mut(list) {
            entries.push(value);
        }
    }
}

/// Runs a client whose command line is a scenario, `--` and the command of an agent, and prints its
/// report.
pub async fn run_client(
    report: &Report,
    converse: impl AsyncFnOnce(AcpAgent, Value) -> Result<()>,
) -> Result<()> {
    let usage = || Error::invalid_params().data("usage: <scenario> -- <agent command>");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scenario, separator, command @ ..] = arguments.as_slice() else { return Err(usage()) };
    if separator != "--" {
        return Err(usage());
    }
    let scenario = serde_json::from_str(scenario).map_err(Error::into_internal_error)?;
    if let Err(error) = converse(AcpAgent::from_args(command)?, scenario).await {
        report.set("error", json!({ "code": error.code.value(), "message": error.to_string() }));
    }
    println!("{}", Value::Object(lock(&report.members).clone()));
    Ok(())
}

/// A poisoned lock only means that another handler panicked; what was noted stays true.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
