//! Which cases are run, and whether what came of them is written: the options that all of `cargo
//! xtask interop` has.

use std::slice::Iter;

use anyhow::{Context as _, bail, ensure};

#[derive(Debug, Default)]
pub(super) struct Selection {
    only: Vec<String>,
    pub(super) write: bool,
}

impl Selection {
    /// The whole of a command line that has no other options; `None` when help is wanted.
    pub(super) fn parse(args: &[String], help: &str) -> anyhow::Result<Option<Self>> {
        let mut selection = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--help" | "-h" => return Ok(None),
                _ if selection.take(arg, &mut args)? => {}
                unknown => bail!("unknown option `{unknown}`\n\n{help}"),
            }
        }
        selection.check()?;
        Ok(Some(selection))
    }

    /// Takes an option, with the value that comes after it; says whether it is one of these.
    pub(super) fn take(&mut self, arg: &str, rest: &mut Iter<'_, String>) -> anyhow::Result<bool> {
        match arg {
            "--only" => self.only.push(rest.next().context("--only needs the text to look for")?.clone()),
            "--write" => self.write = true,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Once all options are taken: whether they go together.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        ensure!(
            !self.write || self.only.is_empty(),
            "--write is about all of them, so it does not go with --only"
        );
        Ok(())
    }

    /// Tells whether all cases are run.
    pub(super) fn is_whole(&self) -> bool {
        self.only.is_empty()
    }

    pub(super) fn wants(&self, line: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| line.contains(text.as_str()))
    }
}
