//! The policy: which rule fits, and what its verdict does.

use acp_proxy::{Conductor, Rule, Rules};
use acp_types::v1::ToolKind;
use serde_json::{Value, json};

use super::common::{End, end, serve};
use super::forwarding::initialized;

/// The fate of a request.
#[derive(Clone, Debug, PartialEq)]
enum Fate {
    /// The client was asked, or did it.
    Client,
    /// The user was asked about it.
    Asked,
    Chosen(String),
    Cancelled,
    Error,
}

async fn start(rules: Rules) -> (End, End) {
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(rules.proxy()).agent(transport));
    initialized(&mut client, &mut agent).await;
    (client, agent)
}

/// Sends a request of the agent, and sees who answers it: the client or the chain.
async fn fate(rules: &Rules, method: &str, params: Value) -> Fate {
    let (mut client, mut agent) = start(rules.clone()).await;
    agent.ask(1, method, params).await;
    let answer = tokio::select! {
        answer = agent.value() => answer,
        request = client.value() => {
            if request["method"] != method {
                return Fate::Asked;
            }
            client.answer(&request["id"], json!("the client's")).await;
            agent.value().await
        }
    };
    if answer.get("error").is_some() {
        return Fate::Error;
    }
    match &answer["result"] {
        Value::String(_) => Fate::Client,
        result => match result["outcome"]["outcome"].as_str().unwrap() {
            "cancelled" => Fate::Cancelled,
            _ => Fate::Chosen(result["outcome"]["optionId"].as_str().unwrap().to_owned()),
        },
    }
}

fn permission(call: &Value) -> Value {
    let option = |id: &str, kind: &str| json!({"optionId": id, "name": id, "kind": kind});
    let options = [option("a", "allow_always"), option("b", "allow_once"), option("c", "reject_once")];
    json!({"sessionId": "s", "toolCall": call, "options": options})
}

fn execute(command: impl Into<Value>) -> Value {
    permission(&json!({"toolCallId": "t", "kind": "execute", "rawInput": {"command": command.into()}}))
}

const PERMISSION: &str = "session/request_permission";

fn allowed() -> Fate {
    Fate::Chosen("b".to_owned())
}

fn denied() -> Fate {
    Fate::Chosen("c".to_owned())
}

#[tokio::test]
async fn the_first_rule_that_fits_decides() {
    let rules = Rules::new()
        .rule(Rule::deny("secrets").path("/home/me/.ssh"))
        .rule(Rule::allow("reading").kind(ToolKind::Read).path("/home/me"))
        .rule(Rule::ask("deleting").kind(ToolKind::Delete))
        .rule(Rule::deny("all else"));
    let call = |kind: &str, paths: &[&str]| {
        let locations: Vec<_> = paths.iter().map(|path| json!({"path": path})).collect();
        permission(&json!({"toolCallId": "t", "kind": kind, "locations": locations}))
    };
    for (kind, paths, expected) in [
        ("read", &["/home/me/x"][..], allowed()),
        ("read", &["/home/me"], allowed()),
        ("read", &["/home/me/./a/../x"], allowed()),
        ("read", &["/home/me/../you"], denied()),
        ("read", &["/home/meow"], denied()),
        ("read", &["home/me/x"], denied()),
        ("read", &["/home/me/x", "/etc/passwd"], denied()),
        ("read", &["/home/me/x", "/home/me/.ssh/id"], denied()),
        ("read", &["/home/me/a/../.ssh"], denied()),
        ("read", &[], denied()),
        ("delete", &["/home/me/x"], Fate::Client),
        ("delete", &["/home/me/.ssh"], denied()),
        ("new_kind", &["/home/me/x"], denied()),
    ] {
        assert_eq!(fate(&rules, PERMISSION, call(kind, paths)).await, expected, "{kind} {paths:?}");
    }
}

