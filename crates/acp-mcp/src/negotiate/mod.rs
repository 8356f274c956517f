//! The negotiation of the version: the rules `mcp-neg-…` as a state machine without I/O or clock.
//!
//! Every known quirk of a server is a row of the tables in `tests/`.

pub(crate) mod dial;
pub(crate) mod drive;
pub(crate) mod era_cache;
mod fault;
#[cfg(test)]
mod tests;

use rmcp::model::ProtocolVersion;

pub(crate) use fault::{Fault, Verdict};

use crate::values::version::{Era, VersionPolicy};

/// The kind of connection to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// One ordered pipe to a process of its own.
    Pipe,
    /// Streamable HTTP, where each message has an exchange of its own.
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "nothing leads there"))]
    Http,
    /// HTTP+SSE of 2024-11-05.
    #[cfg_attr(not(feature = "sse"), allow(dead_code, reason = "nothing leads there"))]
    Sse,
    /// Requests over the ACP connection, which carry only modern versions (rule `acp-mcp-23`).
    #[cfg_attr(not(feature = "over-acp"), allow(dead_code, reason = "nothing leads there"))]
    Acp,
}

/// The two messages that can open a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// `server/discover`.
    Probe,
    /// `initialize`.
    Initialize,
}

/// The outcome of an [`Opening`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Input {
    /// A `DiscoverResult` with these versions.
    Discovered(Vec<ProtocolVersion>),
    /// An `InitializeResult` with this version.
    Initialized(ProtocolVersion),
    /// A result that is neither.
    OtherResult,
    /// A JSON-RPC error.
    Error(Fault),
    /// A failure status of HTTP, with the JSON-RPC error of its body, if it has one.
    Status(u16, Option<Fault>),
    /// The pipe was closed.
    Eof,
    /// The time limit passed without an answer.
    Timeout,
    /// The server was not reached. The driver knows the reason.
    Unreachable,
}

/// The next step of the driver.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// Send this message over the current connection, or over a `fresh` one.
    Send { opening: Opening, version: ProtocolVersion, route: Route, fresh: bool },
    /// Keep waiting: the last input decided nothing.
    Wait,
    /// The two sides agreed.
    Ready { era: Era, version: ProtocolVersion },
    /// The negotiation failed.
    Fail(Failure),
}

/// The reason why the negotiation failed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// No version in common. The server listed these.
    NoCommonVersion(Vec<ProtocolVersion>),
    /// The server is legacy, which the policy does not allow. The text is the evidence.
    Legacy(&'static str),
    /// The server answered `initialize` with a version that is not spoken here.
    Answered {
        asked: ProtocolVersion,
        answered: ProtocolVersion,
    },
    /// The server needs these capabilities of the client.
    MissingCapability(Vec<String>),
    HeaderMismatch,
    /// The server refused `initialize`, or answered with another result.
    Refused(Option<Fault>),
    Status(u16),
    Exited,
    Timeout(Opening),
    Unreachable,
}

#[derive(Clone, Debug, PartialEq)]
enum State {
    Probing,
    Opening(ProtocolVersion),
    Over,
}

/// The negotiation with one server.
#[derive(Debug)]
pub(crate) struct Negotiation {
    /// The versions that may be agreed on, newest first.
    modern: Vec<ProtocolVersion>,
    legacy: Vec<ProtocolVersion>,
    /// The routes that are left to try if the current one is wrong.
    other_routes: Vec<Route>,
    route: Route,
    /// The era that the server had before.
    hint: Option<Era>,
    state: State,
    tried: Vec<ProtocolVersion>,
    /// True when the current process has received a probe, which may have broken it.
    process_was_probed: bool,
    respawned: bool,
    reprobed: bool,
}

impl Negotiation {
    pub(crate) fn new(policy: &VersionPolicy, routes: &[Route], hint: Option<Era>) -> Self {
        let (route, other_routes) =
            routes.split_first().map_or((Route::Pipe, &[][..]), |(first, rest)| (*first, rest));
        Self {
            modern: policy.versions(Era::Modern),
            legacy: if route == Route::Acp { Vec::new() } else { policy.versions(Era::Legacy) },
            other_routes: other_routes.to_vec(),
            route,
            hint,
            state: State::Over,
            tried: Vec::new(),
            process_was_probed: false,
            respawned: false,
            reprobed: false,
        }
    }

    /// Returns every version that may be agreed on, newest first.
    pub(crate) fn versions(&self) -> Vec<ProtocolVersion> {
        self.modern.iter().chain(&self.legacy).cloned().collect()
    }

    /// Returns the first step.
    pub(crate) fn start(&mut self) -> Step {
        // The earlier era decides only the order: `mcp-neg-57`.
        let handshake_first =
            self.route == Route::Sse || self.hint == Some(Era::Legacy) || self.modern.is_empty();
        if handshake_first && !self.legacy.is_empty() {
            return self.initialize("it was one before", true);
        }
        match self.modern.first() {
            Some(version) => self.probe(version.clone(), true),
            None => self.fail(Failure::NoCommonVersion(Vec::new())),
        }
    }

