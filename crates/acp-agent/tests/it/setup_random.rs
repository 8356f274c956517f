//! Random set-ups: no update is ever seen for a session that the client does not know.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use acp_agent::types::{ContentChunk, SessionUpdate};
use acp_agent::{
    Agent, LoadSession, NewSession, Opened, Opening, OpensSession, Result, ResumeSession, StopReason, Turn,
    agent,
};
use serde_json::{Value, json};
use testkit::{Dice, Message, ScriptedPeer, Seeds};

async fn pause(dice: &Dice) {
    for _ in 0..dice.below(4) {
        tokio::task::yield_now().await;
    }
}

/// An agent that does at random everything that is allowed while a session is opened. The name of
/// the working directory is the seed.
struct Restless;

impl Restless {
    async fn open<O: OpensSession>(&self, open: Opening<O>) -> Result<Opened<()>> {
        let seed: u64 = open.cwd().file_name().unwrap().to_str().unwrap().parse().unwrap();
        let dice = Dice::new(seed);
        for number in 0..dice.below(4) {
            pause(&dice).await;
            open.update(chunk(seed, number)).await?;
        }
        if dice.percent(40) {
            let dice = Dice::new(seed + 1);
            open.after_response(async move |open| {
                pause(&dice).await;
                let _ = open.update(chunk(seed, 100)).await;
            });
        }
        if dice.percent(50) {
            // A task of the agent's own may send its updates at any time, and also for a session
            // that is not opened.
            let (open, dice) = (open.clone(), Dice::new(seed + 2));
            tokio::spawn(async move {
                for number in 200..200 + dice.below(4) {
                    pause(&dice).await;
                    let _ = open.update(chunk(seed, number)).await;
                }
            });
        }
        pause(&dice).await;
        if dice.percent(25) {
            return Err("not today".into());
        }
        let opened = Opened::new(());
        Ok(if dice.percent(30) { opened.session_id(format!("chosen-{seed}")) } else { opened })
    }
}

fn chunk(seed: u64, number: u64) -> SessionUpdate {
    SessionUpdate::AgentMessageChunk(ContentChunk::text(format!("{seed} {number}")))
}

#[agent]
impl Restless {
    async fn new_session(&self, open: NewSession) -> Result<Opened<()>> {
        self.open(open).await
    }

    async fn load_session(&self, open: LoadSession) -> Result<Opened<()>> {
        self.open(open).await
    }

    async fn resume_session(&self, open: ResumeSession) -> Result<Opened<()>> {
        self.open(open).await
    }

    async fn close_session(&self) -> Result<()> {
        Ok(())
    }

    async fn delete_session(&self) -> Result<()> {
        Ok(())
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say("0 0").await?;
        Ok(StopReason::EndTurn)
    }
}

/// A request of the client. The script keeps it by its id.
struct Asked {
    method: &'static str,
    session: Option<String>,
    seed: u64,
}

/// Sends a few requests at once.
fn script(dice: &Dice) -> (String, HashMap<u64, Asked>) {
    let mut lines = format!("{}\n", request(0, "initialize", &json!({"protocolVersion": 1})));
    let mut asked = HashMap::new();
    for id in 1..=2 + dice.below(7) {
        let session = (*dice.pick(&["a", "b"])).to_owned();
        let seed = dice.below(1 << 30) * 10;
        let setup = json!({"sessionId": session, "cwd": format!("/{seed}"), "mcpServers": []});
        let without_servers = json!({"sessionId": session, "cwd": format!("/{seed}")});
        let named = json!({"sessionId": session, "prompt": [{"type": "text", "text": "hi"}]});
        let (method, params) = match dice.below(10) {
            0..2 => ("session/new", setup),
            2..5 => ("session/load", setup),
            5..7 => ("session/resume", without_servers),
            7 => ("session/close", named),
            8 => ("session/delete", named),
            _ => ("session/prompt", named),
        };
        lines.push_str(&format!("{}\n", request(id, method, &params)));
        let session = (method != "session/new").then_some(session);
        asked.insert(id, Asked { method, session, seed });
        if dice.percent(15) {
            let cancel = json!({"requestId": 1 + dice.below(id)});
            lines.push_str(&format!(
                "{}\n",
                json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": cancel})
            ));
        }
    }
    (lines, asked)
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Checks the messages of the agent, in the order in which the client gets them.
fn check(said: &[Message], mut asked: HashMap<u64, Asked>) {
    let mut known = HashSet::new();
    // For each opening, the number of the last update that the handler itself has sent.
    let mut last: HashMap<u64, u64> = HashMap::new();
    for message in said {
        if let Some(session) = message["params"]["sessionId"].as_str() {
            let is_loading =
                |asked: &Asked| asked.method == "session/load" && asked.session.as_deref() == Some(session);
            assert!(known.contains(session) || asked.values().any(is_loading), "{message:?}\nin\n{said:?}");
            let text = message["params"]["update"]["content"]["text"].as_str().unwrap();
            let (seed, number) = text.split_once(' ').unwrap();
            let (seed, number): (u64, u64) = (seed.parse().unwrap(), number.parse().unwrap());
            let is_held = |asked: &Asked| asked.seed == seed && asked.method != "session/load" && seed > 0;
            assert!(!asked.values().any(is_held), "an update before its answer: {message:?}\nin\n{said:?}");
            if number < 100 && seed > 0 {
                let before = last.insert(seed, number);
                assert_eq!(number, before.map_or(0, |before| before + 1), "{message:?}\nin\n{said:?}");
            }
            continue;
        }
        let id = message["id"].as_u64().unwrap();
        if id == 0 {
            continue;
        }
        let Asked { method, session, .. } = asked.remove(&id).expect("answered once");
        let result = message.get("result");
        match (method, session, result) {
            ("session/new", _, Some(result)) => {
                known.insert(result["sessionId"].as_str().unwrap().to_owned());
            }
            ("session/load" | "session/resume", Some(session), Some(_)) => {
                known.insert(session);
            }
            ("session/close" | "session/delete", Some(session), Some(_)) => {
                known.remove(&session);
            }
            _ => {}
        }
    }
    assert!(asked.is_empty(), "everything is answered");
}

async fn run<A: Agent>(agent: Arc<A>, seed: u64) {
    let dice = Dice::new(seed);
    let (lines, asked) = script(&dice);
    let capacity = 64 << dice.below(10);
    let (transport, mut client) = ScriptedPeer::pair_of(capacity);
    let options = acp_agent::Options::default().outgoing_budget(capacity);
    let served = tokio::spawn(acp_agent::serve_with(agent, transport, options));
    client.raw(lines).await.unwrap();
    client.close().await;
    let said = client.rest().await.unwrap();
    served.await.unwrap().unwrap();
    check(&said, asked);
}

#[tokio::test]
async fn no_update_is_seen_for_an_unknown_session() {
    let agent = Arc::new(Restless);
    let runs = async |seed| {
        run(Arc::clone(&agent), seed).await;
        Ok(())
    };
    Seeds::few(1_500).all(9_000).each_async(runs).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nor_where_everything_runs_at_the_same_time() {
    let agent = Arc::new(Restless);
    let runs = async |seed| {
        run(Arc::clone(&agent), seed).await;
        Ok(())
    };
    Seeds::few(500).all(1_000).from(9_000).each_async(runs).await.unwrap();
}
