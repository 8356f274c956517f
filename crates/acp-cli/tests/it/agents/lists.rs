//! Lists: their order, their copies, and servers that fail.

use std::fs;

use serde_json::json;

use super::{Home, entry, finish, utf8};

fn npx(package: &str) -> serde_json::Value {
    entry("1.0.0", &json!({"npx": {"package": package}}))
}

#[test]
fn the_first_list_that_has_the_id_wins() {
    let home = Home::new();
    let file = home.path("list.json");
    let of_file = json!({"agents": [npx("file@1"), {"id": "only", "version": "1", "distribution": {"npx": {"package": "only@1"}}}]});
    fs::write(&file, of_file.to_string()).expect("written");
    let url = home.list("/other", &[npx("url@1")]);
    let shown = |lists: [&str; 2]| {
        home.done(&["agents", "show", "robot", "--json", "--registry", lists[0], "--registry", lists[1]])
    };
    assert!(shown([utf8(&file), &url]).contains("file@1"));
    assert!(shown([&url, utf8(&file)]).contains("url@1"));
    let both = home.done(&["agents", "list", "--all", "--registry", &url, "--registry", utf8(&file)]);
    assert_eq!(
        both.lines().map(|line| line.split(' ').next().expect("a word")).collect::<Vec<_>>(),
        ["only", "robot"]
    );
    // An entry that cannot be used does not hand its id on.
    let torn = home.list("/torn", &[json!({"id": "robot", "distribution": {}})]);
    let err = home.fails(&["agents", "show", "robot", "--registry", &torn, "--registry", utf8(&file)]);
    assert!(err.contains("the entry of `robot` in ") && err.contains("`distribution` has neither"), "{err}");
    let err = home.fails(&["agents", "show", "robto", "--registry", &url, "--registry", utf8(&file)]);
    assert!(err.contains("there is no agent `robto` in ") && err.contains("did you mean `robot`?"), "{err}");
}

#[test]
fn lists_are_named_by_options_the_environment_or_the_settings() {
    let home = Home::new();
    let url = |name: &str| home.list(&format!("/{name}"), &[npx(&format!("{name}@1"))]);
    let (option, environment, settings) = (url("option"), url("environment"), url("settings"));
    fs::create_dir_all(home.path("acp")).expect("made");
    fs::write(home.path("acp/config.toml"), format!("registries = [\"{settings}\"]\n")).expect("written");
    let show = ["agents", "show", "robot", "--json"];
    let said = |command: &mut std::process::Command| finish(command).1;
    assert!(said(home.acp(&show).env_remove("ACP_REGISTRY_URL")).contains("settings@1"));
    assert!(said(home.acp(&show).env("ACP_REGISTRY_URL", &environment)).contains("environment@1"));
    let file = home.path("list.json");
    fs::write(&file, json!({"agents": [npx("file@1")]}).to_string()).expect("written");
    let mut both = home.acp(&show);
    assert!(said(both.env("ACP_REGISTRY_URL", &environment).env("ACP_REGISTRY", &file)).contains("file@1"));
    let mut all = home.acp(&[&show[..], &["--registry", &option]].concat());
    assert!(said(all.env("ACP_REGISTRY_URL", &environment)).contains("option@1"));
    for (text, wants) in
        [("registries = 1", "`registries` must be a list of texts"), ("x = [", "config.toml: ")]
    {
        fs::write(home.path("acp/config.toml"), text).expect("written");
        let err = finish(home.acp(&show).env_remove("ACP_REGISTRY_URL")).2;
        assert!(err.contains(wants), "{err}");
    }
    fs::remove_file(home.path("acp/config.toml")).expect("removed");
    let (code, _, err) = finish(home.acp(&["agents", "list"]).env_remove("ACP_REGISTRY_URL"));
    assert!(
        code == 1 && err.starts_with("acp: there is no list of agents: name one with `--registry FILE|URL`"),
        "{err}"
    );
}

