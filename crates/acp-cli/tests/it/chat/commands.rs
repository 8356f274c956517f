//! The commands that begin with a slash.

use super::*;

const MODES: &str = r#"take; give '{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{}}}}'
take; give '{"sessionId":"s1","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"Ask"},{"id":"b","name":"Build it"}]}}'
"#;
const OPTIONS: &str = r#"take; give '{"protocolVersion":1}'
take; give '{"sessionId":"s1","configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big"},{"value":"small","name":"Small"}]}]}'
"#;

/// Starts a chat whose agent opens the session itself.
fn begin(home: &Path, options: &[&str], script: &str) -> Screen {
    let mut screen = Screen::open(command(home, options, script));
    screen.until("Ctrl-D ends the chat");
    screen
}

#[test]
fn modes_are_listed_and_switched() {
    let home = home();
    let set = r#"take; case $line in *session/set_mode*'"b"'*) give null;; *) exit 7;; esac"#;
    let by_agent = r#"take; update '{"sessionUpdate":"current_mode_update","currentModeId":"a"}'; "#;
    let mut screen = begin(home.path(), &[], &format!("{MODES}{set}\n{by_agent}{END}; take"));
    screen.until("a > ");
    enter(&mut screen, "/mode");
    screen.until("* a              Ask\r\n  b              Build it\r\n");
    screen.until("a > ");
    enter(&mut screen, "/mode zen");
    screen.until("its modes are `a`, `b`");
    screen.until("a > ");
    // A name is as good as an id.
    enter(&mut screen, "/mode build it");
    screen.until("b > ");
    enter(&mut screen, "go");
    screen.until("mode: a\r\n");
    screen.until("a > ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn the_first_mode_can_be_an_option() {
    let home = home();
    let set = r#"take; case $line in *session/set_mode*'"b"'*) give null;; *) exit 7;; esac; take"#;
    let mut screen = begin(home.path(), &["--mode", "b"], &format!("{MODES}{set}"));
    screen.until("b > ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn config_options_are_listed_and_set() {
    let home = home();
    let set = r#"take; case $line in *session/set_config_option*'"small"'*) ;; *) exit 7;; esac
        give '{"configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"small","options":[{"value":"big","name":"Big"},{"value":"small","name":"Small"}]}]}'; take"#;
    let mut screen = begin(home.path(), &[], &format!("{OPTIONS}{set}"));
    screen.until("> ");
    enter(&mut screen, "/config");
    screen.until("model=big  (Model: big, small)\r\n");
    screen.until("> ");
    for (line, wants) in [
        ("/config model", "it must be NAME=VALUE"),
        (
            "/config modle=big",
            "`/config modle=big`: the session has no option `modle`: did you mean `model`?",
        ),
        ("/config model=tiny", "the option has no value `tiny`"),
    ] {
        enter(&mut screen, line);
        screen.until(wants);
        screen.until("> ");
    }
    screen.type_in("/config m\tsm\t");
    screen.until("model=small");
    screen.type_in(ENTER);
    screen.until("\r\nmodel=small\r\n");
    screen.until("> ");
    enter(&mut screen, "/config");
    screen.until("model=small  (Model: big, small)\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn sessions_are_listed_loaded_by_number_and_shown() {
    let home = home();
    let list = r#"take; case $line in *session/list*) ;; *) exit 7;; esac
        give '{"sessions":[{"sessionId":"s8","cwd":"/w","title":"Older"},{"sessionId":"s9","cwd":"/w","title":"Newer"}]}'"#;
    // The updates of the shell functions are those of s1, which the second session has as its id.
    let list = list.replace("s9", "s1");
    let load = r#"take; case $line in *session/load*'"s1"'*) ;; *) exit 8;; esac
        update '{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"earlier\nquestion"}}'
        say 'earlier answer'; give '{}'"#;
    let turn = r#"take; case $line in *session/prompt*'"s1"'*) say 'on we go';; esac; "#;
    let mut screen = begin(home.path(), &[], &format!("{MODES}{list}\n{load}\n{turn}{END}; take"));
    screen.until("a > ");
    enter(&mut screen, "/load");
    screen.until("  1  s8");
    screen.until("  2  s1");
    screen.until("Newer\r\n");
    screen.until("a > ");
    enter(&mut screen, "/load 2");
    screen.until("> earlier\r\n  question\r\nearlier answer\r\nsession: s1\r\n");
    screen.until("> ");
    enter(&mut screen, "go");
    screen.until("on we go\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn a_chat_can_begin_with_an_earlier_session() {
    let home = home();
    let load =
        r#"take; case $line in *session/load*'"s1"'*) ;; *) exit 8;; esac; say 'earlier'; give '{}'; take"#;
    let resume = r#"take; case $line in *session/resume*'"s1"'*) ;; *) exit 8;; esac; give '{}'; take"#;
    for (capabilities, script, wants) in [
        (r#"{"loadSession":true,"sessionCapabilities":{"resume":{}}}"#, load, "earlier\r\nsession: s1\r\n"),
        (r#"{"sessionCapabilities":{"resume":{}}}"#, resume, "session: s1\r\n"),
    ] {
        let open = format!("take; give '{{\"protocolVersion\":1,\"agentCapabilities\":{capabilities}}}'\n");
        let mut screen = Screen::open(command(home.path(), &["--load", "s1"], &format!("{open}{script}")));
        screen.until(wants);
        screen.until("> ");
        assert_eq!(leave(&mut screen), Some(0));
    }
    let open = "take; give '{\"protocolVersion\":1}'; take";
    let mut screen = Screen::open(command(home.path(), &["--load", "s1"], open));
    screen.until("`session/load`");
    assert_eq!(screen.end(), Some(1));
}

#[test]
fn a_session_that_is_in_use_elsewhere_says_what_to_do() {
    let home = home();
    let open = r#"take; give '{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}'; take"#;
    let refuse = |kind: &str| {
        let data = format!(r#"{{"acp-rs/store":{{"kind":"{kind}","sessionId":"s1"}}}}"#);
        format!(
            r#"printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32600,"message":"no","data":{data}}}}}\n' "$id""#
        )
    };
    let busy = format!("{open}; {}; take", refuse("busy"));
    let mut screen = Screen::open(command(home.path(), &["--load", "s1"], &busy));
    screen.until("session `s1` is open elsewhere: close it there, and then try again");
    assert_eq!(screen.end(), Some(1));

    let changed = format!("{open}; give '{{}}'; take; {}; take; {END}; take", refuse("changed"));
    let mut screen = Screen::open(command(home.path(), &["--load", "s1"], &changed));
    screen.until("> ");
    enter(&mut screen, "hello");
    screen.until("session `s1` was continued elsewhere");
    screen.until("`/load s1`");
    screen.until("> ");
    enter(&mut screen, "again");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn a_new_session_is_another_one_and_an_agent_without_lists_says_so() {
    let home = home();
    let new = r#"take; case $line in *session/new*) give '{"sessionId":"s2"}';; *) exit 7;; esac
        take; case $line in *session/prompt*'"s2"'*) ;; *) exit 8;; esac; "#;
    let mut screen = open(home.path(), &[], &format!("{new}{END}; take"));
    for command in ["/sessions", "/load"] {
        enter(&mut screen, command);
        screen.until("`session/list`");
        screen.until("> ");
    }
    enter(&mut screen, "/load s7");
    screen.until("`session/load`");
    screen.until("> ");
    enter(&mut screen, "/new");
    screen.until("session: s2\r\n");
    screen.until("> ");
    enter(&mut screen, "go");
    screen.until("\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn commands_of_the_agent_are_sent_and_unknown_ones_refused() {
    let home = home();
    let commands = r#"update '{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"web","description":"Search the web","input":{"hint":"words"}},{"name":"mode","description":"hidden"}]}'"#;
    let sent = r#"take; case $line in *'"text":"/web for cats"'*) ;; *) exit 7;; esac; say 'found'; "#;
    let text = r#"take; case $line in *'"text":"/mode is a word"'*) ;; *) exit 8;; esac; say 'read'; "#;
    // The list is there when the answer to the first prompt is.
    let first = "take; say 'ready'; ";
    let script = format!("{commands}\n{first}{END}\n{sent}{END}\n{text}{END}; take");
    let mut screen = open(home.path(), &[], &script);
    enter(&mut screen, "hello");
    screen.until("ready\r\n");
    screen.until("> ");
    enter(&mut screen, "/webb for cats");
    screen.until("there is no command `/webb`: did you mean `/web`?");
    screen.until("> ");
    enter(&mut screen, "/zzz");
    screen.until("there is no command `/zzz` (`/help` lists them");
    screen.until("> ");
    screen.type_in("/w\tfor cats");
    screen.until("/web ");
    screen.type_in(ENTER);
    screen.until("found\r\n");
    screen.until("> ");
    enter(&mut screen, "//mode is a word");
    screen.until("read\r\n");
    screen.until("> ");
    enter(&mut screen, "/help");
    screen.until("commands of the agent\r\n/web           Search the web\r\n");
    screen.until("> ");
    enter(&mut screen, "/cancel");
    screen.until("no turn is running");
    screen.until("> ");
    enter(&mut screen, "/quit");
    assert_eq!(screen.end(), Some(0));
}

#[test]
fn a_session_that_cannot_be_loaded_leaves_the_chat_where_it_is() {
    let home = home();
    let commands = r#"update '{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"web","description":"Search"}]}'"#;
    let refuse = r#"take; case $line in *session/load*) ;; *) exit 7;; esac
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"unknown session"}}\n' "$id""#;
    let turn = r#"take; case $line in *session/prompt*'"s1"'*'/web cats'*) say fine;; *) exit 8;; esac; "#;
    let ready = format!("take; say ready; {END}");
    let script = format!("{MODES}{commands}\n{ready}\n{refuse}\n{turn}{END}; take");
    let mut screen = begin(home.path(), &[], &script);
    screen.until("> ");
    enter(&mut screen, "hello");
    screen.until("ready\r\n");
    screen.until("> ");
    enter(&mut screen, "/load s7");
    screen.until("unknown session");
    screen.until("> ");
    enter(&mut screen, "/web cats");
    screen.until("fine\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn an_interrupt_stops_a_command_and_not_the_chat() {
    let home = home();
    let go_on = fifo(home.path());
    // The second message is the withdrawal of the request.
    let deaf = format!("take; echo go > {go_on}; take; take; say fine; {END}; take");
    let mut screen = begin(home.path(), &[], &format!("{MODES}{deaf}"));
    screen.until("> ");
    enter(&mut screen, "/sessions");
    assert_eq!(std::fs::read_to_string(&go_on).expect("the agent has the request"), "go\n");
    signal(&screen, "-INT");
    screen.until("stopped\r\n");
    screen.until("> ");
    enter(&mut screen, "go");
    screen.until("fine\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}
