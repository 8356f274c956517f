//! Changes of files: `git apply` makes the new text of the old one.

use std::fs;
use std::path::Path;
use std::process::Command;

use acp_agent::types::Diff;
use acp_agent::{Result, StopReason, ToolCall, Turn, agent};
use serde_json::{Value, json};
use testkit::Dice;

use super::{open, start, update};

/// Reports one change for each of its turns.
struct Changes(Vec<Diff>);

#[agent]
impl Changes {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let mut tool = turn.start_tool(ToolCall::edit("Edit")).await?;
        for diff in &self.0 {
            tool.diff(diff.clone()).await?;
        }
        tool.complete().await?;
        Ok(StopReason::EndTurn)
    }
}

/// Returns the changes as they are sent.
async fn sent(diffs: Vec<Diff>) -> Vec<Value> {
    let count = diffs.len();
    let (mut wire, session, _) = open(Changes(diffs)).await;
    start(&mut wire, &session, "go").await;
    update(&mut wire).await;
    let mut sent = Vec::new();
    for _ in 0..count {
        sent.push(update(&mut wire).await["content"].take());
    }
    sent
}

/// Applies the patch of a change in its folder.
fn applied(diff: &Diff, patch: &str) -> Option<String> {
    let path = Path::new(&diff.path);
    match &diff.old_text {
        Some(text) => fs::write(path, text).unwrap(),
        None => assert!(!path.exists()),
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), patch).unwrap();
    let mut git = Command::new("git");
    git.args(["-c", "core.autocrlf=false", "apply", "--unsafe-paths", "-p0", "--whitespace=nowarn"]);
    let output = git.arg(file.path()).current_dir(path.parent().unwrap()).output().unwrap();
    assert!(output.status.success(), "{}\n{patch}", String::from_utf8_lossy(&output.stderr));
    Some(fs::read_to_string(path).unwrap())
}

fn text(dice: &Dice) -> String {
    const LINES: [&str; 10] =
        ["a\n", "b\n", "c\n", "\n", "\r\n", "d\r\n", "-x\n", "@@ -1 +1 @@\n", "ä\n", "e\rf\n"];
    let mut text: String = (0..dice.below(30)).map(|_| *dice.pick(&LINES)).collect();
    if dice.one_in(3) {
        text.push_str("no end");
    }
    text
}

#[tokio::test]
async fn git_applies_the_patch_and_gets_the_new_text() {
    if Command::new("git").arg("--version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let names = ["plain.txt", "two words.txt", "qu\"ote", "back\\slash", "tab\there", "ä ö", "line\nbreak"];
    let dice = Dice::new(17);
    let mut diffs = Vec::new();
    for count in 0..60 {
        let name = format!("{count}{}", names[count % names.len()]);
        let path = folder.path().join(name).to_str().unwrap().to_owned();
        let diff = Diff::new(path, text(&dice));
        diffs.push(if count % 5 == 0 { diff } else { diff.old_text(text(&dice)) });
    }
    let own = |name: &str, new: &str| Diff::new(folder.path().join(name).to_str().unwrap(), new);
    diffs.push(own("empty", ""));
    diffs.push(own("emptied", "").old_text("a\nb"));
    diffs.push(own("filled", "a\nb").old_text(""));
    for (diff, sent) in diffs.iter().zip(sent(diffs.clone()).await) {
        let operation = if diff.old_text.is_some() { "modify" } else { "add" };
        let change = json!({"operation": operation, "path": diff.path, "fileType": "text"});
        assert_eq!(sent["changes"], json!([change]));
        if diff.old_text.as_ref() == Some(&diff.new_text) {
            assert!(sent.get("patch").is_none());
            continue;
        }
        let patch = sent["patch"]["text"].as_str().unwrap();
        assert_eq!(applied(diff, patch).as_ref(), Some(&diff.new_text), "{patch}");
    }
}

#[tokio::test]
async fn much_text_has_no_patch_and_little_change_has_a_small_one() {
    let lines = |changed: usize| -> String {
        (0..20_000)
            .map(|line| if line == changed { "changed\n".to_owned() } else { format!("{line}\n") })
            .collect()
    };
    let small = Diff::new("/a", lines(9_000)).old_text(lines(11_000));
    let large = Diff::new("/a", "x".repeat(1024 * 1024 + 1)).old_text("");
    let sent = sent(vec![small, large]).await;
    let patch = sent[0]["patch"]["text"].as_str().unwrap();
    assert_eq!(patch.lines().filter(|line| line.starts_with("@@")).count(), 2, "{patch}");
    assert_eq!(patch.lines().count(), 3 + 2 * (1 + 8), "{patch}");
    assert!(sent[1].get("patch").is_none());
    assert_eq!(sent[1]["changes"][0]["operation"], "modify");
}
