//! Agents with every subset of the optional parts. Each advertises exactly its parts, and refuses
//! the others.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acp_agent::types::{AuthMethod, AuthMethodAgent, SessionConfigOption, SessionInfo};
use acp_agent::{
    Agent, Client, McpTransports, Meta, NewSession, Opened, PromptContent, Result, Router, Session,
    StopReason, Turn, agent, op,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use testkit::Dice;

use crate::support::Wire;

/// Counts the calls of all its handlers.
#[derive(Default)]
struct Counting {
    calls: AtomicUsize,
}

impl Counting {
    fn count(&self) -> Result<()> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    async fn new_session(&self) -> Result<Opened<()>> {
        Ok(Opened::new(()))
    }

    async fn opens(&self) -> Result<Opened<()>> {
        self.count()?;
        Ok(Opened::new(()))
    }

    async fn auth_methods(&self) -> Result<Vec<AuthMethod>> {
        Ok(vec![AuthMethodAgent::new("key", "Key").into()])
    }

    async fn done(&self) -> Result<()> {
        self.count()
    }

    async fn list(&self) -> Result<Vec<SessionInfo>> {
        self.count()?;
        Ok(Vec::new())
    }

    async fn options(&self) -> Result<Vec<SessionConfigOption>> {
        self.count()?;
        Ok(Vec::new())
    }

    async fn prompt(&self) -> Result<StopReason> {
        self.count()?;
        Ok(StopReason::EndTurn)
    }
}

/// The optional parts of an agent, one bit for each.
#[derive(Clone, Copy, Debug)]
struct Subset(u32);

/// The optional methods, with valid params.
const METHODS: [(&str, &str); 9] = [
    ("session/load", r#"{"sessionId": "old", "cwd": "/", "mcpServers": []}"#),
    ("session/resume", r#"{"sessionId": "older", "cwd": "/"}"#),
    ("session/list", "{}"),
    ("session/delete", r#"{"sessionId": "oldest"}"#),
    ("session/set_mode", r#"{"sessionId": "S", "modeId": "m"}"#),
    ("session/set_config_option", r#"{"sessionId": "S", "configId": "c", "value": "v"}"#),
    ("authenticate", r#"{"methodId": "key"}"#),
    ("logout", "{}"),
    ("session/close", r#"{"sessionId": "S"}"#),
];

/// The optional kinds of content and of MCP servers, and additional directories.
const KINDS: u32 = 6;

impl Subset {
    fn has(self, bit: usize) -> bool {
        self.0 >> bit & 1 == 1
    }

    fn kind(self, bit: usize) -> bool {
        self.has(METHODS.len() + bit)
    }

    fn agent(self) -> Router<Counting> {
        let [image, audio, embedded_context, http, sse, directories] =
            std::array::from_fn(|bit| self.kind(bit));
        let new_session = Counting::new_session;
        let mut agent = Router::with_sessions("subset", "1", Counting::default(), new_session)
            .on::<op::Prompt, _>(Counting::prompt)
            .prompt_content(PromptContent { image, audio, embedded_context })
            .mcp_transports(McpTransports { http, sse });
        if directories {
            agent = agent.additional_directories();
        }
        for bit in (0..METHODS.len()).filter(|bit| self.has(*bit)) {
            agent = match bit {
                0 => agent.on::<op::LoadSession, _>(Counting::opens),
                1 => agent.on::<op::ResumeSession, _>(Counting::opens),
                2 => agent.on::<op::ListSessions, _>(Counting::list),
                3 => agent.on::<op::DeleteSession, _>(Counting::done),
                4 => agent.on::<op::SetMode, _>(Counting::done),
                5 => agent.on::<op::SetConfigOption, _>(Counting::options),
                6 => agent
                    .on::<op::Initialize, _>(Counting::auth_methods)
                    .on::<op::Authenticate, _>(Counting::done),
                7 => agent.on::<op::Logout, _>(Counting::done),
                _ => agent.on::<op::CloseSession, _>(Counting::done),
            };
        }
        agent
    }

    /// Returns the capabilities that such an agent advertises, spelled out independently of the
    /// library. Absent members are left out.
    fn advertised(self) -> Value {
        let mut capabilities = json!({});
        if self.has(0) {
            capabilities["loadSession"] = json!(true);
        }
        let markers = [("resume", self.has(1)), ("list", self.has(2)), ("delete", self.has(3))];
        let more = [("close", self.has(8)), ("additionalDirectories", self.kind(5))];
        for (name, _) in markers.iter().chain(&more).filter(|(_, is_there)| *is_there) {
            capabilities["sessionCapabilities"][*name] = json!({});
        }
        if self.has(7) {
            capabilities["auth"]["logout"] = json!({});
        }
        for (bit, name) in ["image", "audio", "embeddedContext"].into_iter().enumerate() {
            if self.kind(bit) {
                capabilities["promptCapabilities"][name] = json!(true);
            }
        }
        for (bit, name) in ["http", "sse"].into_iter().enumerate() {
            if self.kind(3 + bit) {
                capabilities["mcpCapabilities"][name] = json!(true);
            }
        }
        capabilities
    }

    async fn check(self) {
        let agent = Arc::new(self.agent());
        let mut wire = Wire::serve_through(Arc::clone(&agent), 1024 * 1024);
        let hello = wire.initialize(json!({})).await;
        assert_eq!(hello["agentCapabilities"], self.advertised(), "{self:?}");
        let methods = hello["authMethods"].as_array().map_or(0, Vec::len);
        assert_eq!(methods, usize::from(self.has(6)), "{self:?}");
        self.check_kinds(&mut wire).await;
        let calls = || agent.state().calls.load(Ordering::SeqCst);
        let session = wire.new_session().await;
        for (bit, (method, params)) in METHODS.into_iter().enumerate() {
            let params = serde_json::from_str(&params.replace("\"S\"", &format!("\"{session}\""))).unwrap();
            let before = calls();
            let answer = wire.call(method, params).await;
            if self.has(bit) {
                // The session has neither modes nor config options.
                let is_setter = method.starts_with("session/set_");
                assert_eq!(answer["error"]["code"] == -32602, is_setter, "{self:?} {method}: {answer}");
                assert_eq!(calls() - before, usize::from(!is_setter), "{self:?} {method}");
            } else {
                assert_eq!(answer["error"]["code"], -32601, "{self:?} {method}: {answer}");
                assert_eq!(calls(), before, "{self:?} {method}");
            }
        }
    }

    /// Checks that content, MCP servers and directories that are not advertised are refused, and
    /// that the error names the capability.
    async fn check_kinds(self, wire: &mut Wire) {
        let session = wire.new_session().await;
        let server =
            |kind: &str| json!([{"type": kind, "name": "s", "url": "http://localhost", "headers": []}]);
        let setup = |servers: Value, directories: Value| json!({"cwd": "/", "mcpServers": servers, "additionalDirectories": directories});
        let prompt = |block: Value| json!({"sessionId": session, "prompt": [block]});
        let image = json!({"type": "image", "data": "", "mimeType": "image/png"});
        let audio = json!({"type": "audio", "data": "", "mimeType": "audio/wav"});
        let resource = json!({"type": "resource", "resource": {"uri": "file:///a", "text": ""}});
        let table = [
            ("session/prompt", prompt(image), "promptCapabilities.image"),
            ("session/prompt", prompt(audio), "promptCapabilities.audio"),
            ("session/prompt", prompt(resource), "promptCapabilities.embeddedContext"),
            ("session/new", setup(server("http"), json!([])), "mcpCapabilities.http"),
            ("session/new", setup(server("sse"), json!([])), "mcpCapabilities.sse"),
            ("session/new", setup(json!([]), json!(["/more"])), "sessionCapabilities.additionalDirectories"),
        ];
        for (bit, (method, params, capability)) in table.into_iter().enumerate() {
            if self.kind(bit) {
                let answer = wire.call(method, params).await;
                assert!(answer["result"].is_object(), "{self:?} {capability}: {answer}");
            } else {
                wire.refused(method, params, -32602, &[capability]).await;
            }
        }
    }
}

#[tokio::test]
async fn every_subset_of_methods_is_advertised_as_it_is() {
    let (dice, mut seen) = (Dice::new(0), HashSet::new());
    for methods in 0..1 << METHODS.len() {
        // Each subset gets random kinds. All 64 sets of kinds come up.
        let kinds = u32::try_from(dice.below(1 << KINDS)).unwrap();
        seen.insert(kinds);
        Subset(methods | kinds << METHODS.len()).check().await;
    }
    assert_eq!(seen.len(), 1 << KINDS);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Undo {
    steps: u32,
}

/// Notes what each kind of handler knows about the client.
struct Curious {
    told: std::sync::Mutex<Vec<String>>,
}

impl Curious {
    fn look(&self, handler: &str, client: &Client) {
        let info = client.info().map_or("", |info| &info.name);
        let fs = client.capabilities().fs.read_text_file;
        let own = client.agent_capabilities().load_session;
        let undo = client.capability_meta::<Undo>("acme.dev/undo").unwrap();
        let line = format!("{handler}: {} {info} {fs} {own} {undo:?}", client.protocol_version());
        self.told.lock().unwrap().push(line);
    }
}

#[agent(name = "curious")]
impl Curious {
    async fn auth_methods(&self, client: Client) -> Result<Vec<AuthMethod>> {
        self.look("auth_methods", &client);
        Ok(vec![AuthMethodAgent::new("key", "Key").into()])
    }

    async fn authenticate(&self, client: Client) -> Result<()> {
        self.look("authenticate", &client);
        Ok(())
    }

    async fn new_session(&self, open: NewSession, client: Client) -> Result<Opened<()>> {
        self.look("new_session", &client);
        self.look("opening", open.client());
        Ok(Opened::new(()))
    }

    async fn load_session(&self, client: Client) -> Result<Opened<()>> {
        self.look("load_session", &client);
        Ok(Opened::new(()))
    }

    async fn list_sessions(&self, client: Client) -> Result<Vec<SessionInfo>> {
        self.look("list_sessions", &client);
        Ok(Vec::new())
    }

    async fn prompt(&self, turn: Turn, client: Client) -> Result<StopReason> {
        self.look("prompt", &client);
        self.look("turn", turn.client());
        Ok(StopReason::EndTurn)
    }

    async fn close_session(&self, client: Client, _session: Session<()>) -> Result<()> {
        self.look("close_session", &client);
        Ok(())
    }

    #[ext("_curious/ask")]
    async fn ask(&self, client: Client) -> Result<Vec<String>> {
        self.look("ask", &client);
        Ok(self.told.lock().unwrap().clone())
    }

    #[ext("_curious/note")]
    async fn note(&self, client: Client) {
        self.look("note", &client);
    }
}

#[tokio::test]
async fn every_handler_can_read_what_was_agreed_on() {
    let mut wire = Wire::serve(Curious { told: std::sync::Mutex::default() });
    let capabilities = json!({"fs": {"readTextFile": true}, "_meta": {"acme.dev/undo": {"steps": 3}}});
    let hello = json!({
        "protocolVersion": 1, "clientCapabilities": capabilities, "clientInfo": {"name": "ed", "version": "1"},
    });
    wire.call("initialize", hello).await;
    wire.call("authenticate", json!({"methodId": "key"})).await;
    let session = wire.new_session().await;
    wire.call("session/load", json!({"sessionId": "old", "cwd": "/", "mcpServers": []})).await;
    wire.call("session/list", json!({})).await;
    let prompt = wire.prompt(&session, "hi").await;
    wire.stopped(prompt).await;
    wire.call("session/close", json!({"sessionId": session})).await;
    let expected = [
        "auth_methods",
        "authenticate",
        "new_session",
        "opening",
        "load_session",
        "list_sessions",
        "prompt",
        "turn",
        "close_session",
        "ask",
    ]
    .map(|handler| format!("{handler}: 1 ed true true Some(Undo {{ steps: 3 }})"));
    assert_eq!(wire.call("_curious/ask", json!({})).await["result"], json!(expected));
    wire.notify("_curious/note", json!({})).await;
    // A notification is handled after the messages before it. Later requests may overtake it.
    let note = json!("note: 1 ed true true Some(Undo { steps: 3 })");
    while !wire.call("_curious/ask", json!({})).await["result"].as_array().unwrap().contains(&note) {}
}

struct Vendor;

impl Vendor {
    async fn ask(&self, client: Client) -> Result<String> {
        let undo = client.capability_meta::<Undo>("acme.dev/undo");
        Ok(undo.map_or_else(|error| error.to_string(), |undo| format!("{undo:?}")))
    }
}

fn vendor(meta: Meta) -> impl Agent {
    Router::new("vendor", "1", Vendor).capability_meta(meta).ext("_vendor/ask", Vendor::ask)
}

#[tokio::test]
async fn capabilities_of_ones_own_go_both_ways() {
    let mut meta = Meta::new().with("acme.dev/fast", true);
    meta.set("acme.dev/undo", &Undo { steps: 7 }).unwrap();
    let mut wire = Wire::serve(vendor(meta));
    let offered = json!({"acme.dev/fast": true, "acme.dev/undo": {"steps": 7}});
    assert_eq!(wire.initialize(json!({})).await["agentCapabilities"], json!({"_meta": offered}));

    for (meta, expected) in [
        (json!({}), "None"),
        (json!({"_meta": {"other.dev/undo": {"steps": 1}}}), "None"),
        (json!({"_meta": {"acme.dev/undo": {"steps": 1}}}), "Some(Undo { steps: 1 })"),
        (json!({"_meta": {"acme.dev/undo": {"steps": "secret"}}}), "`acme.dev/undo`"),
    ] {
        let mut wire = Wire::connect(vendor(Meta::new()), meta).await;
        let answer = wire.call("_vendor/ask", json!({})).await;
        let told = answer["result"].as_str().unwrap();
        assert!(told.contains(expected) && !told.contains("secret"), "{told}");
    }
}
