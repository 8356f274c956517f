//! An act of a person, as the page sends it.

use serde_json::Value;

use super::desk::Desk;
use crate::store::Store;

/// An act of a person.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Open,
    Prompt {
        session: String,
        text: String,
    },
    /// No option is a withdrawn question.
    Answer {
        seq: u64,
        option: Option<String>,
    },
    Cancel {
        session: String,
    },
    Send {
        text: String,
    },
}

impl Act {
    /// Reads an act. The error is a sentence for people.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        let value: Value =
            serde_json::from_slice(body).map_err(|error| format!("the act is not JSON: {error}"))?;
        let text = |name: &str| {
            let text = value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
            text.map(str::to_owned).ok_or_else(|| format!("the act has no `{name}`"))
        };
        let seq =
            || value.get("seq").and_then(Value::as_u64).ok_or_else(|| "the act has no `seq`".to_owned());
        match text("act")?.as_str() {
            "open" => Ok(Self::Open),
            "prompt" => Ok(Self::Prompt { session: text("session")?, text: text("text")? }),
            "answer" => Ok(Self::Answer { seq: seq()?, option: text("option").ok() }),
            "cancel" => Ok(Self::Cancel { session: text("session")? }),
            "send" => Ok(Self::Send { text: text("text")? }),
            _ => Err("`act` must be open, prompt, answer, cancel or send".to_owned()),
        }
    }

    /// Does it. It reads the store, which blocks.
    pub(crate) fn perform(&self, desk: &Desk, store: &Store) -> Result<(), String> {
        match self {
            Self::Open => desk.open(),
            Self::Prompt { session, text } => desk.prompt(session, text),
            Self::Answer { seq, option } => desk.answer(store, *seq, option.as_deref()),
            Self::Cancel { session } => desk.cancel(session),
            Self::Send { text } => desk.send(text),
        }
    }
}
