//! Settings of a check of a client.

use std::path::PathBuf;
use std::time::Duration;

use crate::check::never::Never;
use crate::check::version::Version;

/// Settings of a check of a client.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientOptions {
    /// The version of the protocol. Default 1. A client is checked in version 2 if it asks for that
    /// first.
    pub version: Version,
    /// Only these rules, by id. Empty for all.
    pub only: Vec<String>,
    /// The working directory of the client, an absolute path. The checker writes files below it if
    /// the client offers to write. Default: the folder for temporary files.
    pub cwd: PathBuf,
    /// The time that a message of the client may take. Default 10 seconds.
    pub limit: Duration,
    /// The text that the client is made to send as a prompt.
    pub prompt: String,
    /// The text that is written to the client's stdin, with a line end. `{prompt}` in it is the
    /// prompt. Without it the client finds the end of its stdin.
    pub stdin: Option<String>,
    /// True if an interrupt (SIGINT) makes the client cancel its turn.
    pub interrupt: bool,
    /// Things that the client never does. Rules about them do not apply.
    pub never: Vec<Never>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            version: Version::V1,
            only: Vec::new(),
            cwd: std::env::temp_dir(),
            limit: Duration::from_secs(10),
            prompt: "Reply with the word hello.".to_owned(),
            stdin: None,
            interrupt: false,
            never: Vec::new(),
        }
    }
}

impl ClientOptions {
    /// Returns the options as words of a command that repeats the check.
    pub(super) fn shown(&self) -> Vec<String> {
        let usual = Self::default();
        let mut words = Vec::new();
        if self.version != usual.version {
            words.push(format!("--protocol={}", self.version.number()));
        }
        if self.cwd != usual.cwd {
            words.push(format!("--cwd={}", self.cwd.to_string_lossy()));
        }
        if self.prompt != usual.prompt {
            words.push(format!("--prompt={}", self.prompt));
        }
        if self.limit != usual.limit {
            words.push(format!("--timeout={}", self.limit.as_secs_f64()));
        }
        if let Some(text) = &self.stdin {
            words.push(format!("--stdin={text}"));
        }
        if self.interrupt {
            words.push("--interrupt".to_owned());
        }
        words.extend(self.never.iter().map(|never| format!("--never={}", never.name())));
        words
    }
}
