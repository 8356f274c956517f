//! Answers to permission requests and forms.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::subject::Step;
use crate::check::tester::Tester;
use crate::check::v2::ask;
use crate::check::v2::turn::owed;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v2-perm-07", "a permission request with answers that do not allow it", no_consent),
    case!("v2-eli-02", "a form that is answered with an unknown action", unknown_action),
    case!("v2-eli-04", "a turn is cancelled that waits for a form", unanswered),
];

async fn no_consent(t: &mut Tester) -> Step {
    for (outcome, of) in [
        (json!({"outcome": "cancelled"}), "`cancelled`"),
        (json!({"outcome": "_acp_check"}), "an unknown outcome"),
        (json!({"outcome": "selected", "optionId": "acp-check-none"}), "an option that was not offered"),
    ] {
        let (mut turn, question) = ask::permission(t).await?;
        let before = turn.seen.len();
        ask::answer(t, &question, json!({"outcome": outcome})).await?;
        turn.finish(t).await?;
        if ask::has_run(&turn, &question, before) {
            return Err(Stop::Fail(format!("the tool has run by {of}")));
        }
    }
    Ok(())
}

async fn unknown_action(t: &mut Tester) -> Step {
    let (mut turn, question) = ask::elicitation(t).await?;
    // Questions that follow are declined.
    ask::answer(t, &question, json!({"action": "_acp_check", "content": Value::Null})).await?;
    turn.finish(t).await?;
    match turn.stop_reason() {
        Some("error") => Err(Stop::Fail("an unknown action ends the turn with an error".to_owned())),
        _ => Ok(()),
    }
}

async fn unanswered(t: &mut Tester) -> Step {
    let (mut turn, _) = ask::elicitation(t).await?;
    owed(turn.stop(t).await)
}
