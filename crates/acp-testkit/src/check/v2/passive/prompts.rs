//! Prompts: their answers, and the echoes of their messages.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::check::passive::Findings;
use crate::check::passive::conversation::{Conversation, Said, What};
use crate::peer::Way;

/// The messages of the user in a session, by their lines.
struct Echo<'a> {
    line: usize,
    session: &'a str,
    id: &'a Value,
}

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    let echoes: Vec<Echo<'_>> = conversation
        .updates()
        .filter(|(_, tag, _)| matches!(*tag, "user_message" | "user_message_chunk"))
        .filter_map(|(said, _, update)| {
            Some(Echo { line: said.line, session: said.session()?, id: &update["messageId"] })
        })
        .collect();
    let mut inserted: HashMap<&str, HashSet<String>> = HashMap::new();
    let prompts = || conversation.answered().filter(|(request, _)| request.method() == "session/prompt");
    for (prompt, answer) in prompts() {
        let Some(result) = answer.json.get("result") else { continue };
        let id = &result["messageId"];
        f.check("v2-turn-02", id.is_string(), answer.line, || {
            "the answer to the prompt has no `messageId`".to_owned()
        });
        let Some(session) = prompt.session() else { continue };
        inserted.entry(session).or_default().insert(id.to_string());
        let mut own = echoes.iter().filter(|echo| echo.session == session && echo.id == id);
        let echo = own.find(|echo| echo.line > prompt.line);
        if echo.is_some() || has_ended(conversation, session, answer.line) {
            let lines = || vec![prompt.line, answer.line];
            f.check_lines("v2-turn-03", echo.is_some(), lines, || {
                format!("no `user_message` of the turn has the id {id} of the answer")
            });
            f.check("v2-turn-04", true, answer.line, String::new);
        }
    }
    for (prompt, answer) in prompts().filter(|(_, answer)| answer.json.get("error").is_some()) {
        let Some(session) = prompt.session() else { continue };
        let until = next_opening(conversation, session, prompt.line);
        let known = inserted.get(session);
        let stray = echoes.iter().find(|echo| {
            let is_known = known.is_some_and(|known| known.contains(&echo.id.to_string()));
            echo.session == session && (prompt.line..until).contains(&echo.line) && !is_known
        });
        f.check("v2-turn-05", true, answer.line, String::new);
        let Some(stray) = stray.filter(|_| all_answered(conversation, session)) else { continue };
        let rule = if stray.line < answer.line { "v2-turn-04" } else { "v2-turn-05" };
        f.check_lines(
            rule,
            false,
            || vec![prompt.line, answer.line, stray.line],
            || "the prompt is answered with an error, and its message is a part of the session".to_owned(),
        );
    }
}

/// Returns true if the session has become idle after a line.
fn has_ended(conversation: &Conversation<'_>, session: &str, line: usize) -> bool {
    conversation.updates().any(|(said, _, update)| {
        said.line > line && said.session() == Some(session) && update["state"] == "idle"
    })
}

/// Returns the line of the next request that brings messages of the user into the session.
fn next_opening(conversation: &Conversation<'_>, session: &str, line: usize) -> usize {
    let opens = |said: &&Said| {
        said.way == Way::Sent
            && said.line > line
            && said.session() == Some(session)
            && matches!(said.method(), "session/prompt" | "session/resume")
    };
    conversation.said.iter().find(opens).map_or(usize::MAX, |said| said.line)
}

/// Returns true if no prompt of the session waits for its answer.
fn all_answered(conversation: &Conversation<'_>, session: &str) -> bool {
    let is_prompt = |said: &&Said| said.method() == "session/prompt" && said.session() == Some(session);
    let asked = conversation.said.iter().filter(|said| said.what == What::Request).filter(is_prompt).count();
    let answered = conversation.answered().map(|(request, _)| request).filter(is_prompt).count();
    asked == answered
}
