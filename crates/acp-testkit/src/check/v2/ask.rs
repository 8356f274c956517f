//! Turns that ask the user something.

use serde_json::{Value, json};

use super::turn::{Turn, is_tagged};
use crate::check::client::{self, Permission};
use crate::check::never::{NO_PERMISSION_PROMPT, Never};
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;
use crate::peer::Message;

pub(super) const PERMISSION: &str = "session/request_permission";
pub(super) const FORM: &str = "elicitation/create";

/// Starts a turn that asks for permission, in a session of its own. The scenario answers.
pub(super) async fn permission(t: &mut Tester) -> Step<(Turn, Message)> {
    let Some(prompt) = t.options.permission_prompt.clone() else {
        return Err(t.options.without(Never::Permission, NO_PERMISSION_PROMPT));
    };
    let session = t.new_session().await?;
    t.permission = Permission::Held;
    let asked = asked(t, &session, &prompt, PERMISSION).await;
    t.permission = Permission::Allow;
    match asked? {
        (turn, Some(question)) => Ok((turn, question)),
        _ => Err(Stop::Inconclusive("the agent has not asked for permission".to_owned())),
    }
}

/// Starts a turn with a form or an address for the user, in a session of its own. The scenario
/// answers.
pub(super) async fn elicitation(t: &mut Tester) -> Step<(Turn, Message)> {
    let session = t.new_session().await?;
    for prompt in t.prompts() {
        t.permission = Permission::HeldForms;
        let asked = asked(t, &session, &prompt, FORM).await;
        t.permission = Permission::Allow;
        if let (turn, Some(question)) = asked? {
            return Ok((turn, question));
        }
    }
    Err(Stop::NotApplicable("no prompt makes the agent show a form".to_owned()))
}

async fn asked(t: &mut Tester, session: &str, prompt: &str, method: &str) -> Step<(Turn, Option<Message>)> {
    let mut turn = Turn::start(t, session, prompt).await?;
    let question = turn.until_asked(t, method).await?;
    Ok((turn, question))
}

/// Answers a question with a result.
pub(super) async fn answer(t: &mut Tester, question: &Message, result: Value) -> Step {
    t.raw(&json!({"jsonrpc": "2.0", "id": question.id(), "result": result}).to_string()).await
}

/// Answers a permission request with consent.
pub(super) async fn allow(t: &mut Tester, question: &Message) -> Step {
    answer(t, question, json!({"outcome": client::selected(question.params())})).await
}

/// Returns true if the tool call that a permission request is about runs, or has run, after this
/// number of messages of the turn.
pub(super) fn has_run(turn: &Turn, question: &Message, from: usize) -> bool {
    let call = question.pointer("/params/subject/toolCall/toolCallId");
    let call = call.or_else(|| question.pointer("/params/subject/toolCallId"));
    let later = turn.seen.iter().skip(from).filter_map(|message| message.pointer("/params/update"));
    let mut of_call = later.filter(|update| {
        is_tagged(update, "tool_call_update") && call.is_some() && update.get("toolCallId") == call
    });
    of_call.any(|update| matches!(update["status"].as_str(), Some("in_progress" | "completed")))
}
