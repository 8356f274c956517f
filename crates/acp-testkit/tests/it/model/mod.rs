//! The stand-in for a model: a client speaks each of its APIs, streaming and not.

mod client;

use acp_process::Command;
use acp_testkit::model::{ModelStub, Profile};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use self::client::{CLIENTS, Client, Read, ask};

async fn stub() -> ModelStub {
    ModelStub::start(&Profile::generic()).await.unwrap()
}

#[tokio::test]
async fn each_api_says_what_the_prompt_directs() {
    let stub = stub().await;
    for (client, stream) in CLIENTS.into_iter().flat_map(|client| [(client, false), (client, true)]) {
        let [stop, calls, length, refused] = client.ends();
        let shell =
            |command: &str| ("run_shell_command".to_owned(), json!({"command": command, "why": "stub why"}));
        for (prompt, results, text, called, end) in [
            ("no directive", 0, "Hello from the model stub.", vec![], stop),
            // Of a prompt behind a failed one, only the last line counts.
            ("[[error 500]]\nplease [[text good  day]]\nthanks", 0, "good  day", vec![], stop),
            ("[[shell ls -l]] [[text done]]", 0, "I call run_shell_command.", vec![shell("ls -l")], calls),
            ("[[shell ls -l]] [[text done]]", 1, "done", vec![], stop),
            (
                "[[par a && b]] [[shell c]]",
                0,
                "I call run_shell_command.",
                vec![shell("a"), shell("b")],
                calls,
            ),
            ("[[par a && b]] [[shell c]]", 2, "I call run_shell_command.", vec![shell("c")], calls),
            ("[[think hm]] [[length]] [[text cut]]", 0, "cut", vec![], length),
            ("[[edit a b => c]]", 0, "There is no such tool.", vec![], stop),
            // A tool that is not there is not called, and has no result.
            (
                "[[edit a b => c]] [[shell c]] [[text done]]",
                0,
                "I call run_shell_command.",
                vec![shell("c")],
                calls,
            ),
            ("[[edit a b => c]] [[shell c]] [[text done]]", 1, "done", vec![], stop),
            ("[[slow 0]] [[hang 0]] [[text x]]", 0, "x", vec![], stop),
        ] {
            let read = client.send(&stub, &client.request(prompt, results, stream), stream).await;
            // Thoughts of Gemini are parts of the answer, and have a mark.
            let said = read.text.trim_start_matches("hm").to_owned();
            let expected = Read { text: text.to_owned(), calls: called, end: end.to_owned() };
            assert_eq!(Read { text: said, ..read }, expected, "{client:?} stream {stream}: {prompt}");
        }
        let read = client.send(&stub, &client.request("[[refuse]]", 0, stream), stream).await;
        assert_eq!((read.text.as_str(), read.end.as_str()), ("", refused), "{client:?}");
    }
}

#[tokio::test]
async fn errors_and_cut_connections_are_those_of_http() {
    let stub = stub().await;
    for client in CLIENTS {
        let request = client.request("[[error 429]]", 0, true);
        let (status, text) = ask(&stub, Method::POST, client.path(true), &request).await;
        let error: Value = serde_json::from_str(&text.unwrap()).unwrap();
        assert_eq!((status.as_u16(), &error["error"]["code"]), (429, &429.into()));
        for (prompt, stream) in [("[[drop]]", false), ("[[drop]]", true), ("[[text]] [[drop]]", true)] {
            let request = client.request(prompt, 0, stream);
            let (status, text) = ask(&stub, Method::POST, client.path(stream), &request).await;
            assert_eq!(status, StatusCode::OK);
            assert!(text.is_err(), "{client:?}: the answer to {prompt} ends well: {text:?}");
        }
        for stream in [false, true] {
            let request = client.request("[[think pondered]] [[text done]]", 0, stream);
            let (_, text) = ask(&stub, Method::POST, client.path(stream), &request).await;
            assert!(text.unwrap().contains("pondered"), "{client:?} stream {stream}");
        }
    }
    let (status, _) = ask(&stub, Method::POST, "/v1/messages", &Value::from("no object")).await;
    assert_eq!(status, StatusCode::OK, "an odd request has no directives");
}

#[tokio::test]
async fn a_slow_answer_goes_on_until_its_reader_leaves() {
    let stub = stub().await;
    let address = stub.url().strip_prefix("http://").unwrap().to_owned();
    for directive in ["[[slow 3600]]", "[[hang 3600]]"] {
        let stream = TcpStream::connect(&address).await.unwrap();
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        let connection = tokio::spawn(connection);
        let body = Client::Chat.request(directive, 0, true).to_string();
        let request = Request::post("/v1/chat/completions").header("host", &address);
        let request = request.body(Full::new(Bytes::from(body))).unwrap();
        let mut body = sender.send_request(request).await.unwrap().into_body();
        let mut seen = String::new();
        let sign = if directive.contains("slow") { "2 \"" } else { ": waiting\n\n: waiting" };
        while !seen.contains(sign) {
            seen.push_str(&String::from_utf8_lossy(
                &body.frame().await.unwrap().unwrap().into_data().unwrap(),
            ));
        }
        drop(body);
        drop(sender);
        // The end of the client's side is the end of the connection.
        let _ = connection.await.unwrap();
    }
}

