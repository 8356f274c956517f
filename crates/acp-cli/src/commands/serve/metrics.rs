//! Numbers of a server and its agents, in the OpenMetrics text format.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use acp_http::server::Counts;

/// Numbers that the server itself does not have.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    pub(super) running: Number,
    pub(super) waiting: Number,
    pub(super) started: Number,
    pub(super) not_started: Number,
    pub(super) failed: Number,
    pub(super) to_agents: Number,
    pub(super) to_clients: Number,
    pub(super) skipped: Number,
}

/// A number that several tasks change.
#[derive(Debug, Default)]
pub(super) struct Number(AtomicU64);

impl Number {
    pub(super) fn add(&self, count: usize) {
        self.0.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(super) fn set(&self, count: usize) {
        self.0.store(count as u64, Ordering::Relaxed);
    }

    /// Counts one until the guard is dropped.
    pub(super) fn held(&self) -> Held<'_> {
        self.add(1);
        Held(self)
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// One of a number, as long as it lives.
pub(super) struct Held<'a>(&'a Number);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Returns the text.
    pub(super) fn text(&self, server: Counts) -> String {
        let mut text = Text(String::with_capacity(4096));
        text.family("acp_build", "info", "The program that serves.");
        text.sample("acp_build_info", &format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION")), 1);
        text.gauge("acp_connections", "Connections, each with its agent.", server.connections as u64);
        let help = "Connections that are not initialized yet.";
        text.gauge("acp_connections_uninitialized", help, server.uninitialized as u64);
        text.counter("acp_connections_opened", "Connections that were opened.", server.opened);
        let help = "Connections that were refused, because of a limit or a shutdown.";
        text.counter("acp_connections_refused", help, server.refused);
        let help = "Requests without a token that is known.";
        text.counter("acp_requests_unauthorized", help, server.unauthorized);
        text.gauge("acp_agents_running", "Processes that serve a connection.", self.running.get());
        text.gauge("acp_agents_waiting", "Processes that wait for a connection.", self.waiting.get());
        text.counter("acp_agents_started", "Processes that were started.", self.started.get());
        text.counter(
            "acp_agents_not_started",
            "Processes that could not be started.",
            self.not_started.get(),
        );
        let help = "Processes that ended before their client did, and not with status 0.";
        text.counter("acp_agents_failed", help, self.failed.get());
        text.family("acp_passed_bytes", "counter", "Bytes of messages that were passed on.");
        text.line("# UNIT acp_passed_bytes bytes");
        text.sample("acp_passed_bytes_total", "{to=\"agent\"}", self.to_agents.get());
        text.sample("acp_passed_bytes_total", "{to=\"client\"}", self.to_clients.get());
        let help = "Lines of agents that were left out, because they are not UTF-8.";
        text.counter("acp_lines_skipped", help, self.skipped.get());
        text.line("# EOF");
        text.0
    }
}

/// The text so far.
struct Text(String);

impl Text {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// Begins a family. The help has no character that would have to be escaped.
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // It is written into memory.
        let _ = writeln!(self.0, "# TYPE {name} {kind}\n# HELP {name} {help}");
    }

    fn sample(&mut self, name: &str, labels: &str, value: u64) {
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    fn gauge(&mut self, name: &str, help: &str, value: u64) {
        self.family(name, "gauge", help);
        self.sample(name, "", value);
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.family(name, "counter", help);
        self.sample(&format!("{name}_total"), "", value);
    }
}
