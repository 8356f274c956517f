//! The beginning: the versions that an agent speaks, its commands, and settings that nobody takes.

use acp_agent::types::{
    AvailableCommand, AvailableCommandsUpdate, ProtocolVersion, SessionMode, SessionModeState,
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse,
};
use acp_agent::{Agent, NewSession, Opened, Result, Router, Serve, StopReason, Turn, agent, op};
use acp_types::v2;
use serde_json::{Value, json};

use super::code;
use crate::support::Wire;
use crate::v2_encoding;

struct Commander;

fn command(name: &str) -> AvailableCommand {
    AvailableCommand::new(name, "What it does")
}

#[agent]
impl Commander {
    async fn new_session(&self, open: NewSession) -> Result<Opened<()>> {
        let cwd = open.cwd().to_owned();
        let opened = Opened::new(());
        match cwd.to_str().unwrap() {
            "/opened" => return Ok(opened.commands([command("a")])),
            "/update" => {
                open.update(AvailableCommandsUpdate::new([command("b")])).await?;
                open.update(AvailableCommandsUpdate::new([command("c")])).await?;
            }
            "/later" => open.after_response(async |open| {
                open.update(AvailableCommandsUpdate::new([command("d")])).await.unwrap();
            }),
            _ => {}
        }
        Ok(opened)
    }

    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

fn names(commands: &Value) -> Vec<&str> {
    commands.as_array().unwrap().iter().map(|command| command["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn commands_that_are_known_in_time_come_with_the_answer() {
    for (cwd, expected) in [("/none", None), ("/opened", Some("a")), ("/update", Some("c")), ("/later", None)]
    {
        let (mut wire, _, result) = v2_encoding::open(Commander).await;
        assert!(result.get("availableCommands").is_none());
        let answer = wire.call("session/new", json!({"cwd": cwd})).await;
        let result = &answer["result"];
        v2_encoding::read::<v2::NewSessionResponse>("NewSessionResponse", result);
        match expected {
            Some(name) => assert_eq!(names(&result["availableCommands"]), [name]),
            None => assert!(result.get("availableCommands").is_none(), "{answer}"),
        }
        if cwd == "/later" {
            let update = v2_encoding::update(&mut wire).await;
            assert_eq!(names(&update["availableCommands"]), ["d"]);
        }
        let session = result["sessionId"].as_str().unwrap();
        // They are not told twice.
        assert!(v2_encoding::turn(&mut wire, session, "x").await.is_empty());
        let resume = json!({"sessionId": session, "cwd": cwd});
        let id = wire.request("session/resume", resume).await;
        assert_eq!(v2_encoding::update(&mut wire).await["state"], "idle");
        let answer = wire.answer_to(id).await;
        v2_encoding::read::<v2::ResumeSessionResponse>("ResumeSessionResponse", &answer["result"]);
        assert_eq!(answer["result"].get("availableCommands").is_some(), expected.is_some(), "{answer}");
    }
}

#[tokio::test]
async fn version_1_is_told_the_commands_behind_the_answer() {
    for (cwd, expected) in [("/opened", vec!["a"]), ("/update", vec!["b", "c"]), ("/later", vec!["d"])] {
        let mut wire = Wire::connect(Commander, json!({})).await;
        let answer = wire.call("session/new", json!({"cwd": cwd, "mcpServers": []})).await;
        assert!(answer["result"].get("availableCommands").is_none(), "{answer}");
        for name in expected {
            assert_eq!(names(&wire.update().await["availableCommands"]), [name]);
        }
    }
}

/// Rule `v2-err-03`.
#[tokio::test]
async fn the_version_is_one_of_those_that_the_agent_speaks() {
    let (one, two) = (ProtocolVersion::V1, ProtocolVersion::V2);
    // The requested version, and the answer of agents for both, for 1 only, and for 2 only.
    let table = [
        (json!(0), [1, 1, -32022]),
        (json!(1), [1, 1, -32022]),
        (json!(2), [2, 1, 2]),
        (json!(9), [2, 1, 2]),
        (json!(65535), [2, 1, 2]),
        (json!("2"), [-32602; 3]),
        (json!(-1), [-32602; 3]),
        (json!(1.5), [-32602; 3]),
        (json!(65536), [-32602; 3]),
        (Value::Null, [-32602; 3]),
    ];
    for (requested, answers) in table {
        for (versions, expected) in [vec![one, two], vec![one], vec![two, two]].into_iter().zip(answers) {
            let mut wire = Wire::serve_as(Serve::new(Commander).versions(versions));
            let params = json!({"protocolVersion": requested, "info": {"name": "ed", "version": "1"}});
            let answer = wire.call("initialize", params).await;
            if expected > 0 {
                assert_eq!(answer["result"]["protocolVersion"], expected, "{requested}");
                continue;
            }
            assert_eq!(code(&answer), expected, "{requested}");
            if expected == -32022 {
                let data = json!({"requested": requested, "supported": [2]});
                assert_eq!(answer["error"]["data"], data);
                // The client can ask for another one.
                let answer = wire
                    .call("initialize", json!({"protocolVersion": 2, "info": {"name": "ed", "version": "1"}}))
                    .await;
                assert_eq!(answer["result"]["protocolVersion"], 2, "{answer}");
            }
        }
    }
}

#[tokio::test]
async fn an_agent_that_speaks_no_version_serves_nobody() {
    let (_, ours) = acp_agent::Transport::duplex();
    let served = Serve::new(Commander).versions([ProtocolVersion(3)]).over(ours).await;
    assert!(served.unwrap_err().to_string().contains("version"));
}

/// An agent with modes that the client cannot set.
struct Fixed;

impl Fixed {
    async fn new_session(&self, _: NewSession) -> Result<Opened<()>> {
        let modes = [SessionMode::new("ask", "Ask"), SessionMode::new("code", "Code")];
        Ok(Opened::new(()).modes(SessionModeState::new("ask", modes)))
    }

    async fn prompt(&self, _: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    async fn set_mode(&self, _: acp_agent::types::SetSessionModeRequest) -> Result<()> {
        Ok(())
    }

    async fn set_option(&self, _: SetSessionConfigOptionRequest) -> Result<SetSessionConfigOptionResponse> {
        panic!("the value is refused before")
    }
}

fn fixed(takes_options: bool) -> impl Agent {
    let router = Router::new("fixed", "1", Fixed)
        .on::<op::NewSession, _>(Fixed::new_session)
        .on::<op::Prompt, _>(Fixed::prompt);
    if takes_options { router.on::<op::SetConfigOption, _>(Fixed::set_option) } else { router }
}

/// An agent whose only option stands for its modes.
fn switchable() -> impl Agent {
    Router::new("switchable", "1", Fixed)
        .on::<op::NewSession, _>(Fixed::new_session)
        .on::<op::Prompt, _>(Fixed::prompt)
        .on::<op::SetMode, _>(Fixed::set_mode)
}

#[tokio::test]
async fn an_option_that_is_not_there_is_a_value_where_modes_can_be_set() {
    let (mut wire, session, result) = v2_encoding::open(switchable()).await;
    assert_eq!(result["configOptions"][0]["configId"], "mode");
    for (session, option, expected) in [
        (session.as_str(), "none", json!(-32602)),
        ("none", "mode", json!(-32002)),
        (&session, "mode", json!(null)),
    ] {
        let params = json!({"sessionId": session, "configId": option, "type": "id", "value": "code"});
        let answer = wire.call("session/set_config_option", params).await;
        assert_eq!(
            answer.pointer("/error/code").cloned().unwrap_or_default(),
            expected,
            "{session} {option}"
        );
    }
}

#[tokio::test]
async fn a_mode_that_cannot_be_set_is_a_method_or_a_value_that_is_not_there() {
    for (takes_options, expected) in [(false, -32601), (true, -32602)] {
        let (mut wire, session, result) = v2_encoding::open(fixed(takes_options)).await;
        assert_eq!(result["configOptions"][0]["configId"], "mode");
        let params = json!({"sessionId": session, "configId": "mode", "type": "id", "value": "code"});
        assert_eq!(code(&wire.call("session/set_config_option", params).await), expected);
        let mut wire = Wire::connect(fixed(takes_options), json!({})).await;
        let session = wire.new_session().await;
        let answer = wire.call("session/set_mode", json!({"sessionId": session, "modeId": "code"})).await;
        assert_eq!(code(&answer), -32601);
    }
}
