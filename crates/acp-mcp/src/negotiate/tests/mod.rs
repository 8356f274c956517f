//! Tables of the known behaviour of servers: a row for each rule that binds a client, and for each
//! situation of docs/MCP.md.

mod http;
mod known_era;
mod pipe;
mod policy;

use rmcp::model::ProtocolVersion;
use serde_json::json;

use super::{Failure, Fault, Input, Negotiation, Opening, Route, Step};
use crate::values::version::{Era, VersionPolicy};

const NEW: &str = "2026-07-28";
const OLD: &str = "2025-11-25";

/// A negotiation from its beginning: the inputs, and all steps in one line.
struct Row {
    /// The rules and situations that the row shows.
    shows: &'static str,
    policy: VersionPolicy,
    routes: &'static [Route],
    hint: Option<Era>,
    inputs: Vec<(Opening, Input)>,
    steps: &'static str,
}

fn row(shows: &'static str, inputs: Vec<(Opening, Input)>, steps: &'static str) -> Row {
    Row { shows, policy: VersionPolicy::Auto, routes: &[Route::Pipe], hint: None, inputs, steps }
}

impl Row {
    fn policy(self, policy: VersionPolicy) -> Self {
        Self { policy, ..self }
    }

    fn http(self) -> Self {
        Self { routes: &[Route::Http], ..self }
    }

    fn http_or_sse(self) -> Self {
        Self { routes: &[Route::Http, Route::Sse], ..self }
    }

    fn sse_or_http(self) -> Self {
        Self { routes: &[Route::Sse, Route::Http], ..self }
    }

    fn was(self, era: Era) -> Self {
        Self { hint: Some(era), ..self }
    }

    fn run(&self) -> String {
        let mut negotiation = Negotiation::new(&self.policy, self.routes, self.hint);
        let mut steps = vec![negotiation.start()];
        for (opening, input) in &self.inputs {
            steps.push(negotiation.on(*opening, input.clone()));
        }
        steps.iter().map(shown).collect::<Vec<_>>().join(" > ")
    }
}

fn shown(step: &Step) -> String {
    match step {
        Step::Send { opening, version, route, fresh } => {
            let opening = if *opening == Opening::Probe { "probe" } else { "initialize" };
            let route = match route {
                Route::Pipe => "",
                Route::Http => " http",
                Route::Sse => " sse",
                Route::Acp => " acp",
            };
            let fresh = if *fresh { "!" } else { "" };
            format!("{opening} {version}{route}{fresh}")
        }
        Step::Wait => "wait".to_owned(),
        Step::Ready { era, version } => format!("{era} {version}"),
        Step::Fail(Failure::NoCommonVersion(listed)) => {
            format!(
                "fail: no common version in {:?}",
                listed.iter().map(ProtocolVersion::as_str).collect::<Vec<_>>()
            )
        }
        Step::Fail(Failure::Legacy(_)) => "fail: legacy".to_owned(),
        Step::Fail(Failure::Answered { answered, .. }) => format!("fail: answered {answered}"),
        Step::Fail(Failure::MissingCapability(required)) => format!("fail: needs {required:?}"),
        Step::Fail(Failure::Refused(fault)) => {
            format!("fail: refused {:?}", fault.as_ref().map(|fault| fault.code))
        }
        Step::Fail(failure) => format!("fail: {failure:?}"),
    }
}

fn versions(texts: &[&str]) -> Vec<ProtocolVersion> {
    texts.iter().map(|text| serde_json::from_value(json!(text)).unwrap()).collect()
}

fn version(text: &str) -> ProtocolVersion {
    versions(&[text]).remove(0)
}

fn probe(input: Input) -> (Opening, Input) {
    (Opening::Probe, input)
}

fn init(input: Input) -> (Opening, Input) {
    (Opening::Initialize, input)
}

fn discovered(texts: &[&str]) -> Input {
    Input::Discovered(versions(texts))
}

fn initialized(text: &str) -> Input {
    Input::Initialized(version(text))
}

fn error(code: i32) -> Input {
    Input::Error(Fault::new(code, None))
}

fn fault(code: i32, supported: &[&str]) -> Fault {
    Fault::new(code, Some(json!({ "supported": supported, "requested": NEW })))
}

fn unsupported(code: i32, supported: &[&str]) -> Input {
    Input::Error(fault(code, supported))
}

#[allow(clippy::needless_pass_by_value, reason = "the rows are written where they are checked")]
fn check(rows: Vec<Row>) {
    let wrong: Vec<String> = rows
        .iter()
        .filter(|row| row.run() != row.steps)
        .map(|row| format!("{}\n  is     {}\n  wanted {}", row.shows, row.run(), row.steps))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const BOTH: &[&str] = &[NEW, OLD];
