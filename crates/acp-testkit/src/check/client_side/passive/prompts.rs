//! The content of prompts.

use super::{Conversation, Findings};
use crate::check::passive::updates::block;

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    for call in conversation.calls().filter(|call| call.method() == "session/prompt") {
        for content in call.params()["prompt"].as_array().into_iter().flatten() {
            block(content, call.line, f);
        }
    }
}
