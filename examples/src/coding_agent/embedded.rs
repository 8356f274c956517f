//! A planner without a language model: it follows plain instructions, always in the same way.
//!
//! It keeps no state. Each time it compares the instructions with the finished rounds of the task,
//! and the first missing round is the next step.

use acp_agent::mcp::Tool;
use acp_agent::types::StopReason;
use acp_agent::{Result, Turn};

use super::instruction::{Instruction, NotUnderstood, parse};
use super::planner::{Action, History, Item, Next, Outcome, Planner, Round, Status, Step, Task};
use super::search::count;

/// The most lines of a file that the answer shows.
const SHOWN_LINES: usize = 20;

/// Follows plain instructions, see [`Instruction`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Embedded;

impl Planner for Embedded {
    async fn next(&self, history: &History, turn: &Turn, _: &[Tool]) -> Result<Step> {
        let step = history.last().map_or_else(|| stop(String::new()), step);
        if !step.said.is_empty() {
            turn.say(&*step.said).await?;
        }
        Ok(step)
    }
}

/// Returns the next words and actions for a task.
fn step(task: &Task) -> Step {
    let instructions = match parse(&task.text) {
        Ok(instructions) => instructions,
        Err(not_understood) => return stop(help(&not_understood)),
    };
    let mut rounds = task.rounds.iter();
    let mut report = String::from("\n");
    let mut plan: Vec<_> =
        instructions.iter().map(|instruction| item(instruction, Status::Pending)).collect();
    for (index, instruction) in instructions.iter().enumerate() {
        set(&mut plan, index, Status::InProgress);
        let Some(round) = rounds.next() else {
            return act(announce(instruction), Some(&plan), [first_action(instruction)]);
        };
        let mut last = round;
        let more = follow_up(instruction, round);
        if !more.is_empty() {
            let Some(round) = rounds.next() else { return act(String::new(), None, more) };
            last = round;
        }
        report.push_str(&lines(instruction, last));
        set(&mut plan, index, Status::Completed);
        if let Some(item) = plan.get_mut(index).filter(|_| !worked(last)) {
            // Plans have no status for failure.
            item.step.push_str(" (not done)");
        }
    }
    match rounds.next() {
        None => act(String::new(), Some(&plan), []),
        Some(_) => stop(report),
    }
}

/// Returns the first action of an instruction.
fn first_action(instruction: &Instruction) -> Action {
    match instruction.clone() {
        Instruction::Read { file } | Instruction::Append { file, .. } => Action::ReadFile { path: file },
        Instruction::Find { text } | Instruction::Replace { old: text, file: None, .. } => {
            Action::SearchFiles { query: text }
        }
        Instruction::Replace { old, new, file: Some(file) } => replace(file, &old, &new),
        Instruction::Create { file, text } => Action::WriteFile { path: file, content: ended(text) },
        Instruction::Call { tool, arguments } => Action::CallTool { name: tool, arguments },
        Instruction::Run { command } => {
            let mut words = command.split_whitespace().map(str::to_owned);
            Action::RunCommand { program: words.next().unwrap_or_default(), args: words.collect() }
        }
    }
}

/// Returns the second action of an instruction, after its first round.
fn follow_up(instruction: &Instruction, first: &Round) -> Vec<Action> {
    match (instruction, outcome(first)) {
        (Instruction::Append { text, file }, Some(Outcome::Text(old))) => {
            let before = if old.is_empty() { String::new() } else { ended(old.clone()) };
            vec![Action::WriteFile { path: file.clone(), content: before + &ended(text.clone()) }]
        }
        (Instruction::Replace { old, new, file: None }, Some(Outcome::Found(matches))) => {
            matches.files().into_iter().map(|file| replace(file.to_owned(), old, new)).collect()
        }
        _ => Vec::new(),
    }
}

fn replace(path: String, old: &str, new: &str) -> Action {
    Action::EditFile { path, old_string: old.to_owned(), new_string: new.to_owned(), replace_all: true }
}