/// A relative path may be anywhere, and one file among several is enough: rules that deny or ask
/// fit them, so that a rule behind that allows does not decide.
#[tokio::test]
async fn a_path_that_may_be_anywhere_is_not_allowed() {
    let secrets = [Rule::deny("secrets"), Rule::ask("secrets")];
    for secrets in secrets {
        let denies = secrets == Rule::deny("secrets");
        let rules = Rules::new()
            .rule(Rule::allow("mine").kind(ToolKind::Read).path("/home/me/project"))
            .rule(secrets.path("/home/me/.ssh"))
            .rule(Rule::allow("reading").kind(ToolKind::Read));
        let permission = |paths: &[&str]| {
            let locations: Vec<_> = paths.iter().map(|path| json!({"path": path})).collect();
            permission(&json!({"toolCallId": "t", "kind": "read", "locations": locations}))
        };
        let caught = if denies { denied() } else { Fate::Client };
        for (paths, expected) in [
            (&["../.ssh/id_rsa"][..], &caught),
            (&["~/.ssh/id_rsa"], &caught),
            (&["project/x"], &caught),
            (&[""], &caught),
            (&["/home/me/project/x", ".ssh/id_rsa"], &caught),
            (&["/home/me/project/x", "/home/me/.ssh/id_rsa"], &caught),
            (&["/home/me/project/x"], &allowed()),
            (&["/home/me/other"], &allowed()),
        ] {
            assert_eq!(fate(&rules, PERMISSION, permission(paths)).await, *expected, "{denies} {paths:?}");
        }
        let read = |path: &str| json!({"sessionId": "s", "path": path});
        let caught = if denies { Fate::Error } else { Fate::Asked };
        for (path, expected) in [
            ("../.ssh/id_rsa", caught.clone()),
            ("/home/me/.ssh/id_rsa", caught),
            ("/home/me/other", Fate::Client),
        ] {
            assert_eq!(fate(&rules, "fs/read_text_file", read(path)).await, expected, "{denies} {path}");
        }
    }
}

/// A rule that asks about a command is not passed by what a shell puts around the command.
#[tokio::test]
async fn a_question_about_a_command_is_asked_for_lines_of_a_shell() {
    let rules = Rules::new()
        .rule(Rule::ask("removing").command("rm"))
        .rule(Rule::allow("all else").kind(ToolKind::Execute));
    for (command, expected) in [
        (json!("rm x"), Fate::Client),
        (json!("true; rm x"), Fate::Client),
        (json!(["sh", "-c", "/bin/rm x"]), Fate::Client),
        (json!("make"), allowed()),
    ] {
        assert_eq!(fate(&rules, PERMISSION, execute(command.clone())).await, expected, "{command}");
    }
}

#[tokio::test]
async fn commands_are_allowed_only_if_they_are_plain() {
    let rules =
        Rules::new().rule(Rule::allow("tests").command("cargo test")).rule(Rule::deny("net").command("curl"));
    for (command, expected) in [
        (json!("cargo test"), allowed()),
        (json!("  cargo   test --all"), allowed()),
        (json!(["cargo", "test"]), allowed()),
        (json!("cargo testing"), Fate::Client),
        (json!("cargo"), Fate::Client),
        (json!("cargo test; curl x"), denied()),
        (json!("cargo test && rm -rf /"), Fate::Client),
        (json!("cargo test $(curl x)"), denied()),
        (json!("cargo test `id`"), Fate::Client),
        (json!("cargo test\nid"), Fate::Client),
        (json!("/usr/bin/curl x"), denied()),
        (json!("FOO=1 curl x"), denied()),
        (json!(["sh", "-c", "x | curl y"]), denied()),
        (json!("curly"), Fate::Client),
        (json!(7), Fate::Client),
    ] {
        assert_eq!(fate(&rules, PERMISSION, execute(command.clone())).await, expected, "{command}");
    }
}

