//! Who may use `acp serve`, and what they may ask for.

use std::fs;

use acp_client::v1::{McpServer, McpServerStdio};
use acp_http::TlsOptions;

use super::{HERE, Served, acp, said};

#[test]
fn an_address_beyond_this_machine_needs_a_token_tls_and_a_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens").display().to_string();
    fs::write(&file, "secret\n").expect("written");
    for (options, problem) in [
        (&[][..], "there is no TLS: give `--tls-cert`"),
        (&["--insecure"], "nobody needs a token: give `--token-file`"),
        (&["--insecure", "--token-file", &file], "the server has no name: name it with `--host`"),
        (&["--insecure", "--open"], "the server has no name"),
        (&["--token-file", &file, "--host", "a.example"], "there is no TLS"),
    ] {
        let args = [&["serve", "--listen", "0.0.0.0:0"], options, &["--", "sh"]].concat();
        let (code, out, err) = acp(&args);
        assert_eq!((code, out.as_str()), (2, ""), "{options:?}: {err}");
        assert!(
            err.contains("`--listen 0.0.0.0:0` is beyond this machine") && err.contains(problem),
            "{err}"
        );
    }
    let served =
        Served::start(&["--listen", "0.0.0.0:0", "--insecure", "--token-file", &file, "--host", "a.example"]);
    let url = format!("ws://127.0.0.1:{}/acp", served.address.port());
    // The name is wrong.
    let (code, _, err) = acp(&["info", "--url", &url, "--token-file", &file]);
    assert_eq!(code, 1);
    assert!(err.contains("403"), "{err}");
}

#[tokio::test]
async fn a_token_lets_in_and_a_wrong_one_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens").display().to_string();
    fs::write(&file, "# of the tests\nalice secret\nbob other\nthird\n").expect("written");
    let served = Served::start(&["--token-file", &file, "--connections-per-principal", "1"]);
    for token in ["", "wrong", "alice", "alice secret", "secre", "secret2"] {
        for remote in served.ways() {
            let remote = if token.is_empty() { remote } else { remote.bearer(token) };
            let refused = acp_client::connect(remote).await.expect_err("it is wrong").to_string();
            assert!(refused.contains("401"), "{refused}");
        }
    }
    // Each is a principal of its own.
    let mut agents = Vec::new();
    for token in ["secret", "other", "third"] {
        let [ws, http] = served.ways().map(|remote| remote.bearer(token));
        agents.push(acp_client::connect(ws).await.expect("it is right"));
        let refused = acp_client::connect(http).await.expect_err("one for each").to_string();
        assert!(refused.contains("429"), "{refused}");
    }
    for (text, problem) in [("", "there is no token in it"), ("a b c\n", "line 1: a line has a token")] {
        fs::write(&file, text).expect("written");
        let (code, _, err) = acp(&["serve", "--token-file", &file, "--", "sh"]);
        assert_eq!(code, 1);
        assert!(err.contains(problem), "{err}");
    }
}

#[tokio::test]
async fn an_agent_is_told_the_name_of_its_client() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens").display().to_string();
    // A client may have several tokens.
    fs::write(&file, "alice secret\nbob other\nalice second\n$(id) third\n").expect("written");
    let whose = async |served: &Served, token: &str| {
        let mut found = Vec::new();
        for remote in served.ways() {
            let agent = acp_client::connect(remote.bearer(token)).await.expect("it is right");
            let session = agent.new_session(HERE).await.expect("a session");
            found.push(said(&session, "whose").await.expect("a turn"));
        }
        found
    };
    // It wins over a variable of the server's own, and over one that is set for all.
    let options = ["--token-file", &file, "--principal-env", "CLIENT", "--env", "CLIENT=all"];
    let served = Served::start(&options);
    for (token, name) in [("secret", "alice"), ("other", "bob"), ("second", "alice"), ("third", "$(id)")] {
        assert_eq!(whose(&served, token).await, [name, name], "{token}");
    }
    let served = Served::start(&["--token-file", &file]);
    assert_eq!(whose(&served, "secret").await, ["nobody", "nobody"]);
}

#[test]
fn an_agent_that_cannot_be_told_its_client_is_not_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens").display().to_string();
    let unnamed = "`--principal-env` needs a name before each token";
    let cases: [(&[&str], &str, i32, &str); 5] = [
        (&["CLIENT", "--token-file", &file], "alice secret\nother\n", 1, unnamed),
        (&["CLIENT"], "", 2, "--token-file"),
        (&["CLIENT", "--token-file", &file, "--prestart", "1"], "alice secret\n", 2, "--prestart"),
        (&["A=B", "--token-file", &file], "alice secret\n", 2, "the name of a variable"),
        (&["", "--token-file", &file], "alice secret\n", 2, "the name of a variable"),
    ];
    for (options, tokens, expected, problem) in cases {
        fs::write(&file, tokens).expect("written");
        let words = [&["serve", "--principal-env"], options, &["--", "sh"]].concat();
        let (code, _, err) = acp(&words);
        assert!(code == expected && err.contains(problem), "{code} {err}");
    }
}

