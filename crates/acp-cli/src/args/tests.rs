//! Command lines, and what is read from them.

use std::time::Duration;

use super::*;
use crate::args::value::{Allow, Protocol};
use crate::named::Named;
use crate::named::address::Address;

fn parsed(line: &str) -> String {
    match parse(line.split_whitespace().map(OsString::from)) {
        Ok(command) => format!("{command:?}"),
        Err(error) => format!("error: {error}"),
    }
}

fn prompt(line: &str) -> PromptArgs {
    match parse(line.split(' ').map(OsString::from)) {
        Ok(Command::Prompt(args)) => *args,
        other => panic!("is a prompt, not {other:?}"),
    }
}

#[test]
fn the_definition_holds_together() {
    definition().debug_assert();
}

#[test]
fn everything_after_two_dashes_is_the_agents() {
    let args = prompt("prompt hi --verbose -- npx --yes -- --allow");
    assert_eq!((args.text.as_str(), args.verbose, args.allow), ("hi", true, None));
    let words = ["--yes", "--", "--allow"].map(OsString::from).to_vec();
    assert_eq!(args.agent, Named::Command { program: "npx".into(), args: words });
}

#[test]
fn options_are_read_in_any_order() {
    let args = prompt(
        "prompt --allow=once --timeout 1.5 hi --mode plan --session s1 --cwd /x --record /r --protocol auto -- a",
    );
    assert_eq!(args.allow, Some(Allow::Once));
    assert_eq!(args.timeout, Some(Duration::from_millis(1500)));
    assert_eq!((args.mode.as_deref(), args.session.as_deref()), (Some("plan"), Some("s1")));
    assert_eq!(args.cwd, Some(PathBuf::from("/x")));
    assert_eq!(args.record, Some(PathBuf::from("/r")));
    assert_eq!(args.protocol, Protocol::Auto);
}

#[test]
fn the_last_of_an_option_counts_and_a_value_may_begin_with_a_dash() {
    let args = prompt("prompt hi --mode a -v --mode=-b -v --mcp x=http://x --mcp y=http://y -- a");
    assert_eq!((args.mode.as_deref(), args.verbose, args.mcp.len()), (Some("-b"), true, 2));
}

#[test]
fn an_agent_has_a_command_an_id_or_a_file() {
    let id = |id: &str, registry: Option<&str>| Named::Listed {
        id: id.to_owned(),
        registry: registry.map(PathBuf::from),
    };
    assert_eq!(prompt("prompt hi --agent robot").agent, id("robot", None));
    assert_eq!(prompt("prompt hi --registry /r --agent robot").agent, id("robot", Some("/r")));
    for file in ["./robot", "robot.json", "/etc/robot"] {
        assert_eq!(prompt(&format!("prompt hi --agent {file}")).agent, Named::File(file.into()));
    }
}

