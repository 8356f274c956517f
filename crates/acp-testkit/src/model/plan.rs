//! The answer that the model gives: decided by the conversation.

use super::answer::{Call, Finish, Plan};
use super::arguments;
use super::conversation::{Conversation, Item, Tool};
use super::directive::{self, Directive, Wish};
use super::profile::Profile;

const HELLO: &str = "Hello from the model stub.";
const NO_TOOL: &str = "There is no such tool.";

impl Plan {
    /// Decides by the directives of the user's last words that have any. Each answer consumes one
    /// directive that calls tools; the results of tools show how many were consumed.
    pub(super) fn of(conversation: &Conversation, profile: &Profile, mut id: impl FnMut() -> String) -> Self {
        let mut plan = Plan { text: HELLO.to_owned(), ..Self::default() };
        if let Some(form) = &conversation.form {
            plan.text = arguments::least(form, "").to_string();
            return plan;
        }
        let directed = conversation.items.iter().enumerate().rev().find_map(|(at, item)| match item {
            Item::User(text) => Some((at, directive::of(text))).filter(|(_, found)| !found.is_empty()),
            _ => None,
        });
        let Some((at, directives)) = directed else { return plan };
        let behind = conversation.items.iter().skip(at + 1);
        let mut done = behind.filter(|item| **item == Item::Result).count();
        for directive in directives {
            match directive {
                Directive::Calls(_) if conversation.tools.is_empty() || !plan.calls.is_empty() => {}
                Directive::Calls(wishes) => {
                    let found = |wish| Some((wish, find(wish, &conversation.tools, profile)?));
                    let calls: Vec<_> = wishes.iter().filter_map(found).collect();
                    // A tool that is not there has no result.
                    if calls.is_empty() {
                        plan.text = NO_TOOL.to_owned();
                    } else if done >= calls.len() {
                        done -= calls.len();
                    } else {
                        plan.call(calls, profile, &mut id);
                    }
                }
                Directive::Text(text) => plan.text = text,
                Directive::Think(text) => plan.thought = text,
                Directive::Slow(time) => plan.slow = time,
                Directive::Hang(time) => plan.hang = time,
                Directive::Length => plan.finish = Finish::Length,
                Directive::Refuse => plan.finish = Finish::Refusal,
                Directive::Error(status) => plan.error = Some(status),
                Directive::Drop => plan.drops = true,
            }
        }
        if let Some(call) = plan.calls.first() {
            // The words and the end come behind the last call.
            let text = format!("I call {}.", call.name);
            let (thought, calls, error) = (plan.thought, plan.calls, plan.error);
            return Plan { thought, text, calls, finish: Finish::Calls, error, ..Self::default() };
        }
        if plan.finish == Finish::Refusal {
            plan.text.clear();
        }
        plan
    }

    fn call(&mut self, calls: Vec<(&Wish, Tool)>, profile: &Profile, id: &mut impl FnMut() -> String) {
        for (wish, tool) in calls {
            let arguments = match wish {
                Wish::Tool(_, text) if tool.is_custom => text.as_str().into(),
                Wish::Tool(_, text) if text.is_empty() => serde_json::json!({}),
                // Arguments that are not JSON are free text: the agent sees what it gets.
                Wish::Tool(_, text) => serde_json::from_str(text).unwrap_or_else(|_| text.as_str().into()),
                wish => profile.with_extra(wish, arguments::of(wish, &tool, profile.names())),
            };
            let Tool { name, namespace, is_custom, .. } = tool;
            self.calls.push(Call { id: id(), name, namespace, arguments, is_custom });
        }
    }
}

/// Finds the tool for a wish: by a name of the profile, or one that ends with such a name.
fn find(wish: &Wish, tools: &[Tool], profile: &Profile) -> Option<Tool> {
    let names = match wish {
        Wish::Tool(name, _) => vec![name.as_str()],
        wish => profile.tools(wish),
    };
    let same = names.iter().find_map(|name| tools.iter().find(|tool| tool.is_called(name)));
    let ends = |name: &&str| {
        let name = name.to_lowercase();
        tools.iter().find(move |tool| tool.name.to_lowercase().ends_with(&name))
    };
    same.or_else(|| names.iter().find_map(ends)).cloned().or_else(|| unlisted(wish))
}

/// Returns the tool that a wish names with its namespace, as in `files::read`. An agent may have it
/// although it lists it only when its model searches for tools.
fn unlisted(wish: &Wish) -> Option<Tool> {
    let Wish::Tool(name, _) = wish else { return None };
    let (namespace, name) = name.split_once("::")?;
    let (namespace, name) = (Some(namespace.to_owned()), name.to_owned());
    Some(Tool { name, namespace, schema: serde_json::Value::Null, is_custom: false })
}
