//! Scripted components: both ends of a chain are lines that a test writes and reads.

use std::time::Duration;

use acp_proxy::{ConductError, Conductor};
use acp_rpc::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, split};
use tokio::task::JoinHandle;

/// The bytes that a connection of a test holds in each direction.
pub(crate) const PIPE: usize = 64 * 1024;

/// The far end of a connection.
pub(crate) struct End {
    pub(crate) reader: Reader,
    pub(crate) writer: Writer,
}

/// The lines that come out of a chain.
pub(crate) struct Reader(Lines<BufReader<ReadHalf<DuplexStream>>>);

/// The lines that go into a chain.
pub(crate) struct Writer(WriteHalf<DuplexStream>);

impl Reader {
    /// Returns the next line, or `None` at the end of the connection.
    pub(crate) async fn last(&mut self) -> Option<String> {
        soon("a line", self.0.next_line()).await.unwrap_or_default()
    }

    /// Returns the next line as a value.
    pub(crate) async fn value(&mut self) -> Value {
        serde_json::from_str(&self.last().await.expect("the connection has ended")).unwrap()
    }
}

impl Writer {
    /// Sends a line.
    pub(crate) async fn send(&mut self, line: impl ToString) {
        let line = format!("{}\n", line.to_string());
        soon("room to write", self.0.write_all(line.as_bytes())).await.unwrap();
    }

    /// Sends a line. Returns false if nobody takes it any more.
    pub(crate) async fn try_send(&mut self, line: impl ToString) -> bool {
        let line = format!("{}\n", line.to_string());
        soon("room to write", self.0.write_all(line.as_bytes())).await.is_ok()
    }

    /// Sends no more.
    pub(crate) async fn close(&mut self) {
        self.0.shutdown().await.unwrap();
    }
}

/// Makes a transport and its far end.
pub(crate) fn end() -> (Transport, End) {
    let (here, there) = tokio::io::duplex(PIPE);
    let (reader, writer) = split(there);
    (
        Transport::from_stream(here),
        End { reader: Reader(BufReader::new(reader).lines()), writer: Writer(writer) },
    )
}

/// Serves a conductor, and returns the client's end.
pub(crate) fn serve(conductor: Conductor) -> (End, JoinHandle<Result<(), ConductError>>) {
    let (transport, client) = end();
    (client, tokio::spawn(conductor.serve(transport)))
}

/// Lets a test fail that waits for something that never comes.
pub(crate) async fn soon<T>(what: &str, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(Duration::from_secs(60), work).await {
        Ok(done) => done,
        Err(_) => panic!("nothing came: {what}"),
    }
}

impl End {
    /// Sends a line.
    pub(crate) async fn send(&mut self, line: impl ToString) {
        self.writer.send(line).await;
    }

    pub(crate) fn split(self) -> (Reader, Writer) {
        (self.reader, self.writer)
    }

    /// Returns the next line as it came.
    pub(crate) async fn line(&mut self) -> String {
        self.last().await.expect("the connection has ended")
    }

    /// Returns the next line, or `None` at the end of the connection.
    pub(crate) async fn last(&mut self) -> Option<String> {
        self.reader.last().await
    }

    /// Returns the next line as a value.
    pub(crate) async fn value(&mut self) -> Value {
        serde_json::from_str(&self.line().await).unwrap()
    }

    /// Takes a request, which must have this method, and returns its id and params.
    pub(crate) async fn request(&mut self, method: &str) -> (Value, Value) {
        let mut value = self.value().await;
        assert_eq!(value["method"], method, "{value}");
        assert!(value.get("id").is_some(), "{value}");
        (value["id"].take(), value["params"].take())
    }

    /// Takes a request within an envelope, and returns the outer id and the inner params.
    pub(crate) async fn enveloped(&mut self, method: &str) -> (Value, Value) {
        let (id, mut params) = self.request("proxy/successor").await;
        assert_eq!(params["method"], method);
        (id, params["params"].take())
    }

    /// Takes the answer to the request with this id, and returns its result.
    pub(crate) async fn result(&mut self, id: impl Into<Value>) -> Value {
        let mut value = self.value().await;
        assert_eq!(value["id"], id.into(), "{value}");
        assert!(value.get("error").is_none(), "{value}");
        value["result"].take()
    }

    /// Takes the error of the request with this id.
    pub(crate) async fn error(&mut self, id: impl Into<Value>) -> Value {
        let mut value = self.value().await;
        assert_eq!(value["id"], id.into(), "{value}");
        assert!(value.get("result").is_none(), "{value}");
        value["error"].take()
    }

    pub(crate) async fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})).await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    pub(crate) async fn answer(&mut self, id: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
    }

    pub(crate) async fn fail(&mut self, id: &Value, error: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
    }

    /// Sends a request or notification of the proxy's successor.
    pub(crate) async fn envelop(&mut self, id: Option<i64>, method: &str, params: Value) {
        let mut line = json!({"jsonrpc": "2.0", "method": "proxy/successor", "params": {"method": method, "params": params}});
        if let Some(id) = id {
            line["id"] = id.into();
        }
        self.send(line).await;
    }

    /// Closes the way to the conductor.
    pub(crate) async fn close(mut self) {
        self.writer.0.shutdown().await.unwrap();
        while self.last().await.is_some() {}
    }
}

/// A chain of proxies that are scripted.
pub(crate) struct Chain {
    pub(crate) client: End,
    pub(crate) proxies: Vec<End>,
    pub(crate) agent: End,
    pub(crate) serving: JoinHandle<Result<(), ConductError>>,
}

/// Starts a chain of so many scripted proxies, which the first `initialize` reaches.
pub(crate) fn chain(proxies: usize) -> Chain {
    let mut conductor = Conductor::new();
    let mut ends = Vec::new();
    for number in 0..proxies {
        let (transport, proxy) = end();
        conductor = conductor.process(transport, acp_proxy::Policy::Required).named(format!("p{number}"));
        ends.push(proxy);
    }
    let (transport, agent) = end();
    let (client, serving) = serve(conductor.agent(transport).named("a"));
    Chain { client, proxies: ends, agent, serving }
}

impl Chain {
    /// Initializes all components, each as it should.
    pub(crate) async fn initialize(&mut self) {
        self.client.ask(0, "initialize", json!({"protocolVersion": 1})).await;
        let mut asked = Vec::new();
        for proxy in &mut self.proxies {
            let (id, params) = proxy.request("proxy/initialize").await;
            proxy.envelop(Some(1000), "initialize", params).await;
            asked.push(id);
        }
        let (id, _) = self.agent.request("initialize").await;
        self.agent.answer(&id, json!({"protocolVersion": 1, "agentCapabilities": {}})).await;
        for (proxy, id) in self.proxies.iter_mut().zip(&asked).rev() {
            let result = proxy.result(1000).await;
            proxy.answer(id, result).await;
        }
        self.client.result(0).await;
    }

    /// Closes the client's side, and waits for the end of the chain.
    pub(crate) async fn end(self) {
        let Self { client, serving, .. } = self;
        drop(client);
        soon("the end of the chain", serving).await.unwrap().unwrap();
    }
}