#[test]
fn every_command_names_its_agent_in_one_way() {
    let id = |registry: Option<&str>| Named::Listed {
        id: "robot".to_owned(),
        registry: registry.map(PathBuf::from),
    };
    let agents = [
        ("-- a -b", Named::Command { program: "a".into(), args: vec!["-b".into()] }),
        ("--agent robot", id(None)),
        ("--registry /r --agent robot", id(Some("/r"))),
        ("--agent ./robot", Named::File("./robot".into())),
        ("--agent robot.json", Named::File("robot.json".into())),
        (
            "--tls-ca /c --url ws://x/acp --token-file /t",
            Named::Remote(Address {
                url: "ws://x/acp".into(),
                token_file: Some("/t".into()),
                tls_ca: Some("/c".into()),
            }),
        ),
    ];
    for command in ["prompt hi", "bridge --to 2", "check agent", "mock client --script x", "tap", "replay x"]
    {
        for (words, agent) in &agents {
            let got = parsed(&format!("{command} {words}"));
            assert!(got.contains(&format!("{agent:?}")), "`{command} {words}` gave {got}");
        }
        for (words, wants) in [
            ("--agent x -- agent", "`--agent` and `-- AGENT`: one of them is enough"),
            ("--registry x -- agent", "`--registry` is for `--agent ID`"),
            ("--agent ./x --registry y", "`--registry` is for `--agent ID`"),
            ("--url ws://x -- agent", "`--url` and `-- AGENT`: one of them is enough"),
            ("--url ws://x --agent y", "`--agent` and `--url`: one of them is enough"),
            ("--url ws://x --registry y", "`--registry` is for `--agent ID`"),
            ("--token-file x -- agent", "`--token-file` is for `--url URL`"),
            ("--tls-ca x -- agent", "`--tls-ca` is for `--url URL`"),
        ] {
            let got = parsed(&format!("{command} {words}"));
            assert!(got.starts_with("error: ") && got.contains(wants), "`{command} {words}` gave {got}");
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    for (line, wants) in [
        ("", "the command is missing: see `acp --help`"),
        ("frob", "there is no command `frob`: see `acp --help`"),
        ("promt hi -- agent", "there is no command `promt`: did you mean `prompt`?"),
        ("prompt -- agent", "the text of the prompt is missing: acp prompt TEXT"),
        ("prompt hi", "the agent is missing: end with `-- AGENT [ARGS…]`, or name one with `--agent ID`"),
        ("prompt hi --", "the agent is missing"),
        ("prompt hi there -- agent", "there is one argument too many: `there`"),
        ("prompt hi --agent x -- agent", "`--agent` and `-- AGENT`: one of them is enough"),
        ("prompt hi --registry x -- agent", "`--registry` is for `--agent ID`"),
        ("prompt hi --agent ./x --registry y", "`--registry` is for `--agent ID`"),
        ("prompt hi --session -- agent", "`--session` needs a value: `--session=ID`"),
        ("serve", "the agent is missing: end with `-- AGENT [ARGS…]`"),
        ("serve --url ws://x", "there is no option `--url`"),
        ("serve --listen here -- x", "`--listen here`: "),
        ("serve --tls-cert x -- y", "`--tls-key` is missing"),
        ("serve --path acp -- y", "`--path acp`: it must begin with `/`"),
        ("serve --proxy 10.0.0.0/33 -- y", "`--proxy 10.0.0.0/33`: it must be an address, or a network"),
        ("serve --replica a.b -- y", "`--replica a.b`: it must consist of letters"),
        ("serve --env =x -- y", "`--env =x`: it must be NAME or NAME=VALUE"),
        ("serve --prestart many -- y", "`--prestart many`: "),
        ("serve --host a --any-host -- y", "`--any-host` and `--host`: one of them is enough"),
        ("connect", "the address is missing: acp connect URL"),
        ("connect ws://x -- agent", "`acp connect` takes no agent"),
        ("connect ws://x y", "there is one argument too many: `y`"),
        ("connect ws://x --drain soon", "`--drain soon`: it must be a number of seconds"),
        ("prompt hi --tiemout 1 -- agent", "there is no option `--tiemout`: did you mean `--timeout`?"),
        ("prompt hi -x -- agent", "there is no option `-x`: see `acp prompt --help`"),
        ("prompt hi --verbose=yes -- agent", "`--verbose` takes no value"),
        ("prompt hi --allow maybe -- agent", "`--allow maybe`: it must be once, always, reject or ask"),
        ("prompt hi --protocol 3 -- agent", "`--protocol 3`: it must be 1, 2 or auto"),
        ("prompt hi --mcp files -- agent", "`--mcp files`: it must be NAME=COMMAND or NAME=URL"),
        ("prompt hi --timeout soon -- agent", "`--timeout soon`: it must be a number of seconds"),
        ("prompt hi --timeout -1 -- agent", "it must be a number of seconds"),
        ("prompt hi --init-timeout NaN -- agent", "`--init-timeout NaN`: it must be a number of seconds"),
        ("prompt hi --idle-timeout 1e400 -- agent", "`--idle-timeout 1e400`: it must be a number of seconds"),
        ("prompt hi --json --quiet -- agent", "one of them is enough"),
        ("prompt hi --quiet -v -- agent", "one of them is enough"),
        ("prompt hi --config model -- agent", "`--config model`: it must be NAME=VALUE"),
        ("prompt hi --config =x -- agent", "`--config =x`: it must be NAME=VALUE"),
        ("sessions", "what to do? acp sessions list|load|delete|export"),
        ("sessions lst -- agent", "there is no command `lst`: did you mean `list`?"),
        ("sessions load -- agent", "the session is missing: name it by its ID"),
        ("sessions export s1 --format html -- agent", "`--format html`: it must be markdown or ndjson"),
        ("sessions list", "the agent is missing"),
        ("call -- agent", "the method is missing: acp call METHOD"),
        ("call x --session s --new-session -- agent", "one of them is enough"),
        ("call x", "the agent is missing"),
        ("man --markdown", "`<DIR>` is missing"),
        ("bridge -- agent", "`--to` is missing: see `acp bridge --help`"),
        ("bridge --to 3 -- agent", "`--to 3`: it must be 1 or 2"),
        ("bridge --to 2", "the agent is missing"),
        ("check agent", "the agent is missing: end with `-- AGENT [ARGS…]`"),
        ("check server -- x", "a check is of an agent or a client: acp check agent|client [OPTIONS]"),
        ("check -- x", "a check is of an agent or a client: acp check agent|client [OPTIONS]"),
        ("check client", "the client is missing: end with `-- CLIENT [ARGS…]`"),
        ("check client --model-stub -- x", "`--model-stub` is for `acp check agent`"),
        ("check client --profile qwen -- x", "`--profile` is for `acp check agent`"),
        ("check client --show x -- x", "`--show` is for `acp check agent`"),
        ("check agent --interrupt -- x", "are for `acp check client`"),
        ("check agent --repeat 0 -- x", "`--repeat 0`: 0 is not in 1..=1000"),
        ("check agent --timeout soon -- x", "`--timeout soon`: it must be a number of seconds"),
        ("mock --script x", "a script is of an agent or a client: acp mock agent|client --script FILE"),
        ("mock server --script x", "`server`: it must be agent or client"),
        ("mock agent", "the script is missing: acp mock agent|client --script FILE"),
        ("mock agent --script x --from y", "`--from` and `--script`: one of them is enough"),
        ("mock agent --script x -- y", "a scripted agent starts no command: the client starts it"),
        ("conduct", "the agent is missing: acp conduct PROXY"),
        ("conduct p --", "a component is missing beside a `--`"),
        ("conduct --file x p -- a", "`--file` describes the whole chain"),
        ("conduct --mcp sse p -- a", "`--mcp sse`: it must be stdio, http or off"),
        ("mcp-shim x", "there is one argument too many: `x`"),
        ("demo --fast", "there is no option `--fast`: see `acp demo --help`"),
        ("demo -- agent", "`acp demo` takes no agent"),
        ("new", "what to make? acp new agent|client NAME"),
        ("new server x", "a project is an agent or a client: acp new agent|client NAME"),
        ("new agent", "the name is missing: acp new agent|client NAME"),
        ("new agent x y", "there is one argument too many: `y`"),
        ("new agent x -- y", "`acp new` takes no agent"),
        ("new agent x --rev 1 --path y", "`--path` and `--rev`: one of them is enough"),
        ("new agent x --rev a\"b", "is not a commit"),
        ("completions", "the shell is missing: acp completions SHELL"),
        (
            "completions bahs",
            "`bahs`: it must be bash, elvish, fish, powershell or zsh: did you mean `bash`?",
        ),
    ] {
        let got = parsed(line);
        assert!(got.starts_with("error: ") && got.contains(wants), "`{line}` gave {got}");
    }
}

#[test]
fn a_chain_is_split_at_two_dashes() {
    let parsed = parse("conduct p1 -- p2 --flag -- agent -x".split(' ').map(OsString::from));
    let Ok(Command::Conduct(args)) = parsed else { panic!("{parsed:?}") };
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let components = vec![words(&["p1"]), words(&["p2", "--flag"]), words(&["agent", "-x"])];
    assert_eq!(args.chain, conduct::ChainSource::Words { components, as_proxy: false });
}

#[test]
fn help_and_version_are_texts() {
    for (line, wants) in [
        ("--help", "acp prompt TEXT"),
        ("-h", "completions"),
        ("help", "acp prompt TEXT"),
        ("help prompt", "--idle-timeout"),
        ("prompt --help", "exit status"),
        ("prompt -h", "141  nobody reads the output"),
        ("new agent --help", "agent|client"),
        ("mock --help", "0 the script was fulfilled"),
        ("check --help", "3 no rule is broken, but some could not be judged"),
        ("--version", env!("CARGO_PKG_VERSION")),
        ("-V", "acp "),
    ] {
        let Ok(Command::Tell(text)) = parse(line.split(' ').map(OsString::from)) else {
            panic!("`{line}` gave {}", parsed(line))
        };
        assert!(text.contains(wants) && text.ends_with('\n') && !text.contains("demo-agent"), "{text}");
    }
}
