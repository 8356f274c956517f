//! Agents are fetched, checked, unpacked and found again.

use std::fs;

use serde_json::{Value, json};

use super::{Home, entry, here, robot, sha256, tar_gz, utf8, zip};

#[test]
fn an_installed_agent_is_found_by_its_id() {
    let home = Home::with_robot("3.1.0");
    let archive = home.offer("3.1.0");
    let sha256 = sha256(&archive);
    let (code, out, err) = home.run(&["agents", "install", "robot"]);
    let address = home.server.address("/robot-3.1.0.tar.gz");
    assert_eq!((code, err), (0, format!("acp: downloading {address}\n")));
    assert_eq!(out, format!("robot 3.1.0 is installed (binary, SHA-256 {sha256})\n"));
    let folder = format!("3.1.0-{}", &sha256[..8]);
    assert_eq!(home.versions(), [&*folder]);
    let lock: toml::Table = home.lock().parse().expect("TOML");
    let agent = &lock["agent"][0];
    for (name, value) in
        [("id", "robot"), ("version", "3.1.0"), ("way", "binary"), ("sha256", &sha256), ("folder", &folder)]
    {
        assert_eq!(agent[name].as_str(), Some(value), "{name}");
    }
    assert_eq!(agent["list"].as_str(), Some(&*home.server.address("/list")));
    assert_eq!(agent["date"].as_str().map(str::len), Some("2026-11-28".len()));
    assert!(agent["entry"].as_str().is_some_and(|entry| entry.contains("Writes code.")));
    // Neither the list nor the archive is needed any more.
    home.server.fail("/list", "500 Oops");
    assert_eq!(home.prompt(&["--agent", "robot"]), (0, "3.1.0: acp; ; \n".to_owned(), String::new()));
    let (code, out, _) = home.run(&["info", "--agent", "robot"]);
    assert!(code == 0 && out.contains("protocol"), "{out}");
}

#[cfg(not(target_os = "macos"))]
#[test]
fn without_a_home_of_its_own_it_uses_the_folders_of_the_user() {
    let home = Home::with_robot("3.1.0");
    let (data, settings) = (home.path("data"), home.path("settings"));
    fs::create_dir_all(settings.join("acp")).expect("made");
    let registries = format!("registries = [\"{}\"]", home.server.address("/list"));
    fs::write(settings.join("acp/config.toml"), registries).expect("written");
    let run = |args: &[&str]| {
        let mut command = home.acp(args);
        command.env_remove("ACP_HOME").env_remove("ACP_REGISTRY_URL");
        super::finish(command.env("XDG_DATA_HOME", &data).env("XDG_CONFIG_HOME", &settings))
    };
    assert_eq!(run(&["agents", "install", "robot"]).0, 0);
    assert!(data.join("acp/agents.lock").is_file());
    assert_eq!(run(&["prompt", "hello", "--agent", "robot"]).1, "3.1.0: acp; ; \n");
}

#[test]
fn each_form_of_a_distribution_is_installed() {
    let script = robot("1.0.0");
    let node = "#!/bin/sh\nexec sh \"$@\"\n";
    for (archive, cmd, args, said) in [
        (zip(&[("deep/robot", &script)]), "./deep/robot", json!(["acp"]), "1.0.0: acp; ; \n"),
        (script.clone().into_bytes(), "robot", json!([]), "1.0.0: ; ; \n"),
        (
            tar_gz(&[("dist/index.js", &script)]),
            "node",
            json!(["dist/index.js", "--acp"]),
            "1.0.0: --acp; ; \n",
        ),
    ] {
        let home = Home::new();
        home.program("node", node);
        home.server.give("/archive", archive);
        let binary = json!({"archive": home.server.address("/archive"), "cmd": cmd, "args": args});
        home.list("/list", &[entry("1.0.0", &json!({"binary": {here(): binary}}))]);
        home.done(&["agents", "install", "robot"]);
        assert_eq!(home.prompt(&["--agent", "robot"]), (0, said.to_owned(), String::new()), "{cmd}");
    }
}

