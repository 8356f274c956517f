//! `--url`, in every command that takes an agent.

use std::fs;

use super::{HERE, Served, acp};

/// A server of the agent of `acp demo`, which keeps the rules.
fn demo(options: &[&str]) -> Served {
    Served::of(options, &[env!("CARGO_BIN_EXE_acp"), "demo-agent"])
}

#[test]
fn an_agent_of_another_machine_is_prompted() {
    let served = Served::start(&[]);
    for url in [served.ws(), served.http()] {
        let (code, out, err) = acp(&["prompt", "noise", "--url", &url, "--cwd", HERE, "--timeout", "60"]);
        assert_eq!((code, out.as_str()), (0, "fine\n"), "{err}");
        let session = ["prompt", "noise", "--url", &url, "--cwd", HERE, "--session", "s1", "--timeout", "60"];
        assert_eq!(acp(&session).0, 0);
        let (code, _, err) = acp(&["prompt", "die", "--url", &url, "--cwd", HERE, "--timeout", "60"]);
        assert_eq!(code, 1, "{err}");
        let (code, _, err) = acp(&["prompt", "noise", "--url", &url, "--cwd", "/", "--timeout", "60"]);
        assert_eq!(code, 1);
        assert!(err.contains("cwd"), "{err}");
    }
}

/// The folder of the session is on the agent's machine, and this one's files are not its business.
#[test]
fn an_agent_of_another_machine_gets_no_files_and_no_terminals() {
    let script = format!(
        "{}\ntake; case \"$line\" in *'\"readTextFile\":true'*|*'\"terminal\":true'*) exit 7 ;; esac
        give '{{\"protocolVersion\":1}}'; take; give '{{\"sessionId\":\"s1\"}}'; take; say none
        give '{{\"stopReason\":\"end_turn\"}}'; take",
        crate::prompt::AGENT
    );
    let served = Served::of(&["--root", "/"], &["sh", "-c", &script]);
    // It is not on this machine.
    let cwd = "/srv/of/another/machine";
    let (code, out, err) = acp(&["prompt", "x", "--url", &served.ws(), "--cwd", cwd, "--timeout", "60"]);
    assert_eq!((code, out.as_str()), (0, "none\n"), "{err}");
}

#[test]
fn info_mock_and_bridge_take_an_address() {
    let served = demo(&[]);
    for url in [served.ws(), served.http()] {
        let (code, out, err) = acp(&["info", "--url", &url]);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains("demo-agent"), "{out}");
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("client.ndjson");
        let steps = "{\"request\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n\
            {\"result\":{\"protocolVersion\":1}}\n{\"request\":\"_none\"}\n{\"error\":-32601}\n";
        fs::write(&script, steps).expect("written");
        let script = script.display().to_string();
        let (code, _, err) = acp(&["mock", "client", "--script", &script, "--url", &url]);
        assert_eq!(code, 0, "{err}");
        let bridge = ["--", env!("CARGO_BIN_EXE_acp"), "bridge", "--to", "1", "--url", &url];
        let (code, out, err) =
            acp(&[&["prompt", "x", "--cwd", HERE, "--timeout", "60"], &bridge[..]].concat());
        assert_eq!(code, 0, "{err}");
        assert!(out.contains("Say what to change"), "{out}");
    }
}

#[test]
fn an_error_about_credentials_names_the_options_for_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let [token, script] = ["token", "client.ndjson"].map(|name| folder.path().join(name));
    fs::write(&token, "secret").expect("written");
    let steps = "{\"request\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n\
        {\"result\":{\"protocolVersion\":1}}\n";
    fs::write(&script, steps).expect("written");
    let (token, script) = (token.display().to_string(), script.display().to_string());
    let served = demo(&["--token-file", &token]);
    let hint = "status 401: give it valid credentials, by `--token-file FILE` or in the variable ACP_TOKEN";
    for url in [served.ws(), served.http()] {
        for command in [
            &["info"][..],
            &["prompt", "x", "--timeout", "60"],
            &["call", "_none"],
            &["mock", "client", "--script", &script],
            &["check", "agent", "--rule", "v1-init-04"],
        ] {
            let (code, _, err) = acp(&[command, &["--url", &url]].concat());
            assert!(code != 0 && err.contains(&format!("{hint}\n")), "{command:?} {code}: {err}");
        }
        // The message for programs has the same text.
        let (_, out, _) = acp(&["prompt", "x", "--json", "--timeout", "60", "--url", &url]);
        assert!(out.contains(&format!("{hint}\"")), "{out}");
        // Other failures have nothing to do with credentials.
        let (code, _, err) = acp(&["info", "--token-file", &token, "--url", &format!("{url}x")]);
        assert!(code == 1 && !err.contains("ACP_TOKEN"), "{err}");
    }
}

#[test]
fn the_rules_are_judged_over_the_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let cwd = folder.path().display().to_string();
    let served = demo(&["--root", &cwd, "--allow-commands"]);
    for (url, hidden) in [(served.ws(), 1), (served.http(), 3)] {
        let json = folder.path().join("report.json").display().to_string();
        let rules =
            ["v1-init-04", "v1-rpc-12", "v1-tr-09", "v1-rpc-16", "v1-init-10"].map(|id| ["--rule", id]);
        let args = [&["check", "agent", "--url", &url, "--cwd", &cwd, "--json", &json], rules.as_flattened()]
            .concat();
        let (code, out, err) = acp(&args);
        assert_eq!(code, 0, "{url}: {out}{err}");
        let report: serde_json::Value =
            serde_json::from_slice(&fs::read(&json).expect("a report")).expect("JSON");
        // A few rules cannot be seen there.
        let count = |verdict: &str| {
            report["rules"].as_array().into_iter().flatten().filter(|rule| rule["verdict"] == verdict).count()
        };
        assert_eq!((count("not-applicable"), count("pass")), (hidden, 5 - hidden), "{url}: {out}");
    }
    served.until_metric("acp_connections", 0);
    // A server that is not there is one error.
    let (code, out, err) = acp(&["check", "agent", "--url", "ws://127.0.0.1:1/acp"]);
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("could not be reached"), "{err}");
    let (code, _, err) = acp(&["check", "agent", "--url", &served.ws(), "--model-stub"]);
    assert_eq!(code, 1);
    assert!(err.contains("`--model-stub` starts the agent"), "{err}");
}