    /// Takes the outcome of `opening`, which may come late, and returns the next step.
    pub(crate) fn on(&mut self, opening: Opening, input: Input) -> Step {
        match (self.state.clone(), opening) {
            (State::Probing, Opening::Probe) => self.on_probe(input),
            (State::Opening(asked), Opening::Initialize) => self.on_initialize(asked, input),
            (State::Opening(_), Opening::Probe) => self.on_late_probe(&input),
            _ => Step::Wait,
        }
    }

    fn on_probe(&mut self, input: Input) -> Step {
        match input {
            Input::Discovered(listed) => self.choose(listed, false),
            Input::Error(fault) => self.on_probe_error(&fault, "it answered `server/discover` with an error"),
            Input::Status(401 | 403 | 408 | 429 | 500.., _) if self.route != Route::Pipe => {
                self.fail_status(&input)
            }
            Input::Status(400.., _) if self.route == Route::Sse => self.on_wrong_route(&input),
            // A body with a JSON-RPC error is an answer of MCP, with any status: `mcp-neg-46`,
            // `-47`.
            Input::Status(_, Some(fault)) => self.on_probe_error(&fault, "it refused `server/discover`"),
            Input::Status(400.., None) => self.initialize("it refused `server/discover`", false),
            Input::Status(..) => self.fail_status(&input),
            Input::Initialized(_) | Input::OtherResult => {
                self.initialize("it answered `server/discover` with something else", false)
            }
            Input::Timeout if self.route == Route::Pipe => {
                self.initialize("it did not answer `server/discover`", false)
            }
            Input::Eof if self.route == Route::Pipe => self.respawn(Failure::Exited),
            Input::Eof | Input::Unreachable => self.fail(Failure::Unreachable),
            Input::Timeout => self.fail(Failure::Timeout(Opening::Probe)),
        }
    }

    fn on_probe_error(&mut self, fault: &Fault, evidence: &'static str) -> Step {
        match fault.verdict() {
            Verdict::Versions(listed) if !listed.is_empty() => self.choose(listed, true),
            // The code of the pre-releases counts only with versions that can be tried.
            Verdict::MaybeVersions(listed) if self.untried(&listed).is_some() => self.choose(listed, true),
            Verdict::MissingCapability(required) => self.fail(Failure::MissingCapability(required)),
            Verdict::HeaderMismatch => self.fail(Failure::HeaderMismatch),
            _ => self.initialize(evidence, false),
        }
    }

    /// Chooses among the versions that the server has listed, in an answer or in a refusal.
    fn choose(&mut self, listed: Vec<ProtocolVersion>, refused: bool) -> Step {
        if !refused && let Some(version) = self.modern.iter().find(|version| listed.contains(version)) {
            return self.ready(Era::Modern, version.clone());
        }
        match self.untried(&listed) {
            Some(version) if Era::of(&version) == Some(Era::Modern) => self.probe(version, false),
            Some(version) => self.initialize_with(version, false),
            // The server refused a version that it lists. The reason may be gone by now.
            None if refused && !self.reprobed => {
                match self.modern.iter().find(|version| listed.contains(version)).cloned() {
                    Some(version) => self.reprobe(Some(version)),
                    None => self.fail(Failure::NoCommonVersion(listed)),
                }
            }
            None => self.fail(Failure::NoCommonVersion(listed)),
        }
    }

    fn on_late_probe(&mut self, input: &Input) -> Step {
        match input {
            Input::Discovered(listed) => match self.modern.iter().find(|version| listed.contains(version)) {
                Some(version) => self.ready(Era::Modern, version.clone()),
                None => Step::Wait,
            },
            // The answer to `initialize` will settle everything else: `mcp-neg-32`.
            _ => Step::Wait,
        }
    }

    fn on_initialize(&mut self, asked: ProtocolVersion, input: Input) -> Step {
        match input {
            Input::Initialized(version) if self.legacy.contains(&version) => self.ready(Era::Legacy, version),
            Input::Initialized(answered) => self.fail(Failure::Answered { asked, answered }),
            Input::Error(fault) => self.on_initialize_error(fault),
            Input::Status(401 | 403 | 408 | 429 | 500.., _) if self.route != Route::Pipe => {
                self.fail_status(&input)
            }
            Input::Status(_, Some(fault)) if !matches!(fault.verdict(), Verdict::Other) => {
                self.on_initialize_error(fault)
            }
            Input::Status(400.., _) => self.on_wrong_route(&input),
            Input::Status(..) => self.fail_status(&input),
            Input::Discovered(_) | Input::OtherResult if self.route == Route::Sse => {
                self.on_wrong_route(&input)
            }
            Input::Discovered(_) | Input::OtherResult => self.fail(Failure::Refused(None)),
            Input::Timeout if self.route == Route::Pipe => {
                self.respawn(Failure::Timeout(Opening::Initialize))
            }
            Input::Timeout => self.fail(Failure::Timeout(Opening::Initialize)),
            Input::Eof if self.route == Route::Pipe => self.respawn(Failure::Exited),
            Input::Eof | Input::Unreachable => self.fail(Failure::Unreachable),
        }
    }