#[test]
fn an_archive_with_another_sum_than_the_listed_one_is_refused() {
    let home = Home::with_robot("3.1.0");
    home.server.give("/robot-3.1.0.tar.gz", tar_gz(&[("robot", "#!/bin/sh\necho evil")]));
    let err = home.fails(&["agents", "install", "robot"]);
    assert!(err.contains("is not the archive of `robot` that the list describes: its SHA-256 is "), "{err}");
    assert!(home.versions().is_empty() && home.lock().is_empty());
    // The case of the digits does not matter.
    let archive = home.offer("3.1.0");
    let upper = sha256(&archive).to_uppercase();
    let binary =
        json!({"archive": home.server.address("/robot-3.1.0.tar.gz"), "cmd": "robot", "sha256": upper});
    home.list("/list", &[entry("3.1.0", &json!({"binary": {here(): binary}}))]);
    home.done(&["agents", "install", "robot"]);
}

#[test]
fn a_sum_that_is_not_listed_is_recorded_and_must_stay() {
    let home = Home::new();
    let offer = |archive: &[u8], sha256: Value| {
        home.server.give("/a.tar.gz", archive);
        let binary = json!({"archive": home.server.address("/a.tar.gz"), "cmd": "robot", "sha256": sha256});
        home.list("/list", &[entry("1.0.0", &json!({"binary": {here(): binary}}))]);
    };
    let first = tar_gz(&[("robot", &robot("first"))]);
    offer(&first, Value::Null);
    let (code, _, err) = home.run(&["agents", "install", "robot"]);
    assert!(
        code == 0 && err.contains(&format!("has no SHA-256 of it: {} is recorded", sha256(&first))),
        "{err}"
    );
    // That it was removed in between makes no difference, and neither does a list that says so.
    home.done(&["agents", "remove", "robot"]);
    assert!(home.versions().is_empty() && !home.lock().contains("[[agent]]"));
    let second = tar_gz(&[("robot", &robot("second"))]);
    for listed in [Value::Null, json!(sha256(&second))] {
        offer(&second, listed);
        let err = home.fails(&["agents", "install", "robot"]);
        assert!(err.contains("the archive of `robot` 1.0.0 has changed: its SHA-256 was "), "{err}");
        assert!(err.contains("agents.lock"), "{err}");
        assert!(home.versions().is_empty(), "{:?}", home.versions());
    }
    offer(&first, Value::Null);
    home.done(&["agents", "install", "robot"]);
}

#[test]
fn an_archive_that_does_harm_leaves_nothing() {
    let home = Home::new();
    let mut evil = Vec::new();
    let mut header = tar::Header::new_ustar();
    header.as_mut_bytes()[..12].copy_from_slice(b"../../outlaw");
    header.set_size(0);
    header.set_mode(0o755);
    header.set_cksum();
    evil.extend_from_slice(header.as_bytes());
    evil.resize(2048, 0);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &evil).expect("packed");
    let evil = encoder.finish().expect("packed");
    let whole = tar_gz(&[("robot", &robot("1"))]);
    for (archive, cmd, wants) in [
        (evil, "robot", "its entry ../../outlaw leaves the folder"),
        (whole[..whole.len() / 2].to_vec(), "robot", "cannot be unpacked: "),
        (b"<html>Not here</html>".to_vec(), "robot", "neither a zip, a tar.gz or a tar.bz2 nor a program"),
        (whole.clone(), "other", "its `cmd` other is not in it"),
        (whole.clone(), "../robot", "its program `../robot` is not in its archive"),
        (whole, "/bin/sh", "its program `/bin/sh` is not in its archive"),
    ] {
        home.server.give("/a", archive);
        let binary = json!({"archive": home.server.address("/a"), "cmd": cmd});
        home.list("/list", &[entry("1.0.0", &json!({"binary": {here(): binary}}))]);
        let err = home.run(&["agents", "install", "robot"]).2;
        assert!(err.contains(wants), "{cmd}: {err}");
        assert!(home.versions().is_empty() && home.lock().is_empty(), "{cmd}");
        assert!(!home.path("acp/outlaw").exists() && !home.path("acp/agents/outlaw").exists());
    }
}