#[tokio::test]
async fn agents_have_a_clean_environment() {
    // Cargo has set many variables for this test, and none of them gets through.
    assert!(std::env::var_os("CARGO_PKG_NAME").is_some());
    let served = Served::start(&["--env", "ONE=1", "--env", "CARGO_PKG_NAME", "--env", "NOT_SET_AT_ALL"]);
    let agent = served.agent().await;
    let session = agent.new_session(HERE).await.expect("a session");
    let names = said(&session, "variables").await.expect("a turn");
    let names: Vec<&str> = names.split_whitespace().collect();
    for name in ["PATH", "ONE", "CARGO_PKG_NAME"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let foreign: Vec<_> =
        names.iter().filter(|name| name.contains("CARGO") || name.contains("ACP")).collect();
    assert_eq!(foreign, [&"CARGO_PKG_NAME"]);
    assert!(!names.contains(&"NOT_SET_AT_ALL"));
}

#[tokio::test]
async fn a_session_stays_in_the_roots_and_starts_no_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = tempfile::tempdir().expect("a folder");
    let (root, other) = (folder.path().display().to_string(), other.path().display().to_string());
    // Without roots it is the folder of the agents.
    for options in [&["--root", &root][..], &["--cwd", &root], &["--root", HERE, "--root", &root]] {
        let served = Served::start(options);
        for remote in served.ways() {
            let agent = acp_client::connect(remote).await.expect("it connects");
            agent.new_session(&root).await.expect("it is allowed");
            let refused = agent.new_session(&other).await.expect_err("it is outside").to_string();
            assert!(refused.contains("cwd"), "{refused}");
            agent.close().await;
        }
    }
    let command = McpServer::Stdio(Box::new(McpServerStdio::new("x", "/bin/true", Vec::new(), Vec::new())));
    for (options, is_allowed) in
        [(&["--root", &root][..], false), (&["--root", &root, "--allow-commands"], true)]
    {
        let served = Served::start(options);
        let agent = served.agent().await;
        let opened = agent.new_session(&root).mcp_server(command.clone()).await;
        assert_eq!(opened.is_ok(), is_allowed, "{options:?}");
    }
    let (code, _, err) = acp(&["serve", "--root", "/there/is/no/such", "--", "sh"]);
    assert_eq!(code, 1);
    assert!(err.contains("`--root /there/is/no/such`"), "{err}");
}

#[test]
fn pages_of_the_web_need_an_origin_and_tickets() {
    let served = Served::start(&["--origin", "https://editor.example", "--tickets"]);
    let origin = |origin: &str| served.get("/acp", &format!("origin: {origin}\r\n")).0;
    assert_eq!((origin("https://evil.example"), origin("https://editor.example")), (403, 400));
    // A ticket is fetched by POST.
    assert_eq!(served.get("/acp/ticket", "").0, 405);
    assert_eq!(Served::start(&[]).get("/acp", "origin: https://editor.example\r\n").0, 403);
}

#[tokio::test]
async fn tls_needs_the_certificate_and_trust() {
    let folder = tempfile::tempdir().expect("a folder");
    let made =
        rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).expect("made");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (cert, key) = (path("cert.pem"), path("key.pem"));
    fs::write(&cert, made.cert.pem()).expect("written");
    fs::write(&key, made.signing_key.serialize_pem()).expect("written");
    let served = Served::start(&["--tls-cert", &cert, "--tls-key", &key]);
    assert_eq!(served.scheme, "wss");
    let trusted = TlsOptions::new().root_certificates(made.cert.pem()).expect("it is PEM");
    for remote in served.ways() {
        let refused = acp_client::connect(remote.clone()).await.expect_err("nobody knows it").to_string();
        assert!(refused.contains("certificate was not accepted"), "{refused}");
        let agent = acp_client::connect(remote.tls(trusted.clone())).await.expect("it is trusted");
        let session = agent.new_session(HERE).await.expect("a session");
        assert_eq!(said(&session, "long").await.expect("a turn").len(), 100_000);
        agent.close().await;
    }
    for url in [served.ws(), served.http()] {
        let (code, _, err) = acp(&["info", "--url", &url]);
        assert_eq!(code, 1, "{err}");
        let (code, out, err) = acp(&["info", "--url", &url, "--tls-ca", &cert]);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains("protocol version"), "{out}");
    }
    let (code, _, err) = acp(&["serve", "--tls-cert", &key, "--tls-key", &cert, "--", "sh"]);
    assert_eq!(code, 1);
    assert!(err.contains("`--tls-cert`"), "{err}");
}
