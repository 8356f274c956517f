//! Prompts and their content.

use serde_json::Value;

use super::calls::known;
use crate::check::passive::Findings;
use crate::check::passive::conversation::Conversation;
use crate::check::v2::blocks;

const BLOCKS: &[&str] = &["text", "image", "audio", "resource_link", "resource"];

pub(super) fn judge(conversation: &Conversation<'_>, f: &mut Findings) {
    for call in conversation.calls().filter(|call| call.method() == "session/prompt") {
        let prompt = &call.params()["prompt"];
        f.check("v2-turn-06", prompt.as_array().is_some_and(|list| !list.is_empty()), call.line, || {
            "the prompt is empty".to_owned()
        });
        blocks(prompt, call.line, f);
        for block in prompt.as_array().into_iter().flatten() {
            known("type", &block["type"], BLOCKS, call.line, f);
            let audience = block["annotations"]["audience"].as_array();
            let roles: &[Value] = audience.map_or(&[][..], Vec::as_slice);
            roles.iter().for_each(|role| known("audience", role, &["user", "assistant"], call.line, f));
        }
    }
}
