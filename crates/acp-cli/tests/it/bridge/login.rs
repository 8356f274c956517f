//! Logins of the agent in a terminal, which the client runs with the program of the bridge.

use std::process::Stdio;

use acp_client::{Command, ProtocolVersion};

use super::PATIENCE;
use super::raw::{V1, V2};

/// An agent of version 1: with the argument `login` it logs in, else it answers `initialize`.
const AGENT: &str = r#"
if [ "$2" = login ]; then echo "$1 $NAME $ACP_BRIDGE_LOGIN"; exit 7; fi
read -r line
meta='{"id":"old","name":"Old","_meta":{"terminal-auth":{"label":"Old","args":["login"],"env":{"NAME":"Bob"}}}}'
own='{"id":"own","name":"Own","_meta":{"terminal-auth":{"command":"/bin/true","args":["x"]}}}'
new='{"type":"terminal","id":"new","name":"New","args":["login"],"env":{"NAME":"Ada"}}'
case "$line" in
*'"terminal":true'*) printf '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"authMethods":[%s,%s,%s]}}\n' "$new" "$meta" "$own" ;;
*) printf '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"authMethods":[{"id":"plain","name":"Plain"}]}}\n' ;;
esac
cat > /dev/null
"#;

/// The command of the agent behind these bridges, the first of which is next to the client.
fn command(bridges: &[ProtocolVersion]) -> Command {
    let mut words = Vec::new();
    for to in bridges {
        words.extend([env!("CARGO_BIN_EXE_acp"), "bridge", "--to", if *to == V1 { "1" } else { "2" }, "--"]);
    }
    words.extend(["sh", "-c", AGENT, "agent", "always"]);
    let (program, args) = words.split_first().expect("there is one");
    Command::new(*program).args(args.iter().copied())
}

#[tokio::test]
async fn a_client_runs_the_logins_of_an_agent_behind_bridges() {
    let rows: [(&[ProtocolVersion], _); 3] = [(&[V1], V1), (&[V1], V2), (&[V2, V1], V1)];
    for (bridges, client) in rows {
        let connect = acp_client::spawn(command(bridges)).versions([client]).terminal_logins();
        let agent = tokio::time::timeout(PATIENCE, std::future::IntoFuture::into_future(connect))
            .await
            .expect("it answers");
        let agent = agent.unwrap_or_else(|error| panic!("{bridges:?} {client:?}: {error}"));
        let ids: Vec<_> = agent.terminal_logins().iter().map(|login| login.id.to_string()).collect();
        assert_eq!(ids, ["new", "old", "own"], "{bridges:?} {client:?}");
        for (id, name) in [("new", "Ada"), ("old", "Bob")] {
            let mut login = agent.terminal_login(id).expect("it is listed");
            let login = login.stdin(Stdio::null()).stdout(Stdio::piped());
            let ended = login.output().expect("it runs");
            // The variable of the bridge is not the agent's.
            assert_eq!(String::from_utf8_lossy(&ended.stdout), format!("always {name} \n"), "{ended:?}");
            assert_eq!(ended.status.code(), Some(7), "{bridges:?} {client:?} {id}");
        }
        // One with a program of its own needs no bridge.
        let own = agent.terminal_login("own").expect("it is listed");
        assert_eq!(own.get_program(), "/bin/true");
        agent.close().await;
    }
}

#[tokio::test]
async fn a_client_without_a_terminal_gets_no_such_login() {
    let connect = std::future::IntoFuture::into_future(acp_client::spawn(command(&[V1])));
    let agent = tokio::time::timeout(PATIENCE, connect).await.expect("it answers").expect("it does");
    let ids: Vec<_> = agent.auth_methods().iter().filter_map(|method| method.id()).collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    assert_eq!(ids[0].as_str(), "plain");
    agent.close().await;
}

#[test]
fn a_variable_that_is_not_a_login_is_refused() {
    let mut bridge = std::process::Command::new(env!("CARGO_BIN_EXE_acp"));
    let bridge = bridge.args(["bridge", "--to", "1", "--", "true"]).env("ACP_BRIDGE_LOGIN", "[1]");
    let ended = bridge.stdin(Stdio::null()).output().expect("it runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && said.contains("ACP_BRIDGE_LOGIN"), "{said}");
}
