//! One row of the table: the input, the answers, the reports.

use super::link::{Connection, Link};
use crate::common::Wire;

pub(crate) const NOT_JSON: &str =
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is not valid JSON"}}"#;

pub(crate) struct Row {
    pub(crate) name: String,
    /// Limits of the connection, by name.
    pub(crate) limits: Vec<(&'static str, usize)>,
    talk: Vec<Exchange>,
    faults: Vec<String>,
    /// The last answer and report, of a server (which answers noise) and of a client.
    apart: Option<[(String, String); 2]>,
}

struct Exchange {
    sent: Vec<u8>,
    /// These lines, in this order, and no others before them.
    answers: Vec<String>,
    /// Set if they come only from a side that answers noise.
    is_noise: bool,
}

impl Row {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), limits: Vec::new(), talk: Vec::new(), faults: Vec::new(), apart: None }
    }

    pub(crate) fn limit(mut self, name: &'static str, value: usize) -> Self {
        self.limits.push((name, value));
        self
    }

    /// Sends this and a newline.
    pub(crate) fn send(mut self, sent: impl Into<Vec<u8>>) -> Self {
        self.talk.push(Exchange { sent: sent.into(), answers: Vec::new(), is_noise: false });
        self
    }

    /// Adds an answer to the last line, after its other answers.
    pub(crate) fn gets(mut self, answer: impl Into<String>) -> Self {
        self.talk.last_mut().unwrap().answers.push(answer.into());
        self
    }

    /// Makes the last line noise, which has this answer at most.
    pub(crate) fn noise(mut self, answer: impl Into<String>) -> Self {
        self = self.gets(answer);
        self.talk.last_mut().unwrap().is_noise = true;
        self
    }

    /// Sets answers and reports that differ between the side that answers noise and the side that
    /// does not.
    pub(crate) fn apart(mut self, answers: (String, String), skips: (String, String)) -> Self {
        self.apart = Some([answers, skips]);
        self
    }

    /// Expects `-32700` from a side that answers noise, and a report in any case.
    pub(crate) fn not_json(self, column: usize) -> Self {
        let bytes = self.talk.last().unwrap().sent.len();
        self.noise(NOT_JSON).reports(format!("a line of {bytes} bytes is not JSON (at byte {column})"))
    }

    /// Expects a refusal under this id with `-32600`, and a report.
    pub(crate) fn refused(self, id: &str, message: &str) -> Self {
        let report = format!("refused message {id}: {message}");
        self.gets(error(id, -32600, message)).reports(report)
    }

    pub(crate) fn reports(mut self, fault: impl Into<String>) -> Self {
        self.faults.push(fault.into());
        self
    }

    pub(crate) async fn check(&self, link: Link) {
        let name = &self.name;
        let Connection { mut wire, subject } = link.connect(&self.limits).await;
        for Exchange { sent, answers, is_noise } in &self.talk {
            wire.send(sent).await;
            if *is_noise && !link.answers_noise() {
                continue;
            }
            for answer in answers {
                assert_eq!(&wire.next().await, answer, "{name} ({link:?})");
            }
        }
        let mut reports = self.faults.clone();
        if let Some([answers, skips]) = &self.apart {
            let (answer, report) = if link.answers_noise() { answers } else { skips };
            assert_eq!(&wire.next().await, answer, "{name} ({link:?})");
            reports.push(report.clone());
        }
        // Two requests, one after the other: a surplus answer of a handler may overtake one, but
        // not both.
        for probe in ["probe-1", "probe-2"] {
            self.is_served(probe, &mut wire, link).await;
        }
        let (rest, faults) = subject.end(wire).await;
        assert_eq!(rest, Vec::<String>::new(), "{name} ({link:?}): said too much");
        assert_eq!(faults, reports, "{name} ({link:?}): reports");
    }

    async fn is_served(&self, id: &str, wire: &mut Wire, link: Link) {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"echo","params":[true]}}"#)).await;
        let answer = format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":[true]}}"#);
        assert_eq!(wire.next().await, answer, "{} ({link:?}): served after", self.name);
    }
}

pub(crate) fn ok(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

pub(crate) fn error(id: &str, code: i32, message: &str) -> String {
    let message = message.replace('"', "\\\"");
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}
