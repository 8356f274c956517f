//! The steps of a script.

use std::time::Duration;

use serde_json::{Value, json};

use super::file::Written;
use crate::script::Garble;

/// A step and its place in the file.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    /// The line, from 1.
    pub(super) line: usize,
    pub(super) step: Step,
}

/// A result, or an error object.
pub(super) type Outcome = Result<Value, Value>;

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Takes the next message, a call.
    Expect {
        call: Call,
        optional: bool,
    },
    /// Takes the next call of this kind, and passes over notifications.
    Wait(Call),
    /// Answers calls of a method from here on, or passes over them.
    Standing {
        method: String,
        answer: Option<Outcome>,
    },
    /// Sends a request or a notification.
    Send {
        call: Call,
        is_request: bool,
        garble: Option<Garble>,
    },
    /// Answers a request: the named one, or the last one that is open.
    Answer {
        answer: Outcome,
        to: Option<String>,
        garble: Option<Garble>,
    },
    /// Takes the answer to a request of this side: the named one, or the oldest.
    Result {
        expected: Outcome,
        of: Option<String>,
    },
    Raw(String),
    Delay(Duration),
    Patience(Duration),
    Close,
    End,
}

/// A method with params, and a name for the request's id.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) method: String,
    pub(super) params: Option<Value>,
    pub(super) name: Option<String>,
}

impl Step {
    /// Reads a step. The error is a sentence.
    pub(super) fn read(written: Written) -> Result<Self, String> {
        let kind = kind(&written)?;
        fitting(&written, kind)?;
        let Written { params, name, to, of, garble, .. } = written;
        let call = |method| Call { method, params, name };
        let answer = match (written.answer, written.fail) {
            (Some(result), _) => Some(Ok(result)),
            (None, Some(error)) => Some(Err(error)),
            (None, None) => None,
        };
        let expected = match (written.result, written.error) {
            (Some(result), _) => Some(Ok(result)),
            (None, Some(code @ Value::Number(_))) => Some(Err(json!({"code": code}))),
            (None, Some(error)) => Some(Err(error)),
            (None, None) => None,
        };
        if let Some(method) = written.expect {
            return Ok(Step::Expect { call: call(method), optional: written.optional == Some(true) });
        }
        if let Some(method) = written.wait {
            return Ok(Step::Wait(call(method)));
        }
        if let Some(method) = written.standing {
            return Ok(Step::Standing { method, answer });
        }
        if let Some(method) = written.request {
            return Ok(Step::Send { call: call(method), is_request: true, garble });
        }
        if let Some(method) = written.notify {
            return Ok(Step::Send { call: call(method), is_request: false, garble });
        }
        if let Some(answer) = answer {
            return Ok(Step::Answer { answer, to, garble });
        }
        if let Some(expected) = expected {
            return Ok(Step::Result { expected, of });
        }
        if let Some(text) = written.raw {
            return Ok(Step::Raw(text));
        }
        if let Some(delay) = written.delay {
            return Ok(Step::Delay(seconds(delay)?));
        }
        if let Some(patience) = written.patience {
            return Ok(Step::Patience(seconds(patience)?));
        }
        Ok(if kind == "close" { Step::Close } else { Step::End })
    }
}

/// Returns the member that says what the step does.
fn kind(written: &Written) -> Result<&'static str, String> {
    let standing = written.standing.is_some();
    let kinds = [
        ("expect", written.expect.is_some()),
        ("wait", written.wait.is_some()),
        ("standing", standing),
        ("request", written.request.is_some()),
        ("notify", written.notify.is_some()),
        // These two belong to a standing answer.
        ("answer", written.answer.is_some() && !standing),
        ("fail", written.fail.is_some() && !standing),
        ("result", written.result.is_some()),
        ("error", written.error.is_some()),
        ("raw", written.raw.is_some()),
        ("delay", written.delay.is_some()),
        ("patience", written.patience.is_some()),
        ("close", written.close == Some(true)),
        ("end", written.end == Some(true)),
    ];
    let mut found = kinds.into_iter().filter(|(_, is)| *is).map(|(kind, _)| kind);
    match (found.next(), found.next()) {
        (Some(kind), None) => Ok(kind),
        (Some(one), Some(other)) => Err(format!("a step does one thing: `{one}` or `{other}`")),
        (None, _) => Err("a step needs one of expect, wait, standing, request, notify, answer, fail, \
                          result, error, raw, delay, patience, close, end"
            .to_owned()),
    }
}

/// Refuses members that mean nothing for a step of this kind.
fn fitting(written: &Written, kind: &str) -> Result<(), String> {
    let members: [(&str, bool, &[&str]); 6] = [
        ("params", written.params.is_some(), &["expect", "wait", "request", "notify"]),
        ("as", written.name.is_some(), &["expect", "wait", "request"]),
        ("to", written.to.is_some(), &["answer", "fail"]),
        ("of", written.of.is_some(), &["result", "error"]),
        ("optional", written.optional.is_some(), &["expect"]),
        ("garble", written.garble.is_some(), &["request", "notify", "answer", "fail"]),
    ];
    match members.iter().find(|(_, is, kinds)| *is && !kinds.contains(&kind)) {
        Some((member, _, kinds)) => {
            let kinds = kinds.iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ");
            Err(format!("`{member}` belongs to {kinds}, not to `{kind}`"))
        }
        None if written.answer.is_some() && written.fail.is_some() => {
            Err("a step does one thing: `answer` or `fail`".to_owned())
        }
        None => Ok(()),
    }
}

fn seconds(seconds: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(seconds).map_err(|_| "the time must be a number of seconds".to_owned())
}
