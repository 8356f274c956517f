//! OpenAI chat completions.

use serde_json::{Value, json};

use crate::model::answer::{Call, Finish, Plan};
use crate::model::event::{Event, Head, Stream, TOKENS, pieces};

pub(super) struct Chat {
    head: Head,
    calls: usize,
}

impl Chat {
    pub(super) const fn new(head: Head) -> Self {
        Self { head, calls: 0 }
    }

    fn chunk(&self, choices: &Value) -> Value {
        json!({
            "id": format!("chatcmpl-stub-{}", self.head.number), "object": "chat.completion.chunk",
            "created": 0, "model": self.head.model, "choices": choices,
        })
    }

    fn delta(&self, delta: &Value, finish: Option<&str>) -> Event {
        Event::data(&self.chunk(&json!([{"index": 0, "delta": delta, "finish_reason": finish}])))
    }
}

impl Stream for Chat {
    fn begin(&mut self) -> Vec<Event> {
        vec![self.delta(&json!({"role": "assistant", "content": ""}), None)]
    }

    fn thought(&mut self, text: &str) -> Vec<Event> {
        vec![self.delta(&json!({"reasoning_content": text}), None)]
    }

    fn words(&mut self, words: &str) -> Event {
        self.delta(&json!({"content": words}), None)
    }

    fn call(&mut self, call: &Call) -> Vec<Event> {
        let index = self.calls;
        self.calls += 1;
        let function = json!({"name": call.name, "arguments": ""});
        let first = json!({"index": index, "id": call.id, "type": "function", "function": function});
        let more = pieces(&call.text())
            .into_iter()
            .map(|piece| json!({"index": index, "function": {"arguments": piece}}));
        let parts = std::iter::once(first).chain(more);
        parts.map(|part| self.delta(&json!({"tool_calls": [part]}), None)).collect()
    }

    fn end(&mut self, finish: Finish) -> Vec<Event> {
        let mut events = vec![self.delta(&json!({}), Some(reason(finish)))];
        if self.head.wants_usage {
            let mut chunk = self.chunk(&json!([]));
            if let Some(members) = chunk.as_object_mut() {
                members.insert("usage".to_owned(), usage());
            }
            events.push(Event::data(&chunk));
        }
        events.push(Event { name: None, data: "[DONE]".to_owned() });
        events
    }
}

pub(super) fn whole(head: &Head, plan: &Plan) -> Value {
    let calls: Vec<_> = plan.calls.iter().map(call).collect();
    let mut message = serde_json::Map::new();
    message.insert("role".to_owned(), "assistant".into());
    if !plan.thought.is_empty() {
        message.insert("reasoning_content".to_owned(), plan.thought.clone().into());
    }
    message.insert("content".to_owned(), plan.text.clone().into());
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    json!({
        "id": format!("chatcmpl-stub-{}", head.number), "object": "chat.completion", "created": 0,
        "model": head.model, "usage": usage(),
        "choices": [{"index": 0, "message": message, "finish_reason": reason(plan.finish)}],
    })
}

fn call(call: &Call) -> Value {
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text()}})
}

fn usage() -> Value {
    let [read, said] = TOKENS;
    json!({"prompt_tokens": read, "completion_tokens": said, "total_tokens": read + said})
}

const fn reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop => "stop",
        Finish::Calls => "tool_calls",
        Finish::Length => "length",
        Finish::Refusal => "content_filter",
    }
}
