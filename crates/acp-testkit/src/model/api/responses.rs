//! OpenAI responses.

use serde_json::{Map, Value, json};

use crate::model::answer::{Call, Finish, Plan};
use crate::model::event::{Event, Head, Stream, TOKENS, pieces};

pub(super) struct Responses {
    head: Head,
    /// The number of the next event.
    sequence: u64,
    /// The items that are complete.
    output: Vec<Value>,
}

impl Responses {
    pub(super) const fn new(head: Head) -> Self {
        Self { head, sequence: 0, output: Vec::new() }
    }

    /// Makes an event. Its data are the members of an object.
    fn event(&mut self, name: &'static str, data: Value) -> Event {
        let mut members = match data {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        members.insert("type".to_owned(), name.into());
        members.insert("sequence_number".to_owned(), self.sequence.into());
        self.sequence += 1;
        Event::named(name, &members.into())
    }

    /// Returns the id of the item that is under way.
    fn item(&self, kind: &str) -> String {
        item_id(&self.head, kind, self.output.len())
    }

    /// Makes an event about the item that is under way.
    fn of_item(&mut self, name: &'static str, kind: &str, data: &Value) -> Event {
        let mut members = Map::new();
        members.insert("item_id".to_owned(), self.item(kind).into());
        members.insert("output_index".to_owned(), self.output.len().into());
        members.extend(data.as_object().cloned().unwrap_or_default());
        self.event(name, members.into())
    }

    fn added(&mut self, item: &Value) -> Event {
        let index = self.output.len();
        self.event("response.output_item.added", json!({"output_index": index, "item": item}))
    }

    fn done(&mut self, item: Value) -> Event {
        let index = self.output.len();
        let event = self.event("response.output_item.done", json!({"output_index": index, "item": item}));
        self.output.push(item);
        event
    }
}

impl Stream for Responses {
    fn begin(&mut self) -> Vec<Event> {
        let response = response(&self.head, &[], "in_progress");
        let response = json!({"response": response});
        vec![self.event("response.created", response.clone()), self.event("response.in_progress", response)]
    }

    fn thought(&mut self, text: &str) -> Vec<Event> {
        let id = self.item("rs");
        let part = |text: &str| json!({"summary_index": 0, "part": {"type": "summary_text", "text": text}});
        vec![
            self.added(&json!({"id": id, "type": "reasoning", "summary": []})),
            self.of_item("response.reasoning_summary_part.added", "rs", &part("")),
            self.of_item(
                "response.reasoning_summary_text.delta",
                "rs",
                &json!({"summary_index": 0, "delta": text}),
            ),
            self.of_item(
                "response.reasoning_summary_text.done",
                "rs",
                &json!({"summary_index": 0, "text": text}),
            ),
            self.of_item("response.reasoning_summary_part.done", "rs", &part(text)),
            self.done(reasoning(&id, text)),
        ]
    }

    fn begin_text(&mut self) -> Vec<Event> {
        let id = self.item("msg");
        let part = json!({"type": "output_text", "text": "", "annotations": []});
        vec![
            self.added(&message(&id, "in_progress", &json!([]))),
            self.of_item("response.content_part.added", "msg", &json!({"content_index": 0, "part": part})),
        ]
    }

    fn words(&mut self, words: &str) -> Event {
        let data = json!({"content_index": 0, "delta": words, "logprobs": []});
        self.of_item("response.output_text.delta", "msg", &data)
    }

    fn end_text(&mut self, text: &str) -> Vec<Event> {
        let id = self.item("msg");
        let part = text_part(text);
        let said = json!({"content_index": 0, "text": text, "logprobs": []});
        vec![
            self.of_item("response.output_text.done", "msg", &said),
            self.of_item("response.content_part.done", "msg", &json!({"content_index": 0, "part": part})),
            self.done(message(&id, "completed", &json!([part]))),
        ]
    }

    fn call(&mut self, call: &Call) -> Vec<Event> {
        let id = self.item("fc");
        let (text, begun) = (call.text(), Call { arguments: "".into(), ..call.clone() });
        let mut events = vec![self.added(&called(&id, &begun, "in_progress"))];
        let [delta, done, member] = if call.is_custom {
            ["response.custom_tool_call_input.delta", "response.custom_tool_call_input.done", "input"]
        } else {
            ["response.function_call_arguments.delta", "response.function_call_arguments.done", "arguments"]
        };
        for piece in pieces(&text) {
            events.push(self.of_item(delta, "fc", &json!({"delta": piece})));
        }
        events.push(self.of_item(done, "fc", &json!({member: text, "name": call.name})));
        events.push(self.done(called(&id, call, "completed")));
        events
    }

    fn end(&mut self, finish: Finish) -> Vec<Event> {
        let output = std::mem::take(&mut self.output);
        let (name, response) = match finish {
            Finish::Length => ("response.incomplete", response(&self.head, &output, "incomplete")),
            _ => ("response.completed", response(&self.head, &output, "completed")),
        };
        vec![self.event(name, json!({"response": response}))]
    }
}

pub(super) fn whole(head: &Head, plan: &Plan) -> Value {
    let mut output = Vec::new();
    if !plan.thought.is_empty() {
        output.push(reasoning(&item_id(head, "rs", 0), &plan.thought));
    }
    let part = match plan.finish {
        Finish::Refusal => json!({"type": "refusal", "refusal": "I refuse."}),
        _ => text_part(&plan.text),
    };
    output.push(message(&item_id(head, "msg", output.len()), "completed", &json!([part])));
    for call in &plan.calls {
        output.push(called(&item_id(head, "fc", output.len()), call, "completed"));
    }
    let status = if plan.finish == Finish::Length { "incomplete" } else { "completed" };
    response(head, &output, status)
}

fn item_id(head: &Head, kind: &str, index: usize) -> String {
    format!("{kind}_stub_{}_{index}", head.number)
}

fn reasoning(id: &str, text: &str) -> Value {
    let part = json!({"type": "summary_text", "text": text});
    json!({"id": id, "type": "reasoning", "summary": [part], "encrypted_content": null})
}

fn text_part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": []})
}

fn message(id: &str, status: &str, content: &Value) -> Value {
    json!({"id": id, "type": "message", "status": status, "role": "assistant", "content": content})
}

fn called(id: &str, call: &Call, status: &str) -> Value {
    let [kind, member] =
        if call.is_custom { ["custom_tool_call", "input"] } else { ["function_call", "arguments"] };
    let mut item = json!({
        "id": id, "type": kind, "status": status, "call_id": call.id, "name": call.name,
        member: call.text(),
    });
    if let (Some(item), Some(namespace)) = (item.as_object_mut(), &call.namespace) {
        item.insert("namespace".to_owned(), namespace.as_str().into());
    }
    item
}

fn response(head: &Head, output: &[Value], status: &str) -> Value {
    let [read, said] = TOKENS;
    let incomplete = (status == "incomplete").then(|| json!({"reason": "max_output_tokens"}));
    let usage = (status != "in_progress").then(|| {
        json!({
            "input_tokens": read, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": said,
            "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": read + said,
        })
    });
    json!({
        "id": format!("resp_stub_{}", head.number), "object": "response", "created_at": 0,
        "model": head.model, "status": status, "output": output, "usage": usage,
        "incomplete_details": incomplete, "error": null, "instructions": null, "metadata": {},
        "parallel_tool_calls": true, "temperature": 1, "tool_choice": "auto", "tools": [], "top_p": 1,
    })
}
