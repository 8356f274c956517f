//! Lines without their secrets.

use std::borrow::Cow;
use std::sync::Arc;

use acp_json::Node;

const HIDDEN: &str = "[redacted]";
/// Lists of pairs, or objects, whose names may be seen but not their values.
const PAIRS: [&str; 3] = ["env", "environment", "headers"];
/// The ends of names of members, flags and pairs that stand before a secret.
const SECRETS: [&str; 18] = [
    "accesskey",
    "accesskeys",
    "apikey",
    "apikeys",
    "authorization",
    "bearer",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "privatekey",
    "secret",
    "secrets",
    "token",
];
/// Often a number of tokens, which is not a secret.
const COUNTED: &str = "tokens";

/// Takes secrets out of messages: it puts `[redacted]` in their place and leaves everything else as
/// it is.
///
/// It hides, at any depth:
///
/// * the values in `env`, `environment` and `headers`, both in objects and in lists of `{name,
///   value}`; the names stay;
/// * the text and numbers in members whose names end like `token`, `secret`, `password`,
///   `passphrase`, `apiKey`, `accessKey`, `privateKey`, `authorization`, `bearer`, `cookie` or
///   `credential`, also in the plural. Case, `-` and `_` do not matter: `access_token` is one. A
///   number in `…tokens` stays, because it counts them;
/// * the `value` of an object whose `name` ends like that;
/// * in a list of arguments, the value of a flag whose name ends like that: `--token x`,
///   `--api-key=x`.
///
/// Text is not searched: a secret in a prompt, a file or a URL is not found. [`name`](Self::name)
/// and [`pointer`](Self::pointer) add rules.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    names: Arc<[Box<str>]>,
    /// The steps of each pointer.
    pointers: Arc<[Vec<String>]>,
}

impl Redaction {
    /// Also hides the values of members with this name. Case, `-` and `_` do not matter.
    #[must_use]
    pub fn name(mut self, name: impl Into<Box<str>>) -> Self {
        self.names = self.names.iter().cloned().chain([name.into()]).collect();
        self
    }

    /// Also hides all text and numbers at a JSON pointer, such as `/params/prompt/*/text`. It
    /// begins at the value that is redacted, which is a whole message in a recording. A step `*`
    /// stands for every item of a list and every member of an object.
    #[must_use]
    pub fn pointer(mut self, pointer: &str) -> Self {
        let step = |step: &str| step.replace("~1", "/").replace("~0", "~");
        let steps = pointer.split('/').skip(1).map(step).collect();
        self.pointers = self.pointers.iter().cloned().chain([steps]).collect();
        self
    }

    /// Hides the secrets in a value.
    pub fn apply(&self, node: &mut Node<'_>) {
        self.pointers.iter().for_each(|steps| hide_at(node, steps));
        self.hide_named(node);
    }

    fn hide_named(&self, node: &mut Node<'_>) {
        match node {
            Node::Seq(items) => {
                self.hide_flags(items);
                items.iter_mut().for_each(|item| self.hide_named(item));
            }
            Node::Map(members) => {
                let is_pair = members.iter().any(|(name, value)| {
                    name == "name" && value.as_str().is_some_and(|name| self.is_secret(name))
                });
                for (name, value) in members {
                    if PAIRS.iter().any(|pairs| is_like(name, pairs)) {
                        hide_values(value);
                    } else if self.is_secret(name) || (is_pair && name == "value") {
                        hide(value, !ends_like(name, COUNTED));
                    } else {
                        self.hide_named(value);
                    }
                }
            }
            Node::Null
            | Node::Bool(_)
            | Node::U64(_)
            | Node::I64(_)
            | Node::F64(_)
            | Node::Exact(_)
            | Node::Str(_) => {}
        }
    }

    /// Returns one line with its secrets hidden, written anew, or `None` if it is not JSON.
    #[must_use]
    pub fn line(&self, line: &[u8]) -> Option<Vec<u8>> {
        let mut node = acp_json::parse_slice(line).ok()?;
        self.apply(&mut node);
        serde_json::to_vec(&node).ok()
    }

    fn is_secret(&self, name: &str) -> bool {
        SECRETS.iter().chain([&COUNTED]).any(|secret| ends_like(name, secret))
            || self.names.iter().any(|own| is_like(name, own))
    }

    /// Hides the values of flags whose names end like a secret's.
    fn hide_flags(&self, items: &mut [Node<'_>]) {
        let mut is_next = false;
        for item in items {
            let Node::Str(text) = item else {
                is_next = false;
                continue;
            };
            if std::mem::take(&mut is_next) {
                *text = Cow::Borrowed(HIDDEN);
            } else if text.starts_with('-') {
                match text.split_once('=') {
                    Some((flag, _)) if self.is_secret(flag) => *text = Cow::Owned(format!("{flag}={HIDDEN}")),
                    Some(_) => {}
                    None => is_next = self.is_secret(text),
                }
            }
        }
    }
}

/// Hides the values at the end of these steps.
fn hide_at(node: &mut Node<'_>, steps: &[String]) {
    let Some((step, rest)) = steps.split_first() else { return hide(node, true) };
    match node {
        Node::Seq(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                if step == "*" || step.parse() == Ok(at) {
                    hide_at(item, rest);
                }
            }
        }
        Node::Map(members) => {
            for (name, value) in members {
                if step == "*" || step == name {
                    hide_at(value, rest);
                }
            }
        }
        _ => {}
    }
}

/// Hides values that stand beside names.
fn hide_values(node: &mut Node<'_>) {
    let Node::Seq(items) = node else { return hide(node, true) };
    for item in items {
        match item {
            Node::Map(members) => {
                let values = members.iter_mut().filter(|(name, _)| name != "name");
                values.for_each(|(_, value)| hide(value, true));
            }
            other => hide(other, true),
        }
    }
}

/// Hides all text in a value and, if `numbers`, all numbers.
fn hide(node: &mut Node<'_>, numbers: bool) {
    match node {
        Node::Str(_) => *node = Node::Str(Cow::Borrowed(HIDDEN)),
        Node::U64(_) | Node::I64(_) | Node::F64(_) | Node::Exact(_) if numbers => {
            *node = Node::Str(Cow::Borrowed(HIDDEN))
        }
        Node::Seq(items) => items.iter_mut().for_each(|item| hide(item, numbers)),
        Node::Map(members) => members.iter_mut().for_each(|(_, value)| hide(value, numbers)),
        Node::Null | Node::Bool(_) | Node::U64(_) | Node::I64(_) | Node::F64(_) | Node::Exact(_) => {}
    }
}

fn is_like(name: &str, other: &str) -> bool {
    letters_from_end(name).eq(letters_from_end(other))
}

fn ends_like(name: &str, end: &str) -> bool {
    let mut letters = letters_from_end(name);
    letters_from_end(end).all(|letter| letters.next() == Some(letter))
}

fn letters_from_end(name: &str) -> impl Iterator<Item = char> {
    name.chars().rev().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}
