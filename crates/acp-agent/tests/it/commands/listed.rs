//! The list of commands, as a client gets it.

use acp_agent::types::AvailableCommandsUpdate;
use acp_agent::{CommandNameError, CommandsError, Conflict, Error, Opening, OpensSession, Transport};

use super::*;

async fn each_opening_advertises(agent: impl Agent) {
    let mut wire = Wire::connect(agent, json!({})).await;
    let session = wire.new_session().await;
    assert_eq!(listed(&mut wire).await, advertised());
    for method in ["session/load", "session/resume", "session/load"] {
        for session in [&*session, "another"] {
            let answer = wire.call(method, reopening(method, session, "/work")).await;
            assert_eq!(answer["result"], json!({}), "{method}");
            assert_eq!(listed(&mut wire).await, advertised(), "{method}");
            let (updates, _) = wire.turn(session, "/edit").await;
            assert_eq!(updates[0]["content"]["text"], r#"edit "" of 1"#);
        }
    }
    wire.refused("session/new", json!({"cwd": "work", "mcpServers": []}), -32602, &["cwd"]).await;
    assert!(wire.close().await.is_empty(), "a session that is not opened has no commands");
}

#[tokio::test]
async fn each_opening_advertises_the_commands_behind_its_answer() {
    each_opening_advertises(Notes::default()).await;
    each_opening_advertises(router(Notes::default())).await;
}

/// Has no commands with handlers. Its sessions have those that their folder says.
struct Changing;

fn commands(names: &str) -> Vec<AvailableCommand> {
    let names = names.split(',').filter(|name| !name.is_empty());
    names.map(|name| AvailableCommand::new(name.trim_start_matches('!'), "Does it")).collect()
}

impl Changing {
    async fn new_session(&self, open: NewSession) -> Result<Opened<()>> {
        self.open(open).await
    }

    async fn load_session(&self, open: LoadSession) -> Result<Opened<()>> {
        self.open(open).await
    }

    /// Opens a session with the commands in the names of two folders: those that are sent
    /// meanwhile, and those that it is opened with.
    async fn open<O: OpensSession>(&self, open: Opening<O>) -> Result<Opened<()>> {
        let cwd = open.cwd().to_str().unwrap().to_owned();
        let mut folders = cwd.split('/').skip(1).map(|names| names.strip_prefix("has:"));
        if let Some(Some(sent)) = folders.next() {
            open.update(AvailableCommandsUpdate::new(commands(sent))).await?;
        }
        let opened = Opened::new(());
        Ok(match folders.next() {
            Some(Some(stated)) => opened.commands(commands(stated)),
            _ => opened,
        })
    }

    /// Replaces the commands, or says which one the prompt calls.
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        if let Some(names) = turn.text().strip_prefix("list ") {
            turn.available_commands(commands(names)).await?;
        } else {
            turn.say(format!("{:?}", turn.command().map(|command| (command.name, command.input)))).await?;
        }
        Ok(StopReason::EndTurn)
    }

    async fn own(&self, turn: Turn) -> Result<StopReason> {
        turn.say("own").await?;
        Ok(StopReason::EndTurn)
    }
}

fn changing() -> Router<Changing> {
    Router::with_sessions("changing", "1", Changing, Changing::new_session)
        .on::<op::LoadSession, _>(Changing::load_session)
        .on::<op::Prompt, _>(Changing::prompt)
}

fn with_own() -> Router<Changing> {
    changing().command(AvailableCommand::new("own", "Has a handler"), Changing::own)
}

async fn open_at(wire: &mut Wire, cwd: &str) -> Value {
    wire.call("session/new", json!({"cwd": cwd, "mcpServers": []})).await
}

#[tokio::test]
async fn the_client_gets_one_list_with_everything_when_a_session_is_opened() {
    for (cwd, without, with) in [
        ("/work", vec![], vec![vec!["own"]]),
        ("/work/has:a,b", vec![vec!["a", "b"]], vec![vec!["own", "a", "b"]]),
        ("/work/has:", vec![], vec![vec!["own"]]),
        ("/has:a", vec![vec!["a"]], vec![vec!["own", "a"]]),
        ("/has:", vec![vec![]], vec![vec!["own"]]),
        // The later list counts.
        ("/has:a/has:b", vec![vec!["a"], vec!["b"]], vec![vec!["own", "a"], vec!["own", "b"]]),
        ("/has:a/has:", vec![vec!["a"], vec![]], vec![vec!["own", "a"], vec!["own"]]),
    ] {
        for (agent, lists) in [(changing(), without), (with_own(), with)] {
            let mut wire = Wire::connect(agent, json!({})).await;
            let answer = open_at(&mut wire, cwd).await;
            let session = answer["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{answer}"));
            for list in &lists {
                assert_eq!(names(&listed(&mut wire).await), *list, "{cwd}");
            }
            let (updates, _) = wire.turn(session, "/b c").await;
            let has_b = lists.last().is_some_and(|list| list.contains(&"b"));
            let called = if has_b { r#"Some(("b", "c"))"# } else { "None" };
            assert_eq!(updates[0]["content"]["text"], called, "{cwd}");

            // What the handler of a load sends does not wait for the answer.
            let load = wire.request("session/load", reopening("session/load", "loaded", cwd)).await;
            let (before, behind) = lists.split_at(usize::from(cwd.starts_with("/has:")));
            for list in before {
                assert_eq!(names(&listed(&mut wire).await), *list, "{cwd}");
            }
            assert_eq!(wire.answer_to(load).await["result"], json!({}));
            for list in behind {
                assert_eq!(names(&listed(&mut wire).await), *list, "{cwd}");
            }
            assert!(wire.close().await.is_empty(), "{cwd}");
        }
    }
}

