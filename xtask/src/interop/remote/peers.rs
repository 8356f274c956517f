//! The servers and clients that talk to each other over a network.

use std::process::Command;

use crate::interop::install;
use crate::interop::layout::Layout;

/// An implementation of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sdk {
    Ours,
    TypeScript,
    OfficialRust,
    Python,
}

pub(super) const SDKS: [Sdk; 4] = [Sdk::Ours, Sdk::TypeScript, Sdk::OfficialRust, Sdk::Python];

/// The way between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    WebSocket,
    Http,
}

pub(super) const WAYS: [Way; 2] = [Way::WebSocket, Way::Http];

impl Way {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::WebSocket => "WebSocket",
            Self::Http => "HTTP",
        }
    }

    /// The argument of clients, and the scheme of the address.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::WebSocket => "ws",
            Self::Http => "http",
        }
    }
}

impl Sdk {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::TypeScript => "TypeScript 2.4.0",
            Self::OfficialRust => "Rust 5.0.0",
            Self::Python => "Python 0.12.1",
        }
    }

    /// Makes both programs ready to run.
    pub(super) fn install(self, layout: &Layout) -> anyhow::Result<()> {
        match self {
            Self::Ours => install::remote(layout),
            Self::TypeScript => install::typescript(layout),
            Self::OfficialRust => install::remote_rust_sdk(layout),
            Self::Python => install::python(layout),
        }
    }

    pub(super) fn server(self, layout: &Layout) -> Command {
        self.program(layout, ["remote_server", "remote-server.mjs", "sdk-remote-server", "remote_server.py"])
    }

    pub(super) fn client(self, layout: &Layout) -> Command {
        self.program(layout, ["remote_client", "remote-client.mjs", "sdk-remote-client", "remote_client.py"])
    }

    fn program(self, layout: &Layout, names: [&str; 4]) -> Command {
        let [ours, typescript, rust_sdk, python] = names;
        let script = |program: std::path::PathBuf, script: std::path::PathBuf| {
            let mut command = Command::new(program);
            command.arg(script);
            command
        };
        match self {
            Self::Ours => Command::new(layout.peer_binary(ours)),
            Self::TypeScript => script("node".into(), layout.installed("npm").join(typescript)),
            Self::OfficialRust => Command::new(layout.peer_binary(rust_sdk)),
            Self::Python => script(layout.python(), layout.sources("python").join(python)),
        }
    }
}