#[tokio::test]
async fn side_requests_get_an_answer_of_their_form() {
    let stub = stub().await;
    let (_, text) = ask(&stub, Method::GET, "/v1beta/models", &json!(null)).await;
    let models: Value = serde_json::from_str(&text.unwrap()).unwrap();
    assert_eq!(models["data"][0]["id"], "stub-model");
    assert_eq!(models["models"][0]["name"], "models/stub-model");
    let (_, text) = ask(&stub, Method::GET, "/v1/models/m-1", &json!(null)).await;
    assert!(text.unwrap().contains("\"id\":\"m-1\""));
    for (path, answer) in [
        ("/v1/messages/count_tokens", json!({"input_tokens": 100})),
        ("/v1beta/models/m:countTokens", json!({"totalTokens": 100})),
        ("/telemetry", json!({})),
    ] {
        let (status, text) = ask(&stub, Method::POST, path, &json!({})).await;
        assert_eq!((status, text.unwrap()), (StatusCode::OK, answer.to_string()), "{path}");
    }
    // An answer that must be JSON fits its schema.
    let schema = json!({"type": "object", "required": ["title", "tags", "n"], "properties": {
        "title": {"type": ["null", "string"]}, "n": {"type": "integer", "minimum": 3},
        "tags": {"type": "array", "minItems": 2, "items": {"enum": ["a", "b"]}},
    }});
    let form = json!({"type": "json_schema", "json_schema": {"schema": schema}});
    let request = json!({"messages": [{"role": "user", "content": "[[text x]]"}], "response_format": form});
    let read = Client::Chat.send(&stub, &request, false).await;
    let answer: Value = serde_json::from_str(&read.text).unwrap();
    assert_eq!(answer, json!({"title": "stub title", "tags": ["a", "a"], "n": 3}));
}

#[tokio::test]
async fn tools_are_found_by_the_names_of_the_profile_and_filled_by_their_schemas() {
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let text = json!({"type": "string"});
    let status = json!({"enum": ["pending", "in_progress", "completed"]});
    let entry = object(json!({"content": text, "status": status, "id": text}), json!([]));
    let plan = object(json!({"todos": {"type": "array", "items": entry}}), json!(["todos"]));
    for (profile, name, schema, directive, arguments) in [
        (
            "gemini",
            "replace",
            object(json!({"file_path": text, "old_string": text, "new_string": text}), json!([])),
            "[[edit a.txt old words => new]]",
            json!({"file_path": "a.txt", "old_string": "old words", "new_string": "new"}),
        ),
        (
            "claude",
            "Write",
            object(json!({"file_path": text, "content": text}), json!([])),
            r"[[write a.txt one\ntwo]]",
            json!({"file_path": "a.txt", "content": "one\ntwo"}),
        ),
        (
            "codex",
            "exec_command",
            object(json!({"cmd": {"type": "array"}}), json!([])),
            "[[shell ls]]",
            json!({"cmd": ["bash", "-lc", "ls"], "sandbox_permissions": "require_escalated", "justification": "May I run this?"}),
        ),
        (
            "qwen",
            "todo_write",
            plan,
            "[[plan one; two; three]]",
            json!({"todos": [
                {"content": "one", "status": "completed", "id": "1"},
                {"content": "two", "status": "in_progress", "id": "2"},
                {"content": "three", "status": "pending", "id": "3"},
            ]}),
        ),
        (
            "opencode",
            "str_replace_editor",
            object(json!({"command": text, "path": text}), json!(["command"])),
            "[[read a.txt]]",
            json!({"command": "view", "path": "a.txt"}),
        ),
        (
            "gemini",
            "read_files",
            object(json!({"path": {"type": "array", "items": text}}), json!(["path"])),
            "[[read a.txt]]",
            json!({"path": ["a.txt"]}),
        ),
        ("gemini", "my_tool", json!({}), "[[tool my_tool {\"a\": [1]}]]", json!({"a": [1]})),
    ] {
        let profile = Profile::known().find(|known| known.name() == profile).unwrap();
        let stub = ModelStub::start(&profile).await.unwrap();
        let tool = json!({"type": "function", "function": {"name": name, "parameters": schema}});
        let message = json!({"role": "user", "content": directive});
        let read = Client::Chat.send(&stub, &json!({"messages": [message], "tools": [tool]}), false).await;
        assert_eq!(read.calls, [(name.to_owned(), arguments)], "{directive}");
    }
    // A tool that takes free text.
    let call = call_of(json!({"type": "custom", "name": "apply_patch"}), "[[write a.txt hi]]").await;
    assert_eq!((&call["type"], &call["name"]), (&"custom_tool_call".into(), &"apply_patch".into()));
    assert_eq!(call["input"], "*** Begin Patch\n*** Add File: a.txt\n+hi\n*** End Patch\n");
    assert!(call.get("namespace").is_none(), "{call}");
}

