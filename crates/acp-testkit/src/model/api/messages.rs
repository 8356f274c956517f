//! Anthropic messages.

use serde_json::{Value, json};

use crate::model::answer::{Call, Finish, Plan};
use crate::model::event::{Event, Head, Stream, TOKENS, pieces};

/// The signature of each thought.
const SIGNATURE: &str = "c3R1Yg==";

pub(super) struct Messages {
    head: Head,
    /// The number of the next content block.
    index: usize,
}

impl Messages {
    pub(super) const fn new(head: Head) -> Self {
        Self { head, index: 0 }
    }

    fn open(&self, block: &Value) -> Event {
        let data = json!({"type": "content_block_start", "index": self.index, "content_block": block});
        Event::named("content_block_start", &data)
    }

    fn delta(&self, delta: &Value) -> Event {
        let data = json!({"type": "content_block_delta", "index": self.index, "delta": delta});
        Event::named("content_block_delta", &data)
    }

    fn close(&mut self) -> Event {
        let data = json!({"type": "content_block_stop", "index": self.index});
        self.index += 1;
        Event::named("content_block_stop", &data)
    }
}

impl Stream for Messages {
    fn begin(&mut self) -> Vec<Event> {
        let message = message(&self.head, &json!([]), None, 1);
        vec![Event::named("message_start", &json!({"type": "message_start", "message": message}))]
    }

    fn thought(&mut self, text: &str) -> Vec<Event> {
        vec![
            self.open(&json!({"type": "thinking", "thinking": "", "signature": ""})),
            self.delta(&json!({"type": "thinking_delta", "thinking": text})),
            self.delta(&json!({"type": "signature_delta", "signature": SIGNATURE})),
            self.close(),
        ]
    }

    fn begin_text(&mut self) -> Vec<Event> {
        vec![self.open(&json!({"type": "text", "text": ""}))]
    }

    fn words(&mut self, words: &str) -> Event {
        self.delta(&json!({"type": "text_delta", "text": words}))
    }

    fn end_text(&mut self, _text: &str) -> Vec<Event> {
        vec![self.close()]
    }

    fn call(&mut self, call: &Call) -> Vec<Event> {
        let mut events =
            vec![self.open(&json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}))];
        let pieces = pieces(&call.text());
        let delta = |piece| self.delta(&json!({"type": "input_json_delta", "partial_json": piece}));
        events.extend(pieces.into_iter().map(delta));
        events.push(self.close());
        events
    }

    fn end(&mut self, finish: Finish) -> Vec<Event> {
        let delta = json!({"stop_reason": reason(finish), "stop_sequence": null});
        let usage = json!({"output_tokens": TOKENS[1]});
        vec![
            Event::named("message_delta", &json!({"type": "message_delta", "delta": delta, "usage": usage})),
            Event::named("message_stop", &json!({"type": "message_stop"})),
        ]
    }
}

pub(super) fn whole(head: &Head, plan: &Plan) -> Value {
    let text = json!({"type": "text", "text": plan.text});
    let calls = plan
        .calls
        .iter()
        .map(|call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}));
    let thought = (!plan.thought.is_empty())
        .then(|| json!({"type": "thinking", "thinking": plan.thought, "signature": SIGNATURE}));
    let content: Value = thought.into_iter().chain([text]).chain(calls).collect();
    message(head, &content, Some(reason(plan.finish)), TOKENS[1])
}

fn message(head: &Head, content: &Value, reason: Option<&str>, said: u64) -> Value {
    let usage = json!({
        "input_tokens": TOKENS[0], "output_tokens": said,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    });
    json!({
        "id": format!("msg_stub_{}", head.number), "type": "message", "role": "assistant",
        "model": head.model, "content": content, "stop_reason": reason, "stop_sequence": null,
        "usage": usage,
    })
}

const fn reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "end_turn",
        Finish::Calls => "tool_use",
        Finish::Length => "max_tokens",
        Finish::Refusal => "refusal",
    }
}
