//! Agents that are programs: those that hang, those that die, and the processes that they leave.

use std::path::Path;
use std::time::Duration;

use acp_testkit::check::{Checker, Options, Report, Status, Target, Verdict};

async fn check(script: &str, only: &[&str]) -> Report {
    let mut options = Options::default();
    options.limit = Duration::from_millis(500);
    options.only = only.iter().map(|id| (*id).to_owned()).collect();
    Checker::new(Target::command("sh", ["-c", script]), options).run().await
}

fn is_running(pid: &str) -> bool {
    let state = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    state.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

#[tokio::test]
async fn an_agent_that_hangs_costs_a_scenario_and_leaves_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let script = format!("sleep 1000 & echo $$ $! >> '{}'; cat > /dev/null", pids.display());
    let report = check(&script, &["v1-tr-01", "v1-new-01"]).await;
    let verdict = |rule| &report.outcome(rule).unwrap().verdict;
    assert!(matches!(verdict("v1-tr-01"), Verdict::Fail(_)), "{report}");
    assert!(matches!(verdict("v1-new-01"), Verdict::Inconclusive(_)), "{report}");
    let again = "again: acp check agent --rule v1-tr-01 --timeout=0.5 -- sh -c 'sleep 1000 & echo";
    assert!(report.to_string().contains(again), "{report}");
    let pids = std::fs::read_to_string(pids).unwrap();
    let pids: Vec<_> = pids.split_whitespace().collect();
    assert!(pids.len() >= 4, "two starts of two processes: {pids:?}");
    if cfg!(target_os = "linux") {
        assert_eq!(pids.iter().find(|pid| is_running(pid)), None);
    }
}

#[tokio::test]
async fn an_agent_that_dies_is_started_again() {
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}"#;
    let script = format!("read line; echo '{answer}'; read line");
    let report = check(&script, &["v1-init-13", "v1-new-01", "v1-new-03", "v1-rpc-14"]).await;
    let verdict = |rule| report.outcome(rule).unwrap().verdict.name();
    assert_eq!(verdict("v1-init-13"), "pass");
    assert_eq!((verdict("v1-new-01"), verdict("v1-new-03")), ("inconclusive", "inconclusive"));
    // This one says that the agent must survive.
    assert_eq!(verdict("v1-rpc-14"), "fail");
}

#[tokio::test]
async fn a_program_that_does_not_start_is_inconclusive() {
    let target = Target::command("/acp-check/none", [""; 0]);
    let report = Checker::new(target, Options::default()).run().await;
    let [pass, fail, _, inconclusive] = report.counts();
    // That it starts is a rule.
    assert_eq!((pass, fail), (0, 1), "{report}");
    assert!(inconclusive > 0);
    assert_eq!((report.status(false), report.status(true)), (Status::Inconclusive, Status::Failed));
    assert!(report.unreached().unwrap().contains("it does not start"), "{report}");
}

#[tokio::test]
async fn the_end_of_an_agent_that_never_initializes_is_told_once() {
    for (script, expected) in [
        ("echo no key >&2; exit 3", "the process exited with status 3; its last words on stderr:\nno key\n"),
        ("echo no key >&2; exec sleep 1000", "its last words on stderr:\nno key\n"),
    ] {
        let report = check(script, &["v1-new-01", "v1-new-03", "v1-init-04"]).await;
        let text = report.to_string();
        assert!(
            text.contains("the agent has never answered `initialize`") && text.ends_with(expected),
            "{text}"
        );
        assert_eq!(text.matches("no key").count(), 1, "{text}");
        assert!(report.unreached().is_some());
    }
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}"#;
    let report = check(&format!("read line; echo '{answer}'; exit 3"), &["v1-new-01"]).await;
    assert_eq!(report.unreached(), None, "{report}");
}

#[tokio::test]
async fn rules_that_stay_open_are_not_failed_starts() {
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}"#;
    let script = format!("read line; echo '{answer}'; cat > /dev/null");
    // The first three need prompts that nobody has set, and the last one is of a later connection.
    let rules = ["v1-perm-08", "v1-turn-09", "v1-creq-09", "v1-creq-08", "v1-init-04"];
    let report = check(&script, &rules).await;
    assert_eq!(report.outcome("v1-init-04").unwrap().verdict, Verdict::Pass, "{report}");
}
