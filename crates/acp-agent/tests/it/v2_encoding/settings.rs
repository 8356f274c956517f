//! Modes and config options: modes are the first option.

use acp_agent::types::{
    SessionConfigBoolean, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelect,
    SessionConfigSelectGroup, SessionConfigSelectOption, SessionMode, SessionModeState,
    SetSessionConfigOptionRequest,
};
use acp_agent::{NewSession, Opened, Result, StopReason, Turn, agent};
use acp_types::v2::SetSessionConfigOptionResponse;
use serde_json::{Value, json};

use super::{open, read, turn};

/// Has modes, and options of these ids.
struct Configured {
    ids: &'static [&'static str],
    has_modes: bool,
    category: Option<SessionConfigOptionCategory>,
}

impl Configured {
    const fn new(ids: &'static [&'static str]) -> Self {
        Configured { ids, has_modes: true, category: None }
    }

    fn options(&self) -> Vec<SessionConfigOption> {
        let groups = vec![SessionConfigSelectGroup::new(
            "g",
            "Group",
            [SessionConfigSelectOption::new("low", "Low"), SessionConfigSelectOption::new("high", "High")],
        )];
        let select = SessionConfigSelect::new("low", groups);
        let option = |id: &&str| {
            let mut option = SessionConfigOption::new(*id, "Effort", select.clone());
            option.category.clone_from(&self.category);
            option
        };
        let web = SessionConfigOption::new("web", "Web", SessionConfigBoolean::new(true));
        self.ids.iter().map(option).chain([web]).collect()
    }
}

#[agent]
impl Configured {
    async fn new_session(&self, _open: NewSession) -> Result<Opened<()>> {
        let opened = Opened::new(()).config_options(self.options());
        let modes = [SessionMode::new("ask", "Ask"), SessionMode::new("code", "Code").description("Writes")];
        Ok(if self.has_modes { opened.modes(SessionModeState::new("ask", modes)) } else { opened })
    }

    async fn set_mode(&self, _mode: acp_agent::types::SetSessionModeRequest) -> Result<()> {
        Ok(())
    }

    async fn set_config_option(
        &self,
        _set: SetSessionConfigOptionRequest,
    ) -> Result<Vec<SessionConfigOption>> {
        let mut options = self.options();
        options.pop();
        Ok(options)
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        match turn.text().as_str() {
            "mode" => turn.current_mode("code").await?,
            _ => turn.config_options(Vec::new()).await?,
        }
        Ok(StopReason::EndTurn)
    }
}

fn mode(id: &str, current: &str) -> Value {
    json!({"configId": id, "name": "Mode", "category": "mode", "type": "select", "currentValue": current,
           "options": [{"value": "ask", "name": "Ask"},
                       {"value": "code", "name": "Code", "description": "Writes"}]})
}

fn effort(id: &str) -> Value {
    json!({"configId": id, "name": "Effort", "type": "select", "currentValue": "low",
           "options": [{"groupId": "g", "name": "Group",
                        "options": [{"value": "low", "name": "Low"}, {"value": "high", "name": "High"}]}]})
}

fn web() -> Value {
    json!({"configId": "web", "name": "Web", "type": "boolean", "currentValue": true})
}

#[tokio::test]
async fn modes_are_the_first_option_wherever_options_are_said() {
    let (mut wire, session, opened) = open(Configured::new(&["effort"])).await;
    assert_eq!(opened["configOptions"], json!([mode("mode", "ask"), effort("effort"), web()]));
    assert!(opened.get("modes").is_none(), "{opened}");

    let changed = turn(&mut wire, &session, "mode").await;
    assert_eq!(changed[0]["sessionUpdate"], "config_option_update");
    assert_eq!(changed[0]["configOptions"], json!([mode("mode", "code"), effort("effort"), web()]));

    let set =
        |id: &str, value: &str| json!({"sessionId": session, "configId": id, "type": "id", "value": value});
    let mut answer = wire.call("session/set_config_option", set("mode", "ask")).await["result"].take();
    read::<SetSessionConfigOptionResponse>("SetSessionConfigOptionResponse", &answer);
    assert_eq!(answer["configOptions"], json!([mode("mode", "ask"), effort("effort"), web()]));
    wire.refused("session/set_config_option", set("mode", "nope"), -32602, &[]).await;

    answer = wire.call("session/set_config_option", set("effort", "high")).await["result"].take();
    read::<SetSessionConfigOptionResponse>("SetSessionConfigOptionResponse", &answer);
    assert_eq!(answer["configOptions"], json!([mode("mode", "ask"), effort("effort")]));

    let cleared = turn(&mut wire, &session, "clear").await;
    assert_eq!(cleared[0]["configOptions"], json!([mode("mode", "ask")]));
}

#[tokio::test]
async fn an_option_of_the_same_id_keeps_it() {
    let (mut wire, session, opened) = open(Configured::new(&["mode"])).await;
    assert_eq!(opened["configOptions"], json!([mode("_mode", "ask"), effort("mode"), web()]));
    let params = json!({"sessionId": session, "configId": "_mode", "type": "id", "value": "code"});
    let answer = wire.call("session/set_config_option", params).await;
    assert_eq!(answer["result"]["configOptions"][0], mode("_mode", "code"));
}

#[tokio::test]
async fn an_option_for_the_modes_stands_for_them() {
    let category = Some(SessionConfigOptionCategory::Mode);
    let (.., opened) = open(Configured { category, ..Configured::new(&["effort"]) }).await;
    let ids: Vec<_> =
        opened["configOptions"].as_array().unwrap().iter().map(|one| &one["configId"]).collect();
    assert_eq!(ids, ["effort", "web"]);
}

#[tokio::test]
async fn a_mode_without_a_list_of_modes_is_not_said() {
    let agent = Configured { has_modes: false, ..Configured::new(&["effort"]) };
    let (mut wire, session, opened) = open(agent).await;
    assert_eq!(opened["configOptions"], json!([effort("effort"), web()]));
    assert_eq!(turn(&mut wire, &session, "mode").await, [] as [Value; 0]);
}
