//! Gemini `generateContent`.

use serde_json::{Value, json};

use crate::model::answer::{Call, Finish, Plan};
use crate::model::event::{Event, Head, Stream, TOKENS};

pub(super) struct Gemini(Head);

impl Gemini {
    pub(super) const fn new(head: Head) -> Self {
        Self(head)
    }

    fn part(&self, part: &Value) -> Event {
        Event::data(&answer(&self.0, &json!([part]), None))
    }
}

impl Stream for Gemini {
    fn begin(&mut self) -> Vec<Event> {
        Vec::new()
    }

    fn thought(&mut self, text: &str) -> Vec<Event> {
        vec![self.part(&thought(text))]
    }

    fn words(&mut self, words: &str) -> Event {
        self.part(&json!({"text": words}))
    }

    fn call(&mut self, call: &Call) -> Vec<Event> {
        vec![self.part(&function(call))]
    }

    fn end(&mut self, finish: Finish) -> Vec<Event> {
        vec![Event::data(&answer(&self.0, &json!([{"text": ""}]), Some(finish)))]
    }
}

pub(super) fn whole(head: &Head, plan: &Plan) -> Value {
    let thought = (!plan.thought.is_empty()).then(|| thought(&plan.thought));
    let text = json!({"text": plan.text});
    let parts = thought.into_iter().chain([text]).chain(plan.calls.iter().map(function));
    let parts: Value = parts.collect();
    answer(head, &parts, Some(plan.finish))
}

fn thought(text: &str) -> Value {
    json!({"text": text, "thought": true})
}

fn function(call: &Call) -> Value {
    json!({"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}})
}

fn answer(head: &Head, parts: &Value, finish: Option<Finish>) -> Value {
    let [read, said] = TOKENS;
    let mut candidate = serde_json::Map::new();
    candidate.insert("index".to_owned(), 0.into());
    candidate.insert("content".to_owned(), json!({"role": "model", "parts": parts}));
    if let Some(finish) = finish {
        candidate.insert("finishReason".to_owned(), reason(finish).into());
    }
    json!({
        "candidates": [candidate], "modelVersion": head.model,
        "responseId": format!("stub-{}", head.number),
        "usageMetadata": {
            "promptTokenCount": read, "candidatesTokenCount": said, "totalTokenCount": read + said,
        },
    })
}

const fn reason(finish: Finish) -> &'static str {
    match finish {
        Finish::Stop | Finish::Calls => "STOP",
        Finish::Length => "MAX_TOKENS",
        Finish::Refusal => "SAFETY",
    }
}
