//! Windows: processes, their output, and their end.

mod batch;
mod life;
mod role;
mod tree;

use acp_process::{Command, Exit, Spawned};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use self::role::{role, said};
use crate::support::{GUARD, soon};

/// Runs a command to its end, for its lines and its exit.
async fn printed(command: &Command) -> (Vec<String>, Exit) {
    let (mut running, mut output) = command.run().unwrap();
    let mut printed = String::new();
    soon("the output", output.read_to_string(&mut printed)).await.unwrap();
    (said(&printed), soon("the exit", running.exited()).await)
}

#[tokio::test]
async fn a_process_is_talked_to_and_ends_with_its_input() {
    let Spawned { mut stdin, mut stdout, child, guard, .. } = role("echo").grace(GUARD).spawn().unwrap();
    let line = "\u{1F980} ".repeat(50_000);
    let sent = format!("one\r\n{line}\n");
    let writing = tokio::spawn(async move { stdin.write_all(sent.as_bytes()).await });
    let mut printed = String::new();
    soon("the output", stdout.read_to_string(&mut printed)).await.unwrap();
    soon("the input", writing).await.unwrap().unwrap();
    assert_eq!(said(&printed), ["one", &line]);
    soon("the end", guard.end()).await;
    assert_eq!(child.wait().await.status, Some(0), "closing stdin was enough");
}

#[tokio::test]
async fn an_exit_has_its_code_and_the_last_words() {
    // The last is the code of an access violation: its highest bit is set.
    for code in [0, 1, 3, 255, 256, -1, -1_073_741_819] {
        let mut spawned = role(&format!("exit {code}")).spawn().unwrap();
        let exit = soon("the exit", spawned.guard.exited()).await;
        assert_eq!((exit.status, exit.signal), (Some(code), None));
        assert_eq!(exit.stderr_tail, "first\r\nlast words\r\n");
        assert_eq!(spawned.child.wait().await, exit);
        let (_, exit) = printed(&role(&format!("exit {code}"))).await;
        assert_eq!((exit.status, exit.signal), (Some(code), None));
    }
}

#[tokio::test]
async fn lines_of_stderr_have_no_end_of_line() {
    let (lines, mut received) = tokio::sync::mpsc::unbounded_channel();
    let command = role("exit 0").on_stderr(move |line| lines.send(line.to_owned()).unwrap());
    let spawned = command.spawn().unwrap();
    for line in ["first", "last words"] {
        assert_eq!(soon("a line", received.recv()).await.as_deref(), Some(line));
    }
    drop(spawned);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_not_found() {
    for name in ["acp-no-such-program", r"C:\no\such\program", r"C:\no\such\program.exe"] {
        let error = Command::new(name).spawn().unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{name}: {error}");
        assert!(Command::new(name).run().is_err());
    }
}

#[tokio::test]
async fn both_streams_are_one_output() {
    let (lines, exit) = printed(&role("both")).await;
    assert_eq!(lines, ["to stderr", "to stdout"]);
    assert_eq!(exit.status, Some(0));
}

#[tokio::test]
async fn all_that_a_process_has_printed_is_there_once_it_has_exited() {
    // Some lengths are below the capacity of the reader, some above it.
    for length in [10, 60_000, 100_000, 1_000_000] {
        let (mut running, mut output) = role(&format!("print {length}")).run().unwrap();
        let (mut read, mut chunk) = (Vec::new(), vec![0; 10_000]);
        let exit = loop {
            tokio::select! {
                exit = running.exited() => break exit,
                length = output.read(&mut chunk) => read.extend_from_slice(&chunk[..length.unwrap()]),
            }
        };
        loop {
            match output.read_now(&mut chunk) {
                0 => break,
                length => read.extend_from_slice(&chunk[..length]),
            }
        }
        assert_eq!(exit.status, Some(0));
        let printed = String::from_utf8(read).unwrap();
        let printed = printed.trim_start_matches(|character| character != 'x');
        assert_eq!(printed.len(), length + 1, "{length}");
        assert!(printed.ends_with('|'), "{length}");
    }
}

#[tokio::test]
async fn arguments_arrive_as_they_are() {
    let arguments =
        ["plain", "with space", r#"quo"te"#, "", r"back\slash\", r#"\"both\\" \"#, "%PATH%", "a&b|c^d"];
    let (lines, _) = printed(&role("arguments").args(arguments)).await;
    assert_eq!(lines, arguments.map(|argument| format!("[{argument}]")));
}

#[tokio::test]
async fn names_of_variables_have_no_case() {
    let names = "environment ACP_PROCESS_ONE acp_process_one SystemRoot";
    let command = role(names).env("Acp_Process_One", "1");
    let root = std::env::var("SYSTEMROOT").unwrap();
    let expected = |one: &str| {
        let root = Some(&root);
        [format!("ACP_PROCESS_ONE={one}"), format!("acp_process_one={one}"), format!("SystemRoot={root:?}")]
    };
    let (lines, _) = printed(&command).await;
    assert_eq!(lines, expected(r#"Some("1")"#));
    let (lines, _) = printed(&command.without_listener().env_inherit(["systemroot", "Path"])).await;
    assert_eq!(lines, expected(r#"Some("1")"#));
    let (lines, _) = printed(&command.without_listener().env_remove("ACP_PROCESS_ONE")).await;
    assert_eq!(lines, expected("None"));
}

#[tokio::test]
async fn a_process_starts_in_its_folder() {
    let folder = std::env::temp_dir().canonicalize().unwrap();
    let (lines, _) = printed(&role("folder").current_dir(&folder)).await;
    let there = std::path::Path::new(&lines[0]).canonicalize().unwrap();
    assert_eq!(there, folder);
}
