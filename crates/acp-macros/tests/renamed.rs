//! The attribute finds the library where it has another name: there is no `acp_agent` here.

use protocol::types::{PlanEntry, UsageUpdate};
use protocol::{Agent as _, NewSession, Opened, Operation, Result, Session, StopReason, Turn};

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

#[test]
fn a_renamed_library_is_found() {
    let profile = Renamed::PROFILE;
    assert_eq!((profile.name, profile.extensions.len()), ("renamed", 2));
    assert!(profile.operations.contains(Operation::Logout));
    assert!(Renamed.capability_meta().get("acme.dev/undo").is_some());
    assert_eq!(Plain::PROFILE.name, "acp-macros");
}
