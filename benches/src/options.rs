//! The arguments of a comparison that has parts.

use anyhow::{Result, bail, ensure};
use lexopt::prelude::*;

use crate::report::Report;

/// The choices of the command line.
pub struct Options {
    /// How often each contender gets its turn.
    pub rounds: usize,
    check: bool,
    write: bool,
    parts: Vec<String>,
}

impl Options {
    /// Reads the arguments of this process. `rounds` is the default, and `parts` are the words that
    /// choose among the parts.
    ///
    /// # Errors
    /// An argument is unknown, or its value cannot be read.
    pub fn read(rounds: usize, parts: &[&str]) -> Result<Self> {
        let mut options = Options { rounds, check: false, write: false, parts: Vec::new() };
        let mut arguments = lexopt::Parser::from_env();
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("rounds") => {
                    options.rounds = arguments.value()?.parse::<std::num::NonZero<usize>>()?.get();
                }
                Long("check") => options.check = true,
                Long("write") => options.write = true,
                Value(word) => {
                    let word = word.string()?;
                    ensure!(
                        parts.contains(&word.as_str()),
                        "no part `{word}`; there are {}",
                        parts.join(", ")
                    );
                    options.parts.push(word);
                }
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }

    /// Returns true if the part is to run: it is named, or none is.
    #[must_use]
    pub fn wants(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|word| word == part)
    }

    /// Ends the comparison: prints and writes the report.
    ///
    /// # Errors
    /// A bar is missed and `--check` is there, or the page cannot be written.
    pub fn finish(&self, report: Report) -> Result<()> {
        let missed = report.finish(self.write, self.parts.is_empty())?;
        if self.check && missed > 0 { bail!("{missed} bars missed") } else { Ok(()) }
    }
}