#[tokio::test]
async fn a_later_list_replaces_all_commands_but_those_with_handlers() {
    let (mut wire, session) = open(with_own()).await;
    for (names, called) in [("a,b", Some("a")), ("b", None), ("", None), ("ü,a", Some("a"))] {
        let (updates, answer) = wire.turn(&session, &format!("list {names}")).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn");
        let expected = ["own"].into_iter().chain(names.split(',').filter(|name| !name.is_empty()));
        assert_eq!(super::names(&updates[0]["availableCommands"]), expected.collect::<Vec<_>>());
        let (updates, _) = wire.turn(&session, "/a  b c").await;
        let called = called.map(|name| (name, "b c"));
        assert_eq!(updates[0]["content"]["text"], format!("{called:?}"));
        let (updates, _) = wire.turn(&session, "/own x").await;
        assert_eq!(updates[0]["content"]["text"], "own");
    }
    assert!(wire.close().await.is_empty());
}

#[tokio::test]
async fn a_list_that_cannot_be_told_apart_or_called_is_refused() {
    for (names, expected) in [
        ("a,own", CommandsError::Handled { name: "own".into() }),
        ("a,b,a", CommandsError::Twice { name: "a".into() }),
        ("a,!", CommandsError::Name { name: String::new(), error: CommandNameError::Empty }),
        ("/a", CommandsError::Name { name: "/a".into(), error: CommandNameError::Slash }),
        ("a b", CommandsError::Name { name: "a b".into(), error: CommandNameError::WhiteSpace }),
        (
            "a\u{3000}b",
            CommandsError::Name { name: "a\u{3000}b".into(), error: CommandNameError::WhiteSpace },
        ),
    ] {
        let (mut wire, session) = open(with_own()).await;
        let (updates, answer) = wire.turn(&session, &format!("list {names}")).await;
        assert_eq!((updates.len(), &answer["error"]["code"]), (0, &json!(-32603)), "{names}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert_eq!(message, Error::from(expected).to_string());
        if names.starts_with('/') {
            continue;
        }
        // The same when a session is opened. That session does not exist.
        for cwd in [format!("/work/has:{names}"), format!("/has:{names}")] {
            let answer = open_at(&mut wire, &cwd).await;
            assert_eq!(answer["error"]["message"], message, "{cwd}");
        }
        let (updates, _) = wire.turn(&session, "/own").await;
        assert_eq!(updates[0]["content"]["text"], "own", "the list of before holds");
        assert!(wire.close().await.is_empty());
    }
}

#[tokio::test]
async fn a_command_that_nothing_runs_is_refused() {
    let agent = Router::with_sessions("own", "1", Changing, Changing::new_session)
        .command(AvailableCommand::new("own", "Has a handler"), Changing::own);
    let mut wire = Wire::connect(agent, json!({})).await;
    let answer = open_at(&mut wire, "/work/has:a").await;
    let expected = CommandsError::NoPrompt { name: "a".into() };
    assert_eq!(answer["error"]["message"], expected.to_string());
    assert!(wire.close().await.is_empty());
}

#[tokio::test]
async fn a_command_has_one_handler() {
    let command = || AvailableCommand::new("own", "Has a handler");
    let twice = with_own().command(command(), Changing::own);
    let error = acp_agent::serve(twice, Transport::duplex().1).await.unwrap_err();
    let Error::Conflict(Conflict::ServedTwice { method, .. }) = &error else { panic!("{error}") };
    assert_eq!(method, "/own");
}

#[test]
fn the_router_refuses_names_that_a_prompt_cannot_have() {
    for name in ["", "/own", "own it", "own\n"] {
        let registered = std::panic::catch_unwind(|| {
            let _ = changing().command(AvailableCommand::new(name, "Does it"), Changing::own);
        });
        let message = *registered.unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains(&format!("`{name}`")), "{message}");
    }
}
