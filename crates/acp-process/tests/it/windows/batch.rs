//! Batch files, such as the wrappers of npm: `PATHEXT` finds them, and their arguments arrive
//! unchanged.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

use acp_process::{Command, Spawned};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::life::{LifeLine, all_ended};
use super::printed;
use super::role::{ARGUMENTS, LIFE_LINE, program, role, said};
use crate::support::{GUARD, soon};

/// Makes a folder with a space in its name for one test.
///
/// `tool.cmd` in it passes its arguments on, as npm's wrappers do. `tool` beside it is for other
/// shells.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("batch files of {test}"));
    fs::create_dir_all(&folder).unwrap();
    let script = format!("@echo off\r\n\"{}\" {} %*\r\n", program(), ARGUMENTS.join(" "));
    fs::write(folder.join("tool.cmd"), script).unwrap();
    fs::write(folder.join("tool"), "#!/bin/sh\nexit 1\n").unwrap();
    fs::write(folder.join("fails.bat"), "@exit /b 7\r\n").unwrap();
    folder
}

/// Commands of one test, with its folder in front of their `PATH`.
struct Tools(PathBuf);

impl Tools {
    fn of(test: &str) -> Self {
        Self(folder(test))
    }

    fn command(&self, name: impl Into<OsString>, of: &str) -> Command {
        let path = format!("{};{}", self.0.display(), std::env::var("PATH").unwrap());
        role(of).of_program(name).env("PATH", path)
    }
}

#[tokio::test]
async fn a_batch_file_is_found_by_its_name() {
    let tools = Tools::of("names");
    for name in ["tool", "TOOL", "tool.cmd", "tool.CMD"] {
        let (lines, exit) = printed(&tools.command(name, "arguments").arg("one")).await;
        assert_eq!((lines, exit.status), (vec!["[one]".to_owned()], Some(0)), "{name}");
    }
    for name in ["tool", "tool.cmd"] {
        let there = tools.0.join(name);
        let (lines, _) = printed(&tools.command(there, "arguments").env("PATH", "").arg("one")).await;
        assert_eq!(lines, ["[one]"], "{name} with its folder");
    }
    let (_, exit) = printed(&tools.command("fails", "")).await;
    assert_eq!(exit.status, Some(7));
}

#[tokio::test]
async fn a_batch_file_that_is_not_there_is_not_found() {
    let tools = Tools::of("nobody");
    let missing = [
        tools.command("tool", "arguments").env("PATH", r"C:\nowhere"),
        tools.command("tool", "arguments").env("PATHEXT", ".EXE"),
        tools.command("other.cmd", "arguments"),
        // The system would start the shell for these, and the shell would look for them.
        tools.command(tools.0.join("other.cmd"), "arguments"),
        tools.command(tools.0.join("other.BAT"), "arguments"),
    ];
    for command in missing {
        let error = command.run().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{command:?}: {error}");
        assert_eq!(command.spawn().unwrap_err().kind(), ErrorKind::NotFound);
    }
}

#[tokio::test]
async fn a_batch_file_gets_its_arguments_whole() {
    let tools = Tools::of("arguments");
    let arguments =
        ["plain", "with space", r#"quo"te"#, "a&b", "a|b>c", "^", "(x)", r"back\slash\", "!x!", "\u{1F980}"];
    for argument in arguments {
        let (lines, _) = printed(&tools.command("tool", "arguments").arg(argument)).await;
        assert_eq!(lines, [format!("[{argument}]")]);
    }
    let (lines, _) = printed(&tools.command("tool", "arguments").args(arguments)).await;
    assert_eq!(lines, arguments.map(|argument| format!("[{argument}]")));
    // A line break would end the command.
    let error = tools.command("tool", "arguments").arg("a\r\necho injected").run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
}

/// The shell of wine puts variables into arguments where that of Windows does not.
#[tokio::test]
async fn a_batch_file_gets_percent_signs_as_they_are() {
    if std::env::var_os("WINEPREFIX").is_some() {
        return;
    }
    let (lines, _) = printed(&Tools::of("percent").command("tool", "arguments").arg("100% of %PATH%")).await;
    assert_eq!(lines, ["[100% of %PATH%]"]);
}

#[tokio::test]
async fn a_batch_file_is_talked_to_through_its_shell() {
    let command = Tools::of("talk").command("tool", "echo").grace(GUARD);
    let Spawned { mut stdin, mut stdout, child, guard, .. } = command.spawn().unwrap();
    stdin.write_all(b"one\ntwo\n").await.unwrap();
    drop(stdin);
    let mut printed = String::new();
    soon("the output", stdout.read_to_string(&mut printed)).await.unwrap();
    assert_eq!(said(&printed), ["one", "two"]);
    soon("the end", guard.end()).await;
    assert_eq!(child.wait().await.status, Some(0));
}

#[tokio::test]
async fn what_a_batch_file_has_started_ends_with_it() {
    let life_line = LifeLine::new().await;
    let tool = Tools::of("tree").command("tool", "root").env(LIFE_LINE, life_line.address());
    let Spawned { stdout: _stdout, guard, .. } = tool.grace(Duration::from_millis(100)).spawn().unwrap();
    let lives = life_line.lives(3).await;
    soon("the end", guard.end()).await;
    all_ended(lives).await;
}