#[tokio::test]
async fn a_tool_of_a_namespace_is_called_in_it() {
    for name in ["elapsed", "mcp__clock__elapsed", "mcp__clock.elapsed"] {
        let inner = json!({"type": "function", "name": "elapsed", "parameters": {}});
        let tool = json!({"type": "namespace", "name": "mcp__clock", "tools": [inner]});
        let call = call_of(tool, &format!("[[tool {name} {{}}]]")).await;
        assert_eq!((&call["name"], &call["namespace"]), (&"elapsed".into(), &"mcp__clock".into()), "{name}");
    }
    // Some agents list tools only when they are searched for.
    let search = json!({"type": "function", "name": "tool_search"});
    let call = call_of(search.clone(), "[[tool mcp__clock::elapsed {}]]").await;
    assert_eq!((&call["name"], &call["namespace"]), (&"elapsed".into(), &"mcp__clock".into()));
    assert!(call_of(search, "[[tool mcp__clock__elapsed {}]]").await.is_null());
}

/// Returns the call of the only tool that a request to the API for responses has.
async fn call_of(tool: Value, directive: &str) -> Value {
    let stub = stub().await;
    let request = json!({"input": directive, "tools": [tool]});
    let (_, text) = ask(&stub, Method::POST, "/responses", &request).await;
    let mut answer: Value = serde_json::from_str(&text.unwrap()).unwrap();
    answer.pointer_mut("/output/1").map(Value::take).unwrap_or_default()
}

#[test]
fn a_profile_sets_the_environment_and_writes_files() {
    let names: Vec<_> = Profile::known().map(|profile| profile.name().to_owned()).collect();
    assert_eq!(names, ["claude", "codex", "gemini", "opencode", "qwen"]);
    let command = |words: &[&str]| Command::new(words[0]).args(words[1..].iter().copied());
    for (words, name) in [
        (&["node", "/x/.bin/gemini", "--acp"][..], Some("gemini")),
        (&["codex-acp.exe"], Some("codex")),
        (&["npx", "-y", "@agentclientprotocol/claude-agent-acp@0.5.1"], Some("claude")),
        (&["npx", "@google/gemini-cli", "--acp"], Some("gemini")),
        (&["bunx", "opencode-ai@latest", "acp"], Some("opencode")),
        (&["npx", "@qwen-code/qwen-code@1.0", "--acp"], Some("qwen")),
        (&["my-agent", "--acp", "@"], None),
    ] {
        let found = Profile::of_command(&command(words));
        assert_eq!(found.as_ref().map(Profile::name), name, "{words:?}");
    }
    let home = tempfile::tempdir().unwrap();
    let own = r#"
        name = "own"
        private_home = true
        unset = ["PATH"]
        env = { BASE = "{url}/v1", AT = "{home}" }
        prompts = { prompt = "hi" }
        [[file]]
        path = ".own/settings.json"
        text = '{"url": "{url}"}'
    "#;
    let own = Profile::parse(own).unwrap();
    assert_eq!(own.prompts().prompt.as_deref(), Some("hi"));
    assert_eq!(own.prompts().endless, Profile::generic().prompts().endless);
    let command = own.prepare(command(&["x"]), "http://127.0.0.1:9", home.path()).unwrap().to_std();
    let of = |name: &str| command.get_envs().find(|(key, _)| *key == name).map(|(_, value)| value);
    let set = |name| of(name).flatten().map(|value| value.to_str().unwrap().to_owned());
    let at = home.path().to_str().map(str::to_owned);
    assert_eq!(
        (set("BASE").as_deref(), set("AT"), set("HOME")),
        (Some("http://127.0.0.1:9/v1"), at.clone(), at)
    );
    assert_eq!((of("PATH"), set("NO_PROXY").as_deref()), (Some(None), Some("127.0.0.1,localhost")));
    let written = std::fs::read_to_string(home.path().join(".own/settings.json")).unwrap();
    assert_eq!(written, r#"{"url": "http://127.0.0.1:9"}"#);
    for (text, problem) in [
        ("name = 1", "expected a string"),
        ("name = 'a'\nnmae = 'b'", "unknown field `nmae`"),
        ("name = 'a'\n[[file]]\npath = '../x'\ntext = ''", "must stay below the home of the agent: ../x"),
        ("name = 'a'\n[[file]]\npath = '/x'\ntext = ''", "must stay below the home of the agent: /x"),
    ] {
        let error = Profile::parse(text).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}
