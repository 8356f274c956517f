//! Values of the agent's own in lists that version 2 leaves open and version 1 does not: one row
//! for each such list of the schemas. The test connection checks each line against its schema.

use acp_agent::types::{
    Annotations, ContentBlock, PermissionOption, PermissionOptionKind, Plan, PlanEntry, PlanEntryPriority,
    PlanEntryStatus, StringPropertySchema, TextContent, ToolCall, ToolCallUpdate,
};
use acp_agent::{Form, Result, StopReason, Turn, agent};
use serde_json::{Value, json};

use super::degraded::serve;
use crate::schema;
use crate::support::Wire;

/// A place of the value in a message.
type Place = &'static str;

struct Row {
    list: &'static str,
    /// The place and the value there, in version 1. `null` means that it is left out.
    one: (Place, fn() -> Value),
    /// The place in version 2, where the value is as the agent has it.
    two: Place,
    report: &'static str,
}

const ROWS: [Row; 8] = [
    Row {
        list: "PermissionOptionKind",
        one: ("/params/options", || json!([{"optionId": "yes", "name": "Yes", "kind": "allow_once"}])),
        two: "/params/options/0/kind",
        report: "an option of a question",
    },
    Row {
        list: "PlanEntryPriority",
        one: ("/params/update/entries/0/priority", || json!("medium")),
        two: "/params/update/plan/entries/0/priority",
        report: "a priority in a plan",
    },
    Row {
        list: "PlanEntryStatus",
        one: ("/params/update/entries/0/status", || json!("pending")),
        two: "/params/update/plan/entries/0/status",
        report: "a status in a plan",
    },
    Row {
        list: "Role",
        one: ("/params/update/content/annotations/audience", || json!(["user"])),
        two: "/params/update/content/annotations/audience/0",
        report: "an audience",
    },
    Row {
        list: "StopReason",
        one: ("/result/stopReason", || json!("end_turn")),
        two: "/params/update/stopReason",
        report: "a stop reason",
    },
    Row {
        list: "StringFormat",
        one: ("/params/requestedSchema/properties/a", || json!({"type": "string", "title": "A"})),
        two: "/params/requestedSchema/properties/a/format",
        report: "a format of a form's field",
    },
    Row {
        list: "ToolCallStatus",
        one: ("/params/update/status", || json!("in_progress")),
        two: "/params/update/status",
        report: "a status of a tool call",
    },
    Row {
        list: "ToolKind",
        one: ("/params/toolCall/kind", || json!("other")),
        two: "/params/subject/toolCall/kind",
        report: "a kind of tool call",
    },
];

struct Own;

#[agent]
impl Own {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let yes = PermissionOption::new("yes", "Yes", PermissionOptionKind::AllowOnce);
        let entry = |priority: &str, status: &str| {
            PlanEntry::new("Brew", PlanEntryPriority::from(priority), PlanEntryStatus::from(status))
        };
        match &*turn.text() {
            "PermissionOptionKind" => {
                let own = PermissionOption::new("own", "Maybe", PermissionOptionKind::from("_own"));
                turn.ask_with(&ToolCall::new("t", "Brew"), [own, yes]).await?;
            }
            "PlanEntryPriority" => turn.update(Plan::new([entry("_own", "pending")])).await?,
            "PlanEntryStatus" => turn.update(Plan::new([entry("low", "_own")])).await?,
            "Role" => {
                let mut text = TextContent::new("For some");
                let audience = Annotations::new().audience(["_own".into(), "user".into()]);
                text.annotations = Some(Box::new(audience));
                turn.send(ContentBlock::from(text)).await?;
            }
            "StopReason" => return Ok(StopReason::from("_own")),
            "StringFormat" => {
                let field = StringPropertySchema::new().title("A".to_owned()).format("_own");
                turn.elicit(Form::new("Which?").optional("a", field)).await?;
            }
            "ToolCallStatus" => turn.update(ToolCallUpdate::new("t").status("_own")).await?,
            "ToolKind" => {
                let mut call = ToolCall::new("t", "Brew");
                call.kind = "_own".into();
                turn.ask_with(&call, [yes]).await?;
            }
            other => panic!("{other}"),
        }
        Ok(StopReason::EndTurn)
    }
}

/// Runs a turn whose questions are answered, and returns its messages.
async fn messages(wire: &mut Wire, session: &str, text: &str) -> Vec<Value> {
    let prompt = wire.prompt(session, text).await;
    let mut messages = Vec::new();
    loop {
        let message = wire.recv().await;
        match message["method"].as_str() {
            Some("session/request_permission") => {
                let chosen = json!({"outcome": {"outcome": "selected", "optionId": "yes"}});
                wire.answer(&message, chosen).await;
            }
            Some("elicitation/create") => wire.answer(&message, json!({"action": "decline"})).await,
            _ => {}
        }
        let is_answer = message["id"] == prompt && message["result"]["stopReason"].is_string();
        let is_end = is_answer || message["params"]["update"]["state"] == "idle";
        messages.push(message);
        if is_end {
            return messages;
        }
    }
}

#[tokio::test]
async fn a_value_of_the_agents_own_has_a_counterpart_in_version_1_and_stays_in_version_2() {
    for row in &ROWS {
        for version in [1, 2] {
            let (mut wire, session, reports) = serve(Own, version).await;
            let (place, wanted) =
                if version == 1 { (row.one.0, (row.one.1)()) } else { (row.two, json!("_own")) };
            for _ in 0..2 {
                let messages = messages(&mut wire, &session, row.list).await;
                let found = messages.iter().find_map(|message| message.pointer(place));
                assert_eq!(found, Some(&wanted), "{} {version}: {messages:?}", row.list);
                let says_it = messages.iter().any(|message| message.to_string().contains("_own"));
                assert_eq!(says_it, version == 2, "{}: {messages:?}", row.list);
            }
            let reports = reports.lock().unwrap().clone();
            assert_eq!(reports.len(), usize::from(version == 1), "{} {version}: {reports:?}", row.list);
            assert!(reports.iter().all(|report| report.contains(row.report)), "{}: {reports:?}", row.list);
        }
    }
}

#[test]
fn each_list_that_only_one_version_leaves_open_has_a_row() {
    let lists: Vec<_> = ROWS.iter().map(|row| row.list).collect();
    assert_eq!(schema::closed_only_in(1, 2), lists);
    // The reverse is not there: version 2 leaves all open that version 1 leaves open.
    assert_eq!(schema::closed_only_in(2, 1), Vec::<String>::new());
}