/// A text file ends with a line break.
fn ended(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Returns the outcome of the last action of a round, which is the decisive one.
fn outcome(round: &Round) -> Option<&Outcome> {
    round.done.last().map(|(_, outcome)| outcome)
}

fn item(instruction: &Instruction, status: Status) -> Item {
    let step = match instruction {
        Instruction::Read { file } => format!("Read {file}"),
        Instruction::Find { text } => format!("Find `{text}`"),
        Instruction::Replace { old, new, file: Some(file) } => {
            format!("Replace `{old}` with `{new}` in {file}")
        }
        Instruction::Replace { old, new, file: None } => format!("Replace `{old}` with `{new}` everywhere"),
        Instruction::Append { file, .. } => format!("Append to {file}"),
        Instruction::Create { file, .. } => format!("Create {file}"),
        Instruction::Run { command } => format!("Run `{command}`"),
        Instruction::Call { tool, .. } => format!("Call {tool}"),
    };
    Item { step, status }
}

fn set(plan: &mut [Item], index: usize, status: Status) {
    if let Some(item) = plan.get_mut(index) {
        item.status = status;
    }
}

fn announce(instruction: &Instruction) -> String {
    format!("{}.\n", item(instruction, Status::InProgress).step)
}

/// Returns true if every action of a round succeeded.
fn worked(round: &Round) -> bool {
    !round.done.iter().any(|(_, outcome)| {
        matches!(outcome, Outcome::Failed(_) | Outcome::Rejected | Outcome::Ran { failed: Some(_), .. })
    })
}

/// Returns the result of an instruction, one line of the answer for each action.
fn lines(instruction: &Instruction, last: &Round) -> String {
    let step = item(instruction, Status::Completed).step;
    let mut lines = String::new();
    for (call, outcome) in &last.done {
        let result = match (outcome, &call.action) {
            (Outcome::Planned, _) => continue,
            (Outcome::Text(text), _) => shown(text),
            (Outcome::Found(_) | Outcome::Files { .. }, _) => shown(&outcome.to_string()),
            (Outcome::Written { places: Some(places) }, Action::EditFile { path, .. }) => {
                format!("changed {path} in {}", count(*places, "place"))
            }
            (Outcome::Written { .. }, _) => "written".to_owned(),
            (Outcome::Ran { output, failed: None }, _) => shown(output),
            (Outcome::Ran { output, failed: Some(reason) }, _) => format!("{reason} {}", shown(output)),
            (Outcome::Rejected, _) => "not done, because you rejected it".to_owned(),
            (Outcome::Failed(reason), _) => format!("failed, because {reason}"),
        };
        lines.push_str(&format!("- {step}: {result}\n"));
    }
    lines
}

/// Returns the beginning of a text, fenced.
fn shown(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    let start = lines.iter().take(SHOWN_LINES).copied().collect::<Vec<_>>().join("\n");
    let more = if lines.len() > SHOWN_LINES { "\n…" } else { "" };
    format!("{}\n\n```\n{start}{more}\n```\n", count(lines.len(), "line"))
}

fn help(NotUnderstood(clause): &NotUnderstood) -> String {
    let problem = match clause.as_str() {
        "" => "Tell me what to do.".to_owned(),
        clause => format!("I do not understand \"{clause}\", so I have not done anything."),
    };
    format!(
        "{problem} Without a language model I follow plain instructions, one per line or joined by `then`:\n\n\
         - read `FILE`\n\
         - find `TEXT`\n\
         - replace `OLD` with `NEW`, or replace `OLD` with `NEW` in `FILE`\n\
         - append `TEXT` to `FILE`\n\
         - create `FILE` with `TEXT`\n\
         - run `COMMAND`\n\
         - call `TOOL` with `JSON`, a tool of an MCP server\n\n\
         Texts of several words stand in backticks or quotes. To have a language model plan instead, start me \
         with `OPENAI_BASE_URL` set to the address of a chat-completions server.\n"
    )
}

fn act(said: String, plan: Option<&[Item]>, actions: impl IntoIterator<Item = Action>) -> Step {
    let plan = plan.map(|plan| Action::UpdatePlan { plan: plan.to_vec() });
    Step { said, next: Next::Act(plan.into_iter().chain(actions).map(Into::into).collect()) }
}

fn stop(said: String) -> Step {
    Step { said, next: Next::Stop(StopReason::EndTurn) }
}
