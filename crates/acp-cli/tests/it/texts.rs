//! `acp completions` and `acp man`: their texts, and programs that read them.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn acp(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acp")).args(args).output().expect("acp runs")
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// Runs a script, if there is a program for it on this machine. It gets the script on stdin.
fn run(program: &str, args: &[&str], script: &str) -> Option<Output> {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take().expect("is piped").write_all(script.as_bytes()).expect("it reads");
    Some(child.wait_with_output().expect("it ends"))
}

#[test]
fn each_shell_gets_commands_and_options() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = text(&acp(&["completions", shell]));
        for word in
            ["prompt", "completions", "idle-timeout", "registry", "protocol", "serve", "connect", "url"]
        {
            assert!(script.contains(word), "{word} in the script for {shell}");
        }
        assert!(!script.contains("demo-agent"), "{shell}");
    }
}

#[test]
fn shells_read_their_scripts() {
    for shell in ["bash", "zsh", "fish"] {
        let script = text(&acp(&["completions", shell]));
        if let Some(read) = run(shell, &["-n"], &script) {
            assert!(read.status.success(), "{shell}: {}", String::from_utf8_lossy(&read.stderr));
        }
    }
}

#[test]
fn bash_completes_commands_and_options() {
    let script = text(&acp(&["completions", "bash"]));
    for (line, wants, not) in
        [(&["pr"][..], "prompt", "demo"), (&["prompt", "hi", "--idle"], "--idle-timeout", "--timeout ")]
    {
        let words = std::iter::once("acp").chain(line.iter().copied()).collect::<Vec<_>>();
        let last = words.last().copied().unwrap_or_default();
        let ask = format!(
            "{script}\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_acp acp {last} {}\necho \"${{COMPREPLY[@]}} \"\n",
            words.join(" "),
            words.len() - 1,
            words[words.len() - 2],
        );
        let Some(output) = run("bash", &[], &ask) else { return };
        let offered = text(&output);
        assert!(offered.contains(wants) && !offered.contains(not), "{line:?} gave {offered}");
    }
}

#[test]
fn there_is_a_man_page_for_each_command() {
    let page = text(&acp(&["man"]));
    assert!(page.contains("\n.TH acp 1"), "{page}");
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().join("man1");
    let written = text(&acp(&["man", below.to_str().expect("UTF-8")]));
    let mut names: Vec<_> = fs::read_dir(&below)
        .expect("it was made")
        .map(|entry| entry.expect("read").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    let expected = [
        #[cfg(feature = "agents")]
        "acp-agents-install.1",
        #[cfg(feature = "agents")]
        "acp-agents-list.1",
        #[cfg(feature = "agents")]
        "acp-agents-login.1",
        #[cfg(feature = "agents")]
        "acp-agents-remove.1",
        #[cfg(feature = "agents")]
        "acp-agents-run.1",
        #[cfg(feature = "agents")]
        "acp-agents-show.1",
        #[cfg(feature = "agents")]
        "acp-agents-update.1",
        #[cfg(feature = "agents")]
        "acp-agents.1",
        "acp-bridge.1",
        "acp-call.1",
        "acp-chat.1",
        "acp-check.1",
        "acp-completions.1",
        "acp-conduct.1",
        "acp-connect.1",
        "acp-demo.1",
        "acp-diff.1",
        "acp-info.1",
        #[cfg(feature = "inspect")]
        "acp-inspect.1",
        "acp-man.1",
        "acp-mcp-shim.1",
        "acp-mock.1",
        "acp-new.1",
        "acp-prompt.1",
        "acp-replay.1",
        "acp-serve.1",
        "acp-sessions-delete.1",
        "acp-sessions-export.1",
        "acp-sessions-list.1",
        "acp-sessions-load.1",
        "acp-sessions.1",
        "acp-tap.1",
        "acp.1",
    ];
    assert_eq!(names, expected);
    assert_eq!(written.lines().count(), names.len());
    for name in names {
        let page = fs::read_to_string(below.join(&name)).expect("is there");
        assert!(page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{name}");
        if let Some(read) = run("groff", &["-Kutf8", "-man", "-Tutf8", "-ww", "-z"], &page) {
            assert_eq!(String::from_utf8_lossy(&read.stderr), "", "{name}");
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    let output = acp(&["man", file.join("man1").to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(1));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.starts_with("acp: the man pages cannot be written to ") && err.contains("man1"), "{err}");
}
