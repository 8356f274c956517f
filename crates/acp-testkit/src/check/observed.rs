//! A conversation of an agent and a client, judged by the rules that its lines show.

use acp_types::method::Side;
use serde_json::Value;

use super::passive::Findings;
use super::passive::conversation::{Conversation, Said};
use super::rules::Rule;
use super::subject::Recording;
use super::{client_side, passive};
use crate::peer::{Line, Way};

/// A breach of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Breach {
    /// The rule.
    pub rule: &'static Rule,
    /// The side that breaks it.
    pub side: Side,
    /// The lines that show it, from 0 on, in no order. The rule is broken with the last of them.
    pub lines: Vec<usize>,
    /// The reason, for people.
    pub reason: String,
}

/// Judges a conversation by the rules of either side that each line can break: the form of
/// messages, the order of a turn, the use of capabilities. Each line comes with its writer, without
/// its line end. The conversation may go on: nothing is said about a request without an answer.
///
/// The rules are those of the version that the agent has chosen, or of version 1 if it has chosen
/// none so far. An `initialize` that asked for another version is not judged. Returns the first 100
/// breaches of each rule, in the order of their lines.
///
/// ```
/// use acp_testkit::check::observe;
/// use acp_types::method::Side;
///
/// let params = r#"{"protocolVersion":1}"#;
/// let asked = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#);
/// let answered = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"1"}}"#;
/// let breaches = observe([(Side::Client, asked.into()), (Side::Agent, answered.into())]);
/// assert!(breaches.iter().any(|breach| breach.side == Side::Agent && breach.lines == [1]));
/// ```
pub fn observe(lines: impl IntoIterator<Item = (Side, Vec<u8>)>) -> Vec<Breach> {
    let (mut agents, mut clients) = (Vec::new(), Vec::new());
    for (side, bytes) in lines {
        // A recording of the checker has the words of the side that it judges as received.
        let (as_agent, as_client) =
            if side == Side::Agent { (Way::Received, Way::Sent) } else { (Way::Sent, Way::Received) };
        agents.push(Line::new(as_agent, bytes.clone(), true));
        clients.push(Line::new(as_client, bytes, true));
    }
    // Until the agent has spoken nobody knows the version.
    if !agents.iter().any(|line| line.way == Way::Received) {
        return Vec::new();
    }
    let (is_second, foreign) = versions(&Conversation::new(&agents, Side::Agent));
    let (agents, clients) = ([Recording { lines: agents }], [Recording { lines: clients }]);
    let of_agent = judge_agent(is_second, &agents);
    let of_client = client_side::observe(is_second, &clients);
    let mut breaches: Vec<Breach> = [(Side::Agent, of_agent), (Side::Client, of_client)]
        .into_iter()
        .flat_map(|(side, findings)| findings.breaches().map(move |found| (side, found)))
        .filter(|(_, (_, breach))| !breach.lines.iter().any(|line| foreign.contains(line)))
        .filter_map(|(side, (rule, breach))| {
            Some(Breach { rule: Rule::find(rule)?, side, lines: breach.lines, reason: breach.reason })
        })
        .collect();
    breaches.sort_by_key(|breach| breach.lines.iter().max().copied());
    breaches
}

/// Returns true if the agent has chosen version 2, and the lines with an `initialize` that asked
/// for another version than the chosen one: it has the form of that version.
fn versions(conversation: &Conversation<'_>) -> (bool, Vec<usize>) {
    let chosen = conversation.version().unwrap_or(1);
    let asks = |said: &&Said| said.method() == "initialize" && !said.is_agents();
    let asked = |said: &Said| said.params().get("protocolVersion").and_then(Value::as_u64);
    let differs = |said: &&Said| asked(said).is_some_and(|asked| asked != chosen);
    let foreign = conversation.said.iter().filter(asks).filter(differs).map(|said| said.line).collect();
    (chosen == 2, foreign)
}

fn judge_agent(is_second: bool, recordings: &[Recording]) -> Findings {
    #[cfg(feature = "v2")]
    if is_second {
        return super::v2::judge(recordings);
    }
    let _ = is_second;
    passive::judge(recordings)
}
