//! Directives: text in double brackets, by which a prompt says what the model does.

use std::time::Duration;

/// One thing that the model does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Directive {
    /// Says these words.
    Text(String),
    /// Thinks these words first.
    Think(String),
    /// Calls tools, all of them in one answer.
    Calls(Vec<Wish>),
    /// Says something five times a second for so long.
    Slow(Duration),
    /// Says nothing for so long.
    Hang(Duration),
    /// Stops because the answer is too long.
    Length,
    /// Refuses to answer.
    Refuse,
    /// Answers with this HTTP status.
    Error(u16),
    /// Closes the connection in the middle of the answer.
    Drop,
}

/// A wish for a call of one of the agent's tools.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wish {
    Shell(String),
    Read(String),
    Write(String, String),
    Edit(String, String, String),
    Plan(Vec<String>),
    /// Asks the user.
    Ask,
    /// Calls a tool by its name with these arguments, which are JSON or free text.
    Tool(String, String),
}

/// Returns the directives of a text: those of its last line that has any. Agents put the prompt of
/// a turn that failed before the next one.
pub(super) fn of(text: &str) -> Vec<Directive> {
    text.lines().rev().map(of_line).find(|found| !found.is_empty()).unwrap_or_default()
}

fn of_line(line: &str) -> Vec<Directive> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some((_, opened)) = rest.split_once("[[") {
        let Some((inside, behind)) = opened.split_once("]]") else { break };
        let (name, words) = inside.trim().split_once(' ').unwrap_or((inside.trim(), ""));
        found.extend(directive(name, words.trim()));
        rest = behind;
    }
    found
}

fn directive(name: &str, words: &str) -> Option<Directive> {
    let text = words.replace("\\n", "\n");
    let split = |text: &str| match text.split_once(' ') {
        Some((first, rest)) => (first.to_owned(), rest.to_owned()),
        None => (text.to_owned(), String::new()),
    };
    let one = |wish| Some(Directive::Calls(vec![wish]));
    match name {
        "text" => Some(Directive::Text(text)),
        "think" => Some(Directive::Think(text)),
        "shell" => one(Wish::Shell(words.to_owned())),
        "par" => {
            let commands = words.split(" && ").map(|command| Wish::Shell(command.to_owned()));
            Some(Directive::Calls(commands.collect()))
        }
        "read" => one(Wish::Read(words.to_owned())),
        "write" => {
            let (path, text) = split(&text);
            one(Wish::Write(path, text))
        }
        "edit" => {
            let (path, change) = split(&text);
            let (old, new) = change.split_once(" => ").unwrap_or((&change, ""));
            one(Wish::Edit(path, old.to_owned(), new.to_owned()))
        }
        "plan" => one(Wish::Plan(words.split(';').map(|step| step.trim().to_owned()).collect())),
        "ask" => one(Wish::Ask),
        "tool" => {
            let (name, arguments) = split(&text);
            one(Wish::Tool(name, arguments))
        }
        "slow" => Some(Directive::Slow(seconds(words))),
        "hang" => Some(Directive::Hang(seconds(words))),
        "length" => Some(Directive::Length),
        "refuse" => Some(Directive::Refuse),
        "error" => Some(Directive::Error(words.parse().unwrap_or(500))),
        "drop" => Some(Directive::Drop),
        _ => None,
    }
}

/// The longest time that a directive may take: one that every clock can show.
const DAY: Duration = Duration::from_secs(24 * 3600);

/// Returns a time, half a minute if the text is not a number.
fn seconds(text: &str) -> Duration {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.unwrap_or(Duration::from_secs(30)).min(DAY)
}
