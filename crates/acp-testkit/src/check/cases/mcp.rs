//! MCP servers that the checker gives to a session: the agent starts them, and they say so.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::loopback::Place;
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v1-mcp-01", "a session with an MCP server over stdio", one_server),
    case!("v1-mcp-03", "a session with two MCP servers over stdio", two_servers),
];

async fn one_server(t: &mut Tester) -> Step {
    let seen = Servers::give(t, &["acp-check-one"]).await?;
    if !seen.connected.is_empty() {
        return Ok(());
    }
    let offers = t.capability("mcpCapabilities").await?;
    let other = ["http", "sse", "acp"].into_iter().find(|name| offers.get(*name) == Some(&Value::Bool(true)));
    match other {
        None => Err(Stop::NotApplicable(NO_USE.to_owned())),
        Some(_) if seen.turn.is_err() => Err(seen.open()),
        Some(name) => Err(Stop::Fail(format!(
            "the agent offers MCP servers by `mcpCapabilities.{name}`, takes one over stdio and does not \
             connect to it, not even for a turn"
        ))),
    }
}

async fn two_servers(t: &mut Tester) -> Step {
    let names = ["acp-check-one", "acp-check-two"];
    let seen = Servers::give(t, &names).await?;
    match names.iter().find(|name| !seen.connected.contains(**name)) {
        None => Ok(()),
        Some(_) if seen.connected.is_empty() => Err(Stop::NotApplicable(NO_USE.to_owned())),
        Some(_) if seen.turn.is_err() => Err(seen.open()),
        Some(name) => Err(Stop::Fail(format!("of two MCP servers the agent does not connect to `{name}`"))),
    }
}

const NO_USE: &str = "the agent takes MCP servers and connects to none: it may have no use for tools";

/// The servers of a session that have said that the agent is there.
struct Servers {
    connected: BTreeSet<String>,
    /// The outcome of a turn, which an agent that connects late needs.
    turn: Step,
}

impl Servers {
    /// Opens a session with these servers, and waits for all of them.
    async fn give(t: &mut Tester, names: &[&str]) -> Step<Self> {
        if t.options.mcp_server.is_empty() {
            return Err(Stop::Inconclusive("no program is set that plays an MCP server".to_owned()));
        }
        // A session without a server shows that sessions can be opened.
        t.session().await?;
        let place = Place::open().map_err(|error| {
            Stop::Inconclusive(format!("the MCP server would have no address: {}", error.kind()))
        })?;
        let entries = names.iter().map(|name| entry(t, &place, name)).collect();
        let params = with(t.setup(), "mcpServers", Value::Array(entries));
        let reply = t.call("session/new", params).await?;
        let limit = t.options.limit;
        let mut servers = Self { connected: BTreeSet::new(), turn: Ok(()) };
        let Some(session) = reply.message.pointer("/result/sessionId").and_then(Value::as_str) else {
            servers.wait(&place, names.len(), limit / 4).await;
            return match reply.message.code() {
                // Nothing but the servers differs from a session that could be opened.
                Some(-32602) => reply.result("`session/new` with MCP servers over stdio").map(|_| servers),
                _ if servers.connected.len() == names.len() => Ok(servers),
                code => Err(Stop::Inconclusive(format!(
                    "`session/new` with MCP servers ends with the error {}: the agent may run where they \
                     cannot be started",
                    code.unwrap_or_default()
                ))),
            };
        };
        servers.wait(&place, names.len(), limit / 4).await;
        if servers.connected.len() < names.len() {
            let prompt = t.options.prompt.clone();
            servers.turn = t.turn(session, &prompt).await.map(drop);
            servers.wait(&place, names.len(), limit).await;
        }
        Ok(servers)
    }

    /// Waits until so many have said it. Others on this machine may connect, too.
    async fn wait(&mut self, place: &Place, count: usize, limit: Duration) {
        while self.connected.len() < count {
            let Ok(Ok(mut stream)) = timeout(limit, place.accept()).await else { return };
            let greeting = timeout(limit, place.greeted(&mut stream)).await.ok().flatten();
            let server = greeting.as_ref().and_then(|greeting| greeting.get("server")?.as_str());
            self.connected.extend(server.map(str::to_owned));
        }
    }

    /// The reason that leaves a rule open if the turn did not succeed.
    fn open(self) -> Stop {
        let reason = self.turn.err().map(Stop::reason).unwrap_or_default();
        Stop::Inconclusive(format!("the agent may connect to MCP servers in a turn: {reason}"))
    }
}

/// The entry of a server in `mcpServers`.
fn entry(t: &Tester, place: &Place, name: &str) -> Value {
    let mut words = t.options.mcp_server.iter();
    let command = words.next();
    let args: Vec<&str> = words.map(String::as_str).chain([&*place.address, &*place.token, name]).collect();
    json!({"name": name, "command": command, "args": args, "env": []})
}
