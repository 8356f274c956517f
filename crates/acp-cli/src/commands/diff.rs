//! `acp diff`: the differences of two recordings.

use std::io::{self, Write};
use std::path::Path;

use acp_client::sanitize::text;
use acp_client::tap::Recording;
use acp_testkit::recordings::{Comparison, Conversation, Normal};

use crate::args::diff::{DiffArgs, DiffOptions};
use crate::outcome::{Failure, exit, tell};

/// Compares, and returns the exit code.
pub(crate) fn run(args: &DiffArgs) -> Result<u8, Failure> {
    let read = |file| read(file, &args.options.normal);
    let (first, second) = match (read(&args.first), read(&args.second)) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(problem), _) | (_, Err(problem)) => {
            tell(&format!("acp: {problem}"));
            return Ok(exit::USAGE);
        }
    };
    let comparison = Comparison::of(&first, &second);
    show(&comparison, &args.options)?;
    Ok(if comparison.is_equal() { exit::DONE } else { exit::ERROR })
}

/// Writes a comparison to stdout.
pub(super) fn show(comparison: &Comparison, options: &DiffOptions) -> io::Result<()> {
    let text = if options.json {
        comparison.to_json().to_string()
    } else {
        text(&comparison.to_string()).into_owned()
    };
    writeln!(io::stdout(), "{text}")
}

/// Reads a recording. The error is a sentence for the user.
pub(super) fn read(file: &Path, normal: &Normal) -> Result<Conversation, String> {
    let named = |problem: String| format!("{}: {problem}", file.display());
    let recording = Recording::open(file).map_err(|error| named(error.to_string()))?;
    Conversation::read(recording, normal).map_err(|error| named(error.to_string()))
}
