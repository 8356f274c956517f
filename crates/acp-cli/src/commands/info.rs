//! `acp info`: what an agent offers, as a table.

use acp_client::Agent;
use acp_client::sanitize::text;
use acp_client::v1::InitializeResponse;
use serde_json::Value;

use crate::args::info::InfoArgs;
use crate::commands::start::overdue;
use crate::outcome::{Failure, exit};
use crate::output::Output;
use crate::render::inert::inert;

/// Starts the agent, shows its answer to `initialize`, and ends it.
pub(crate) async fn run(args: InfoArgs) -> Result<u8, Failure> {
    overdue(shown(&args).await)
}

async fn shown(args: &InfoArgs) -> Result<u8, Failure> {
    let agent = start(args).await?;
    let response = agent.initialize_response();
    let shown = if args.json { inert(&json(response)?) } else { table(response)? };
    agent.close().await;
    let mut output = Output::new();
    output.add(&mut shown.into_bytes());
    output.flush().await?;
    Ok(exit::DONE)
}

async fn start(args: &InfoArgs) -> Result<Agent, Failure> {
    let (connect, outcome) = args.agent.find()?.connect(false);
    let connect =
        connect.info("acp", env!("CARGO_PKG_VERSION")).versions(args.protocol.versions().iter().copied());
    let connect = match args.init_timeout {
        Some(limit) => connect.initialize_timeout(limit),
        None => connect,
    };
    outcome.settle(connect.await).await
}

fn json(response: &InitializeResponse) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(response)? + "\n")
}

/// Returns a line per fact: its name, and its value in a column of its own.
fn table(response: &InitializeResponse) -> Result<String, serde_json::Error> {
    let mut rows = Vec::new();
    let mut response = serde_json::to_value(response)?;
    let mut take = |name: &str| response.get_mut(name).map(Value::take).unwrap_or_default();
    leaves("protocol version", &take("protocolVersion"), &mut rows);
    leaves("agent", &take("agentInfo"), &mut rows);
    leaves("", &take("agentCapabilities"), &mut rows);
    match take("authMethods") {
        Value::Array(methods) => {
            for method in &methods {
                rows.push(("login".to_owned(), login(method)));
            }
        }
        other => leaves("login", &other, &mut rows),
    }
    leaves("_meta", &take("_meta"), &mut rows);
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    Ok(rows.iter().map(|(name, value)| format!("{name:width$}  {value}\n")).collect())
}

/// Adds a row for each value that holds no others. An empty object is how a capability says yes.
///
/// Nothing here knows the names of capabilities, so that new ones and an agent's own are shown too.
fn leaves(path: &str, value: &Value, rows: &mut Vec<(String, String)>) {
    let shown = match value {
        Value::Null => return,
        Value::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                let separator = if path.is_empty() { "" } else { "." };
                leaves(&format!("{path}{separator}{name}"), value, rows);
            }
            return;
        }
        Value::Object(_) | Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(value) => value.clone(),
        other => other.to_string(),
    };
    rows.push((on_a_line(path), on_a_line(&shown)));
}

fn login(method: &Value) -> String {
    let part = |name: &str| method.get(name).and_then(Value::as_str);
    let id = part("id").unwrap_or("?");
    let kind = part("type").map(|kind| format!(" ({kind})")).unwrap_or_default();
    let name = part("name").filter(|name| *name != id).map(|name| format!(": {name}")).unwrap_or_default();
    on_a_line(&format!("{id}{kind}{name}"))
}

/// Returns the text without characters that would leave its line or change the terminal.
fn on_a_line(value: &str) -> String {
    text(value).replace(['\n', '\t'], " ")
}
