//! `acp agents login`: logins of agents in a terminal.

use serde_json::json;

use super::running::home_of;
use super::{Home, entry};
use crate::prompt::asking::pty::Screen;

#[test]
fn a_login_runs_in_the_terminal() {
    let script = r#"
        if [ "$3" = login ]; then echo "in: $NAME $MODE"; exit 7; fi
        read -r line
        new='{"type":"terminal","id":"new","name":"New login","args":["login"],"env":{"NAME":"Ada"}}'
        old='{"id":"old","name":"Old","_meta":{"terminal-auth":{"label":"Old login","args":["login"],"env":{"NAME":"Bob"}}}}'
        printf '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"authMethods":[%s]}}\n' "$METHODS"
        cat > /dev/null"#;
    let home = home_of(&script.replace("$METHODS", "$new,$old"));
    let err = home.fails(&["agents", "login", "robot"]);
    assert!(err.contains("the agent `robot` is not installed"), "{err}");
    home.done(&["agents", "install", "robot"]);
    let err = home.fails(&["agents", "login", "robot"]);
    assert!(err.contains("has more than one login: choose with `--method`: new, old"), "{err}");
    for (method, label, name) in [("new", "New login", "Ada"), ("old", "Old login", "Bob")] {
        let (code, out, err) = home.run(&["agents", "login", "robot", "--method", method]);
        assert_eq!((code, out, err), (7, format!("in: {name} quiet\n"), format!("acp: {label}\n")));
    }
    let err = home.fails(&["agents", "login", "robot", "--method", "none"]);
    assert!(err.contains("has no login `none` for a terminal: it has new, old"), "{err}");
    let home = home_of(&script.replace("$METHODS", ""));
    home.done(&["agents", "install", "robot"]);
    assert!(home.fails(&["agents", "login", "robot"]).contains("has no login for a terminal"));
}

/// A login that needs a terminal, by each way to run an agent.
#[test]
fn the_terminal_is_that_of_the_login() {
    let script = r#"
        for last; do :; done
        if [ "$last" = login ]; then
            if [ -t 0 ] && [ -t 1 ] && [ -t 2 ]; then echo terminal; fi
            printf 'key: '; read -r key; echo "got $key"; exit 0
        fi
        read -r line
        method='{"type":"terminal","id":"new","name":"New login","args":["login"]}'
        printf '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"authMethods":[%s]}}\n' "$method"
        cat > /dev/null"#;
    let packed = Home::new();
    packed.program("npx", script);
    packed.list("/list", &[entry("1.0.0", &json!({"npx": {"package": "robot@1.0.0"}}))]);
    for home in [home_of(script), packed] {
        home.done(&["agents", "install", "robot"]);
        let mut screen = Screen::open(home.acp(&["agents", "login", "robot"]));
        screen.until("acp: New login\r\n");
        screen.until("terminal\r\nkey: ");
        screen.type_in("secret\n");
        screen.until("got secret\r\n");
        assert_eq!(screen.end(), Some(0));
    }
}
