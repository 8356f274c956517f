//! The attributes find the library under another name: `acp_agent` and `acp_client` are not
//! dependencies here.

use protocol::types::{PlanEntry, UsageUpdate};
use protocol::{Agent as _, NewSession, Opened, Result, Session, StopReason, Turn};

enum Count {}

impl protocol::method::Method for Count {
    const NAME: &'static str = "_renamed/count";
    const HANDLER: protocol::method::Side = protocol::method::Side::Agent;
    type Params = PlanEntry;
}

impl protocol::method::Request for Count {
    type Response = UsageUpdate;
}

struct Renamed;

#[protocol::agent(crate = protocol, name = "renamed", prompt(image), mcp(sse), meta("acme.dev/undo" = true))]
impl Renamed {
    async fn new_session(&self, open: NewSession) -> Result<Opened<String>> {
        Ok(Opened::new(open.session_id().to_string()))
    }

    async fn prompt(&self, turn: Turn, session: Session<String>) -> Result<StopReason> {
        turn.say(session.as_str()).await?;
        Ok(StopReason::EndTurn)
    }

    async fn logout(&self) -> Result<(), std::io::Error> {
        Ok(())
    }

    #[on(Count)]
    async fn count(&self, entry: PlanEntry) -> Result<UsageUpdate> {
        Ok(UsageUpdate::new(entry.content.len() as u64, 100_u64))
    }

    #[ext("_renamed/seen")]
    async fn seen(&self) {}
}

struct Plain;

#[protocol::agent(crate = protocol)]
impl Plain {
    async fn prompt(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

enum Draw {}

impl client::method::Method for Draw {
    const NAME: &'static str = "_renamed/draw";
    const HANDLER: client::method::Side = client::method::Side::Client;
    type Params = PlanEntry;
}

impl client::method::Request for Draw {
    type Response = UsageUpdate;
}

struct Editor;

#[client::client(crate = client)]
impl Editor {
    async fn update(&self, _event: client::Event) {}

    async fn read_text_file(&self, file: client::v1::ReadTextFileRequest) -> Result<String, std::io::Error> {
        Ok(file.path)
    }

    #[on(Draw)]
    async fn draw(&self, _entry: PlanEntry) -> client::Result<UsageUpdate> {
        Ok(UsageUpdate::new(0_u64, 100_u64))
    }

    #[ext("_renamed/seen")]
    async fn seen(&self) {}
}

#[test]
fn a_renamed_library_of_clients_is_found() {
    use client::Client as _;
    let mut handlers = client::Handlers::default();
    std::sync::Arc::new(Editor).register(&mut handlers);
    let served =
        ["fs/read_text_file", "_renamed/draw", "fs/write_text_file"].map(|name| handlers.serves(name));
    assert_eq!(served, [true, true, false]);
}

#[test]
fn a_renamed_library_is_found() {
    let mut handlers = protocol::Handlers::default();
    std::sync::Arc::new(Renamed).register(&mut handlers);
    assert!(handlers.serves("logout"));
    assert_eq!(Renamed.profile().name, "renamed");
    assert!(Renamed.capability_meta().get("acme.dev/undo").is_some());
    assert_eq!(Plain.profile().name, "acp-handlers");
}