#[test]
fn a_copy_stands_in_for_a_server_that_fails() {
    let home = Home::with_robot("3.1.0");
    let list = home.server.address("/list");
    let err = home.fails(&["agents", "list", "--offline"]);
    assert!(err.contains(&format!("the list {list} cannot be read: no server is asked")), "{err}");
    assert!(err.contains("there is no copy of it"), "{err}");
    let listed = home.done(&["agents", "list"]);
    let too_large = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", 8 * 1024 * 1024 + 1);
    let long = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}", " ".repeat(8 * 1024 * 1024 + 1));
    let answers = [
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned(), "the server answers 404"),
        ("HTTP/1.1 304 Not Modified\r\n\r\n".to_owned(), "the server answers 304"),
        ("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n".to_owned(), "the server answers 500"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>".to_owned(), "is not JSON"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".to_owned(), "no list `agents`"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{".to_owned(), ": "),
        ("nonsense".to_owned(), ": "),
        (
            format!("HTTP/1.1 302 Found\r\nLocation: {list}\r\nContent-Length: 0\r\n\r\n"),
            "redirects to an address that is not https",
        ),
        (
            "HTTP/1.1 302 Found\r\nLocation: http://list.example/\r\nContent-Length: 0\r\n\r\n".to_owned(),
            "that is not https",
        ),
        ("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n".to_owned(), "redirects to nowhere"),
        (too_large, "it is larger than 8388608 bytes"),
        (long, "it is larger than 8388608 bytes"),
    ];
    for (answer, problem) in answers {
        home.server.answer("/list", answer);
        let (code, out, err) = home.run(&["agents", "list"]);
        assert_eq!((code, &out), (0, &listed), "{err}");
        assert!(
            err.starts_with(&format!("acp: the list {list} is a copy of less than a minute ago: ")),
            "{err}"
        );
        assert!(err.contains(problem), "{problem}: {err}");
    }
    let asked = home.server.asked("/list");
    let (code, out, err) = home.run(&["agents", "list", "--offline"]);
    assert_eq!((code, &out), (0, &listed));
    assert!(
        err.contains("is a copy of less than a minute ago: no server is asked with `--offline`"),
        "{err}"
    );
    assert_eq!(home.server.asked("/list"), asked);
    let err = home.run(&["agents", "install", "robot", "--offline"]).2;
    assert!(err.contains("/robot-3.1.0.tar.gz: no server is asked with `--offline`"), "{err}");
    assert_eq!(home.server.asked("/robot-3.1.0.tar.gz"), 0);
}

#[test]
fn a_list_that_cannot_be_read_is_not_replaced_by_the_next_one() {
    let home = Home::with_robot("3.1.0");
    let good = home.server.address("/list");
    let missing = home.server.address("/missing");
    for (list, wants) in [
        (missing.as_str(), "/missing cannot be read: the server answers 404, and there is no copy of it"),
        ("/no/such/list.json", "the list /no/such/list.json cannot be read: "),
        ("/dev/null", "the list /dev/null cannot be read: the registry is not JSON"),
        (
            "http://list.example/a.json",
            "`http://list.example/a.json` cannot be used: it must begin with `https://`",
        ),
        ("ftp://list.example/a.json", "it must begin with `https://`"),
    ] {
        let err = home.fails(&["agents", "install", "robot", "--registry", list, "--registry", &good]);
        assert!(err.contains(wants), "{list}: {err}");
    }
    let large = home.path("large.json");
    let text = format!("{{\"agents\":[]}}{}", " ".repeat(8 * 1024 * 1024));
    fs::write(&large, &text[..8 * 1024 * 1024]).expect("written");
    home.done(&["agents", "list", "--registry", utf8(&large)]);
    fs::write(&large, text).expect("written");
    let err = home.fails(&["agents", "list", "--registry", utf8(&large)]);
    assert!(err.contains("it is larger than 8388608 bytes"), "{err}");
    let err = home.fails(&["agents", "list", "--registry", "https://me:secret@list.example/a.json"]);
    assert!(err.contains("must not have a user or a password") && !err.contains("secret"), "{err}");
}

#[test]
fn the_copy_in_the_cache_is_the_last_resort() {
    let home = Home::new();
    let folder = if cfg!(target_os = "macos") { "Library/Caches/acp" } else { ".cache/acp" };
    fs::create_dir_all(home.path(folder)).expect("made");
    fs::write(home.path(folder).join("registry.json"), json!({"agents": [npx("cache@1")]}).to_string())
        .expect("written");
    let mut show = home.acp(&["agents", "show", "robot", "--json"]);
    assert!(finish(show.env_remove("ACP_REGISTRY_URL")).1.contains("cache@1"));
}
