//! Order from end to end, under load: many sessions, small buffers, slow readers.

use acp_agent::store::MemoryStore;
use acp_agent::{StopReason, Turn, agent};
use acp_client::{Agent, PermissionPolicy};
use acp_http::Remote;
use acp_http::server::{Listening, Options, Server};
use acp_testkit::{Dice, Seeds};
use futures_util::future::try_join_all;

/// Says as many numbers as it is asked for, with text of changing length between them.
struct Counting(MemoryStore);

#[agent(store = self.0.clone())]
impl Counting {
    async fn prompt(&self, turn: Turn) -> acp_agent::Result<StopReason> {
        let count: usize = turn.text().parse().unwrap_or(0);
        for number in 0..count {
            turn.say(piece(number)).await?;
            if number % 7 == 0 {
                tokio::task::yield_now().await;
            }
        }
        Ok(StopReason::EndTurn)
    }
}

fn piece(number: usize) -> String {
    format!("{number}{}", " ".repeat(1 + number * 37 % 300))
}

fn said(count: usize) -> String {
    (0..count).map(piece).collect()
}

async fn serve(dice: &Dice) -> Listening {
    let sessions = MemoryStore::new(usize::MAX);
    let buffer = *dice.pick(&[0, 1, 300, 4_000, 1_000_000]);
    let options = Options::new().buffer(buffer).connections_per_address(100).unconfirmed(100);
    let run = move |transport, _| acp_agent::serve(Counting(sessions.clone()), transport);
    Server::new(options, run).listen("127.0.0.1:0").await.unwrap()
}

type Way = fn(String) -> Remote;

const WAYS: [(&str, Way); 3] = [
    ("WebSocket", |url| acp_http::ws(url)),
    ("HTTP/1.1", |url| acp_http::http(url)),
    ("HTTP/2", |url| acp_http::http(url).h2c()),
];

/// A reader that is late now and then.
async fn linger(dice: &Dice) {
    if dice.one_in(3) {
        for _ in 0..dice.below(20) {
            tokio::task::yield_now().await;
        }
    }
}

async fn connect(way: Way, listening: &Listening) -> Agent {
    let remote = way(format!("http://{}/acp", listening.address()));
    acp_client::connect(remote).permissions(PermissionPolicy::reject()).await.unwrap()
}

/// One session: turns, each of which must be whole when its answer is there, and then its replay by
/// another connection, which must be whole when `session/load` is answered.
async fn session(agent: &Agent, other: &Agent, dice: Dice) -> Result<(), String> {
    let session = agent.new_session("/work").await.map_err(|error| error.to_string())?;
    let mut history = String::new();
    for _ in 0..1 + dice.below(3) {
        let count = dice.index(60);
        let mut turn = session.prompt(count.to_string()).await.map_err(|error| error.to_string())?;
        let mut text = String::new();
        while let Some(event) = turn.next().await {
            text.extend(event.text());
            linger(&dice).await;
        }
        turn.finish().await.map_err(|error| error.to_string())?;
        if text != said(count) {
            return Err(format!("of {count} pieces: {text}"));
        }
        history.push_str(&text);
    }
    session.close().await.map_err(|error| error.to_string())?;
    let mut replay = other
        .load_session(session.id().clone(), "/work")
        .replay()
        .await
        .map_err(|error| error.to_string())?;
    let mut text = String::new();
    while let Some(event) = replay.next().await {
        // What the user said is replayed, too.
        text.extend(event.text().filter(|text| text.ends_with(' ')));
        linger(&dice).await;
    }
    replay.finish().await.map_err(|error| error.to_string())?;
    if text == history { Ok(()) } else { Err(format!("replayed: {text}, said: {history}")) }
}

/// rm-ord-01, rm-str-04, rm-str-10, rm-ws-05
#[test]
fn the_answer_comes_after_what_belongs_to_it() {
    Seeds::few(6)
        .all(300)
        .each(|seed| {
            let dice = Dice::new(seed);
            let (name, way) = WAYS[usize::try_from(seed).unwrap() % WAYS.len()];
            let mut builder = match dice.one_in(2) {
                true => tokio::runtime::Builder::new_current_thread(),
                false => tokio::runtime::Builder::new_multi_thread(),
            };
            builder.enable_all().build().unwrap().block_on(async {
                let listening = serve(&dice).await;
                let (agent, other) = tokio::join!(connect(way, &listening), connect(way, &listening));
                let sessions = (0..20).map(|_| {
                    let (agent, other) = (agent.clone(), other.clone());
                    let dice = Dice::new(dice.below(u64::MAX));
                    let running = tokio::spawn(async move { session(&agent, &other, dice).await });
                    async move { running.await.unwrap() }
                });
                let done = tokio::time::timeout(std::time::Duration::from_secs(120), try_join_all(sessions));
                done.await.map_err(|_| "it hangs".to_owned())?.map_err(|problem| format!("{name}: {problem}"))
            })?;
            Ok(())
        })
        .unwrap();
}