/// Version 2 has the tool call, or a command, in the subject of the request.
#[tokio::test]
async fn subjects_of_version_2_are_understood() {
    let rules = Rules::new().rule(Rule::deny("net").kind(ToolKind::Execute).command("curl"));
    let mut request = execute(json!("curl x"));
    let call = request["toolCall"].take();
    request["subject"] = json!({"type": "tool_call", "toolCall": call});
    assert_eq!(fate(&rules, PERMISSION, request.clone()).await, denied());
    request["subject"] = json!({"type": "command", "command": "curl x", "cwd": "/"});
    assert_eq!(fate(&rules, PERMISSION, request).await, denied());
}

#[tokio::test]
async fn an_option_that_is_missing_is_never_replaced_by_more() {
    let mut request = execute("x");
    request["options"] = json!([{"optionId": "a", "name": "a", "kind": "allow_always"}]);
    let allow = Rules::new().rule(Rule::allow("all"));
    assert_eq!(fate(&allow, PERMISSION, request.clone()).await, Fate::Client);
    let deny = Rules::new().rule(Rule::deny("all"));
    assert_eq!(fate(&deny, PERMISSION, request).await, Fate::Cancelled);
    // Without rules the user decides.
    assert_eq!(fate(&Rules::new(), PERMISSION, execute("x")).await, Fate::Client);
}

#[tokio::test]
async fn files_and_commands_of_the_client_are_guarded() {
    let rules = Rules::new()
        .rule(Rule::allow("reading").kind(ToolKind::Read).path("/p"))
        .rule(Rule::deny("writing").kind(ToolKind::Edit))
        .rule(Rule::deny("net").command("curl"))
        .rule(Rule::allow("git").command("git status"));
    let file = |path: &str| json!({"sessionId": "s", "path": path});
    let run = |command: &str, args: Value| json!({"sessionId": "s", "command": command, "args": args});
    let with = |env: Value| json!({"sessionId": "s", "command": "git", "args": ["status"], "env": env});
    for (method, params, expected) in [
        ("fs/read_text_file", file("/p/x"), Fate::Client),
        ("fs/write_text_file", file("/p/x"), Fate::Error),
        ("terminal/create", run("git", json!(["status"])), Fate::Client),
        ("terminal/create", run("curl", json!(["x"])), Fate::Error),
        ("terminal/create", run("sh", json!(["-c", "curl x"])), Fate::Error),
        ("terminal/create", with(Value::Null), Fate::Client),
        ("terminal/create", with(json!([])), Fate::Client),
        // Variables make other programs out of a command.
        ("terminal/create", with(json!([{"name": "PATH", "value": "/tmp"}])), Fate::Asked),
        ("terminal/create", with(json!([{"name": "GIT_PAGER", "value": "curl x"}])), Fate::Error),
        ("terminal/create", with(json!({"PATH": "/tmp"})), Fate::Asked),
        ("terminal/create", with(json!([7])), Fate::Asked),
    ] {
        assert_eq!(fate(&rules, method, params.clone()).await, expected, "{method} {params}");
    }
}

/// Where a rule asks about a file or a command, the user gets a question of the proxy.
#[tokio::test]
async fn the_user_is_asked_about_files_and_commands() {
    for (option, is_allowed) in
        [(json!("allow_once"), true), (json!("reject_once"), false), (Value::Null, false)]
    {
        let (mut client, mut agent) = start(Rules::new()).await;
        let params = json!({"sessionId": "s", "command": "make", "args": ["all"], "_x": 1});
        agent.ask(1, "terminal/create", params.clone()).await;
        let (id, question) = client.request(PERMISSION).await;
        assert_eq!(question["sessionId"], "s");
        assert_eq!(question["toolCall"]["kind"], "execute");
        assert!(question["toolCall"]["title"].as_str().unwrap().contains("make all"));
        client.answer(&id, json!({"outcome": {"outcome": "selected", "optionId": option}})).await;
        if is_allowed {
            let (id, got) = client.request("terminal/create").await;
            assert_eq!(got, params);
            client.answer(&id, json!({"terminalId": "t"})).await;
            assert_eq!(agent.result(1).await["terminalId"], "t");
        } else {
            assert_eq!(agent.error(1).await["code"], -32603);
        }
    }
}