#[test]
fn an_archive_that_cannot_be_fetched_is_named() {
    let home = Home::new();
    for (archive, wants) in [
        (home.server.address("/none"), "the server answers 404"),
        ("http://acme.example/a".to_owned(), "it must begin with `https://`"),
        ("http://127.0.0.1:1/a".to_owned(), "cannot be downloaded from http://127.0.0.1:1/a: "),
        ("../a.tar.gz".to_owned(), "cannot be downloaded from ../a.tar.gz: "),
    ] {
        let binary = json!({"archive": archive, "cmd": "robot"});
        home.list("/list", &[entry("1.0.0", &json!({"binary": {here(): binary}}))]);
        let err = home.run(&["agents", "install", "robot"]).2;
        assert!(err.contains(wants), "{archive}: {err}");
    }
}

#[test]
fn ids_and_versions_that_are_not_names_are_refused() {
    let home = Home::new();
    for (id, version) in
        [("../robot", "1"), ("Robot", "1"), ("robot", "../1"), ("robot", "latest"), ("robot", "")]
    {
        let mut entry = entry(version, &json!({"npx": {"package": "robot@1.0.0"}}));
        entry["id"] = json!(id);
        home.list("/list", &[entry]);
        let err = home.fails(&["agents", "install", id]);
        assert!(err.contains("cannot be used: its `"), "{id} {version}: {err}");
    }
    assert!(!home.path("acp/agents").exists());
}

#[test]
fn an_agent_that_does_not_run_here_says_why() {
    let home = Home::new();
    let binary = json!({"dos-8086": {"archive": "https://acme.example/r.zip", "cmd": "r"}});
    home.list(
        "/list",
        &[entry("1.0.0", &json!({"binary": binary, "npx": {"package": "r@1.0.0"}, "uvx": {"package": "r"}}))],
    );
    let empty = home.path("empty");
    fs::create_dir(&empty).expect("made");
    let mut install = home.acp(&["agents", "install", "robot"]);
    let (code, _, err) = super::finish(install.env("PATH", &empty));
    let wants = format!(
        "acp: the agent `robot` does not run here: it is not made for {}, and it needs `npx`, which comes with Node.js, \
         and it needs `uvx`, which comes with uv\n",
        here()
    );
    assert_eq!((code, err), (1, wants));
    let listed = |args: &[&str]| {
        let mut list = home.acp(&[&["agents", "list"], args].concat());
        super::finish(list.env("PATH", &empty)).1
    };
    assert_eq!(listed(&[]), "");
    assert!(
        listed(&["--all"])
            .starts_with("robot  1.0.0  binary npx uvx  does not run here: it is not made for ")
    );
    let line: Value = serde_json::from_str(&listed(&["--all", "--json"])).expect("JSON");
    assert_eq!((&line["runsHere"], &line["ways"]), (&Value::Null, &json!(["binary", "npx", "uvx"])));
    let err = home.fails(&["agents", "install", "robot", "--way", "binary"]);
    assert!(err.contains("it is not made for "), "{err}");
}

#[test]
fn agents_are_listed_and_shown_with_their_state() {
    let home = Home::with_robot("3.1.0");
    assert_eq!(home.done(&["agents", "list"]), "robot  3.1.0  binary\n");
    home.done(&["agents", "install", "robot"]);
    assert_eq!(home.done(&["agents", "list"]), "robot  3.1.0  binary  installed\n");
    home.offer("3.2.0");
    assert_eq!(home.done(&["agents", "list"]), "robot  3.2.0  binary  3.1.0 is installed\n");
    let line: Value = serde_json::from_str(&home.done(&["agents", "list", "--json"])).expect("JSON");
    assert_eq!(
        (&line["id"], &line["version"], &line["installed"]),
        (&json!("robot"), &json!("3.2.0"), &json!("3.1.0"))
    );
    let shown = home.done(&["agents", "show", "robot"]);
    for wants in [
        "name       Robot\n",
        "version    3.2.0\n",
        "runs here  yes (binary)\n",
        "installed  3.1.0 (binary), 2",
    ] {
        assert!(shown.contains(wants), "{shown}");
    }
    let shown: Value =
        serde_json::from_str(&home.done(&["agents", "show", "robot", "--json"])).expect("JSON");
    assert_eq!(shown["distribution"]["binary"][here()]["cmd"], "./robot");
    // The texts of lists do not reach the terminal as they are.
    let mut evil = entry("1.0.0", &json!({"npx": {"package": "r@1.0.0"}}));
    evil["description"] = json!("\u{1b}[31mred");
    home.list("/list", &[evil]);
    assert!(home.done(&["agents", "show", "robot"]).contains("about      \u{fffd}[31mred\n"));
}