    fn on_initialize_error(&mut self, fault: Fault) -> Step {
        let listed = match fault.verdict() {
            Verdict::Versions(listed) => listed,
            Verdict::MaybeVersions(listed) if self.untried(&listed).is_some() => listed,
            Verdict::MissingCapability(required) => return self.fail(Failure::MissingCapability(required)),
            Verdict::HeaderMismatch => return self.fail(Failure::HeaderMismatch),
            // The server was legacy before, or was never probed: `mcp-neg-56`.
            _ if !self.was_probed() && !self.modern.is_empty() && !self.reprobed => {
                return self.reprobe(None);
            }
            _ => return self.fail(Failure::Refused(Some(fault))),
        };
        // The server is modern: a late probe has bound it to its era. It is probed once more.
        let modern = self.modern.iter().find(|version| listed.contains(version)).cloned();
        let untried = self.untried(&listed).filter(|version| Era::of(version) == Some(Era::Legacy));
        match untried {
            _ if !self.reprobed && (modern.is_some() || listed.is_empty()) && !self.modern.is_empty() => {
                self.reprobe(modern)
            }
            Some(version) => self.initialize_with(version, false),
            None => self.fail(Failure::NoCommonVersion(listed)),
        }
    }

    /// Tries the next route, because the server does not have this transport: `mcp-neg-49`.
    fn on_wrong_route(&mut self, input: &Input) -> Step {
        // Or the server was legacy before and is modern now.
        if self.route == Route::Http && !self.was_probed() && !self.modern.is_empty() {
            return self.reprobe(None);
        }
        let Some(route) = self.other_routes.pop() else {
            return match input {
                Input::Status(_, Some(fault)) => self.fail(Failure::Refused(Some(fault.clone()))),
                Input::Status(..) => self.fail_status(input),
                _ => self.fail(Failure::Refused(None)),
            };
        };
        self.route = route;
        self.tried.clear();
        match self.modern.first() {
            Some(version) if route == Route::Http => self.probe(version.clone(), true),
            _ => self.initialize("it has no streamable HTTP", true),
        }
    }

    /// Starts the process anew, because the probe may have killed it: `mcp-neg-31`.
    fn respawn(&mut self, otherwise: Failure) -> Step {
        if self.respawned || !self.process_was_probed {
            return self.fail(otherwise);
        }
        self.respawned = true;
        if self.legacy.is_empty() && otherwise == Failure::Exited {
            return self.fail(Failure::Legacy("it exited when it was sent `server/discover`"));
        }
        self.initialize("it exited when it was sent `server/discover`", true)
    }

    fn reprobe(&mut self, version: Option<ProtocolVersion>) -> Step {
        self.reprobed = true;
        match version.or_else(|| self.modern.first().cloned()) {
            Some(version) => self.probe(version, false),
            None => self.fail(Failure::NoCommonVersion(Vec::new())),
        }
    }

    fn probe(&mut self, version: ProtocolVersion, fresh: bool) -> Step {
        self.tried.push(version.clone());
        self.state = State::Probing;
        self.process_was_probed = true;
        Step::Send { opening: Opening::Probe, version, route: self.route, fresh }
    }

    fn initialize(&mut self, evidence: &'static str, fresh: bool) -> Step {
        // Always the newest version with a handshake: `mcp-neg-61`.
        match self.legacy.first() {
            Some(version) => self.initialize_with(version.clone(), fresh),
            None => self.fail(Failure::Legacy(evidence)),
        }
    }

    fn initialize_with(&mut self, version: ProtocolVersion, fresh: bool) -> Step {
        self.tried.push(version.clone());
        self.state = State::Opening(version.clone());
        self.process_was_probed &= !fresh;
        Step::Send { opening: Opening::Initialize, version, route: self.route, fresh }
    }

    fn ready(&mut self, era: Era, version: ProtocolVersion) -> Step {
        self.state = State::Over;
        Step::Ready { era, version }
    }

    fn fail(&mut self, failure: Failure) -> Step {
        self.state = State::Over;
        Step::Fail(failure)
    }

    fn fail_status(&mut self, input: &Input) -> Step {
        let Input::Status(status, _) = input else { return self.fail(Failure::Unreachable) };
        self.fail(Failure::Status(*status))
    }

    fn was_probed(&self) -> bool {
        self.tried.iter().any(|version| Era::of(version) == Some(Era::Modern))
    }

    /// Returns the newest version that both sides have and that was not tried yet: `mcp-neg-07`.
    fn untried(&self, listed: &[ProtocolVersion]) -> Option<ProtocolVersion> {
        self.versions().into_iter().find(|version| listed.contains(version) && !self.tried.contains(version))
    }
}
