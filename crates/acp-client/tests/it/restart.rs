//! An agent that is killed and comes back, with real processes.

#![cfg(unix)]

use std::process;
use std::time::Duration;

use acp_client::{AgentStatus, CloseReason, Command, Error, Reconnect, Restart};
use tokio::sync::mpsc;

/// An agent in shell. It prints its process id and the methods it gets on stderr. It never ends a
/// turn whose prompt says `hang`.
const AGENT: &str = r#"
echo "pid $$" >&2
give() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
say() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$1"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case $line in
    *'"method":"initialize"'*) give "{\"protocolVersion\":1,\"agentCapabilities\":$CAPABILITIES}" ;;
    *'"method":"session/new"'*) give '{"sessionId":"s1"}' ;;
    *'"method":"session/resume"'*) echo resumed >&2; give '{}' ;;
    *'"method":"session/load"'*) echo loaded >&2; say "of old"; give null ;;
    *hang*) say started ;;
    *'"method":"session/prompt"'*) say "from $$"; give '{"stopReason":"end_turn"}' ;;
  esac
done
"#;

/// Returns the agent, and the lines of its stderr.
fn agent(capabilities: &'static str) -> (Reconnect, mpsc::UnboundedReceiver<String>) {
    let (tell, said) = mpsc::unbounded_channel();
    let reconnect = acp_client::reconnecting(move || {
        let tell = tell.clone();
        let command = Command::new("sh").args(["-c", AGENT]).env("CAPABILITIES", capabilities);
        acp_client::spawn(command.on_stderr(move |line| tell.send(line.to_owned()).unwrap_or_default()))
    });
    (reconnect.restart(Restart::times(100).first_delay(Duration::ZERO)), said)
}

async fn pid(said: &mut mpsc::UnboundedReceiver<String>) -> String {
    let line = said.recv().await.expect("it says something");
    line.strip_prefix("pid ").unwrap_or_else(|| panic!("{line}")).to_owned()
}

fn kill_9(pid: &str) {
    let killed = process::Command::new("kill").args(["-9", pid]).status().expect("there is a kill");
    assert!(killed.success());
}

#[tokio::test]
async fn an_agent_that_is_killed_in_the_middle_of_a_turn_comes_back_with_its_session() {
    let table =
        [(r#"{"sessionCapabilities":{"resume":{}}}"#, "resumed"), (r#"{"loadSession":true}"#, "loaded")];
    for (capabilities, taken_up) in table {
        let (reconnect, mut said) = agent(capabilities);
        let agent = reconnect.await.expect("it starts");
        let session = agent.new_session("/").await.expect("opened");
        for round in 0..3 {
            let victim = pid(&mut said).await;
            let mut turn = session.prompt("hang").await.expect("sent");
            assert_eq!(turn.next().await.expect("it runs").text(), Some("started"), "in round {round}");
            kill_9(&victim);
            assert!(turn.next().await.is_none());
            let error = turn.finish().await.expect_err("killed");
            let Error::Closed { reason: CloseReason::Exited(exit), session: Some(id), .. } = &error else {
                panic!("{error:?}")
            };
            assert_eq!((exit.signal, id.as_str()), (Some(9), "s1"));

            // The handle works again at once.
            let mut turn = session.prompt("go").await.expect("it is back");
            let text = turn.next().await.expect("it answers");
            assert!(turn.next().await.is_none());
            turn.finish().await.expect("ends well");
            let now = text.text().expect("text").strip_prefix("from ").expect("its id").to_owned();
            assert_ne!(now, victim);
            let (started, restored) = (said.recv().await, said.recv().await);
            assert_eq!(started, Some(format!("pid {now}")));
            assert_eq!(restored.as_deref(), Some(taken_up));
            if round < 2 {
                kill_9(&now);
                // It comes back between turns, too.
                agent.status_is(|status| status != AgentStatus::Connected).await;
                session.current().await.expect("it is back");
                let line = format!("pid {}", pid(&mut said).await);
                assert_eq!(said.recv().await.as_deref(), Some(taken_up));
                said = again(line, said);
            }
        }
        agent.close().await;
        assert_eq!(agent.status(), AgentStatus::Closed);
    }
}

/// Puts this line before the others.
fn again(line: String, mut rest: mpsc::UnboundedReceiver<String>) -> mpsc::UnboundedReceiver<String> {
    let (tell, said) = mpsc::unbounded_channel();
    tell.send(line).expect("heard");
    tokio::spawn(async move {
        while let Some(line) = rest.recv().await {
            if tell.send(line).is_err() {
                break;
            }
        }
    });
    said
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn closing_while_it_is_started_again_leaves_no_process() {
    let (tell, mut said) = mpsc::unbounded_channel();
    let starts = std::sync::atomic::AtomicU32::new(0);
    let reconnect = acp_client::reconnecting(move || {
        // The second one never answers, and ignores the end of its input.
        let script = match starts.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => AGENT,
            _ => "echo \"pid $$\" >&2; while :; do sleep 0.1; done",
        };
        let tell = tell.clone();
        let command = Command::new("sh").args(["-c", script]).env("CAPABILITIES", "{}");
        let command = command.grace(Duration::from_millis(100));
        acp_client::spawn(command.on_stderr(move |line| tell.send(line.to_owned()).unwrap_or_default()))
    });
    let agent = reconnect.restart(Restart::times(1).first_delay(Duration::ZERO)).await.expect("it starts");
    kill_9(&pid(&mut said).await);
    let second = pid(&mut said).await;
    assert_eq!(agent.status(), AgentStatus::Restarting { restart: 1 });
    agent.close().await;
    assert_eq!(crate::common::processes::running(&second), None);
}

/// A tool may be replaced while the agent runs, such as by an update.
#[tokio::test]
async fn a_program_that_is_not_an_agent_is_told_at_each_start() {
    let usage = "echo 'usage: tool COMMAND'; echo why >&2; exit 2";
    let told = "`initialize` has no answer, and a line on stdout is not a message: ";

    let error = acp_client::reconnecting(move || acp_client::spawn(Command::new("sh").args(["-c", usage])))
        .await
        .expect_err("it ends");
    assert!(matches!(error, Error::NotAnAgent { noise: 1, .. }), "{error:?}");
    assert!(error.to_string().starts_with(told), "{error}");

    let (tell, mut said) = mpsc::unbounded_channel();
    let starts = std::sync::atomic::AtomicU32::new(0);
    let reconnect = acp_client::reconnecting(move || {
        let is_first = starts.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
        let tell = tell.clone();
        let command = Command::new("sh").args(["-c", if is_first { AGENT } else { usage }]);
        let command = command.env("CAPABILITIES", "{}");
        acp_client::spawn(command.on_stderr(move |line| tell.send(line.to_owned()).unwrap_or_default()))
    });
    let agent = reconnect.restart(Restart::times(1).first_delay(Duration::ZERO)).await.expect("it starts");
    kill_9(&pid(&mut said).await);
    agent.status_is(|status| status == AgentStatus::GivenUp).await;
    let error = agent.current().await.expect_err("it is not an agent any more");
    let Error::GivenUp { restarts: 1, reason, .. } = &error else { panic!("{error:?}") };
    assert!(reason.to_string().starts_with(told) && reason.to_string().ends_with("why"), "{reason}");
}