#[test]
fn an_installation_is_repeated_without_harm() {
    let home = Home::with_robot("3.1.0");
    home.done(&["agents", "install", "robot@3.1.0"]);
    assert_eq!(home.done(&["agents", "install", "robot"]), "robot 3.1.0 is installed already\n");
    assert_eq!(home.server.asked("/robot-3.1.0.tar.gz"), 1);
    let err = home.fails(&["agents", "install", "robot@3.0.0"]);
    assert!(err.contains("the list has version 3.1.0 of `robot`, and not 3.0.0"), "{err}");
    let wants = "robot 3.1.0 is installed, and stays: `acp agents update robot` replaces it by 3.2.0\n";
    home.offer("3.2.0");
    assert_eq!(home.done(&["agents", "install", "robot"]), wants);
    // A folder that somebody has removed is fetched again.
    home.offer("3.1.0");
    let folder = home.path("acp/agents/robot").join(&home.versions()[0]);
    fs::remove_dir_all(&folder).expect("removed");
    let (code, _, err) = home.prompt(&["--agent", "robot"]);
    assert!(
        code == 1 && err.contains("its folder is missing: `acp agents install robot` fetches it"),
        "{err}"
    );
    home.done(&["agents", "install", "robot"]);
    assert_eq!(home.prompt(&["--agent", "robot"]).0, 0);
}

#[test]
fn an_agent_that_is_only_listed_has_to_be_installed() {
    let home = Home::with_robot("3.1.0");
    let (code, _, err) = home.prompt(&["--agent", "robot"]);
    assert!(code == 1 && err.contains("there is no copy of the agent registry"), "{err}");
    home.done(&["agents", "list"]);
    let (code, _, err) = home.prompt(&["--agent", "robot"]);
    assert_eq!(
        (code, err.as_str()),
        (1, "acp: the agent `robot` is not installed: `acp agents install robot` does that\n")
    );
    // An installed one wins over the registry, but not over a list that is named.
    home.done(&["agents", "install", "robot"]);
    home.program("npx", &robot("npx"));
    let file = home.path("other.json");
    fs::write(&file, json!({"agents": [entry("9", &json!({"npx": {"package": "r@9"}}))]}).to_string())
        .expect("written");
    let mut prompt = home.acp(&["prompt", "hello", "--agent", "robot"]);
    assert_eq!(super::finish(prompt.env("ACP_REGISTRY", &file)).1, "3.1.0: acp; ; \n");
    assert_eq!(home.prompt(&["--agent", "robot", "--registry", utf8(&file)]).1, "npx: --yes r@9; ; \n");
}

#[test]
fn a_lock_file_that_is_not_ours_is_not_overwritten() {
    let home = Home::with_robot("3.1.0");
    fs::create_dir_all(home.path("acp")).expect("made");
    for (content, wants) in [
        ("version = 2\n", "a newer `acp` has written it"),
        ("agent = [", "agents.lock: "),
        ("version = 1\nagent = [1]\n", "`agent` must be a list of tables"),
        (
            "version = 1\n[[agent]]\nid = \"../x\"\nversion = \"1\"\nway = \"npx\"\n",
            "its `id` must begin with",
        ),
    ] {
        fs::write(home.path("acp/agents.lock"), content).expect("written");
        for args in
            [&["agents", "install", "robot"][..], &["agents", "list"], &["prompt", "x", "--agent", "robot"]]
        {
            let err = home.fails(args);
            assert!(err.contains(wants), "{args:?}: {err}");
        }
        assert_eq!(home.lock(), content);
    }
    let mut list = home.acp(&["agents", "list"]);
    let err = super::finish(list.env("ACP_HOME", "relative")).2;
    assert_eq!(err, "acp: ACP_HOME is `relative`: it must be an absolute path\n");
}
