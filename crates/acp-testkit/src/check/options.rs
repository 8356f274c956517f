//! Settings of a check.

use std::path::PathBuf;
use std::time::Duration;

use super::version::Version;

/// Settings of a check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The version of the protocol. Default 1.
    pub version: Version,
    /// Only these rules, by id. Empty for all.
    pub only: Vec<String>,
    /// The working directory of sessions, an absolute path. Default: the folder for temporary
    /// files.
    pub cwd: PathBuf,
    /// The time that an answer may take. Default 20 seconds.
    pub limit: Duration,
    /// The time that a turn may take. Default 120 seconds.
    pub turn_limit: Duration,
    /// The text of a prompt that is answered with a few words.
    pub prompt: String,
    /// The text of a prompt whose turn lasts until it is cancelled. Without it, a turn that ends
    /// before its cancellation is not a failure.
    pub endless_prompt: Option<String>,
    /// The text of a prompt for which the agent asks for permission before it runs a tool.
    pub permission_prompt: Option<String>,
    /// More prompts, which make the agent show what it can: plans, tools, files, terminals, forms.
    pub more_prompts: Vec<String>,
    /// The id of a method for `authenticate`.
    pub login: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            version: Version::V1,
            only: Vec::new(),
            cwd: std::env::temp_dir(),
            limit: Duration::from_secs(20),
            turn_limit: Duration::from_secs(120),
            prompt: "Reply with the word hello.".to_owned(),
            endless_prompt: None,
            permission_prompt: None,
            more_prompts: Vec::new(),
            login: None,
        }
    }
}
