//! A page that drives an agent, which a test plays.

use acp_inspect::{Driver, Inspector, Source, Store};
use acp_testkit::recordings::{Tape, TapeOptions};
use acp_types::v1::ProtocolVersion;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex, split,
};
use tokio::task::JoinHandle;

use crate::support::{Answer, Page};

/// A page that drives an agent, which a test plays.
pub(crate) struct Driven {
    pub(crate) page: Page,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    pub(crate) writer: WriteHalf<DuplexStream>,
    pub(crate) run: JoinHandle<std::io::Result<()>>,
}

/// The answer of an agent that speaks version 1.
pub(crate) fn first() -> Value {
    json!({"protocolVersion":1,"agentCapabilities":{}})
}

/// The answer of an agent that speaks version 2.
pub(crate) fn second() -> Value {
    json!({"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}})
}

impl Driven {
    /// Starts a page that speaks a version with its agent.
    pub(crate) async fn start(version: ProtocolVersion) -> Self {
        let mut driven = Self::offer(&[version]).await;
        let asked = driven.next().await;
        assert_eq!(json!([asked["method"], asked["id"]]), json!(["initialize", 0]));
        let answer = if version == ProtocolVersion::V1 { first() } else { second() };
        driven.answer(&asked, &answer).await;
        driven
    }

    /// Starts a page that asks for the versions, and whose agent has said nothing yet.
    pub(crate) async fn offer(versions: &[ProtocolVersion]) -> Self {
        let store = Store::new().expect("a file");
        let driver = Driver::new("/work".into()).versions(versions.iter().copied());
        let inspector = Inspector::listen(([127, 0, 0, 1], 0).into(), store.clone(), Source::Live, "agent");
        let page = Page::log_in(inspector.await.expect("a port").driven_by(&driver), store.clone()).await;
        let (here, there) = duplex(4096);
        let run = tokio::spawn(async move {
            let tape = Tape::start_into(store.sink(), TapeOptions::default().redaction(None))?;
            let (reader, writer) = split(here);
            driver.run(&tape, reader, writer).await
        });
        let (reader, writer) = split(there);
        Self { page, lines: BufReader::new(reader).lines(), writer, run }
    }

    /// Answers a request of the page, and waits until it knows of that.
    pub(crate) async fn answer(&mut self, asked: &Value, result: &Value) {
        self.tell(&json!({"jsonrpc":"2.0","id":asked["id"],"result":result})).await;
    }

    /// Says something, waits until the page knows of it, and returns its number there.
    pub(crate) async fn tell(&mut self, message: &Value) -> u64 {
        let (text, before) = (message.to_string(), self.page.store.seen().messages);
        let mut seen = self.page.store.watch();
        self.say(message).await;
        loop {
            let messages = seen.wait_for(|seen| seen.messages > before).await.expect("it goes on").messages;
            for seq in before + 1..=messages {
                let shown = self.page.get(&format!("/api/messages/{seq}")).await.json();
                if shown["text"] == text.as_str() {
                    return seq;
                }
            }
            seen.changed().await.expect("it goes on");
        }
    }

    /// Returns the next message to the agent.
    pub(crate) async fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next_line().await.expect("text").expect("a line")).expect("JSON")
    }

    pub(crate) async fn say(&mut self, message: &Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.expect("it reads");
    }

    pub(crate) async fn act(&self, act: &Value) -> Answer {
        self.page.post("/api/act", &act.to_string()).await
    }

    pub(crate) async fn does(&self, act: &Value) {
        let answer = self.act(act).await;
        assert_eq!(answer.status, 200, "{act}: {}", answer.text());
    }

    pub(crate) async fn refuses(&self, status: u16, act: &Value, says: &str) {
        let answer = self.act(act).await;
        assert!(
            answer.status == status && answer.text().contains(says),
            "{act}: {} {}",
            answer.status,
            answer.text()
        );
    }

    /// Asks for a permission, and returns the number of the question.
    pub(crate) async fn ask(&mut self, id: &str, params: &Value) -> u64 {
        self.tell(&json!({"jsonrpc":"2.0","id":id,"method":"session/request_permission","params":params}))
            .await
    }
}
