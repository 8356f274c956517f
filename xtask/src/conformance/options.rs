//! The command line of `cargo xtask conformance`.

use anyhow::{Context as _, bail};

pub(super) const HELP: &str = "\
cargo xtask conformance [options]

Runs `acp check` against our examples, against agents and clients that are built on other SDKs, and against real agents if
the environment variable ACP_PEERS names a folder of recipes for them. Writes docs/CONFORMANCE.md and docs/conformance/.
Failures of others are printed once xtask/conformance/verified.toml names them.

  --only <text>  check the subjects whose line contains the text (may be given more than once); the others keep their
                 last result
  --again        check nobody, and take the results from the reports of the last run, in .interop/logs/conformance
  --list         list the subjects and stop
  --render       check nobody, and write the page from docs/conformance/results.json";

#[derive(Debug, Default)]
pub(super) struct Options {
    only: Vec<String>,
    pub(super) again: bool,
    pub(super) list: bool,
    pub(super) render: bool,
    pub(super) help: bool,
}

impl Options {
    pub(super) fn parse(args: &[String]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--only" => {
                    options.only.push(args.next().context("--only needs the text to look for")?.clone())
                }
                "--again" => options.again = true,
                "--list" => options.list = true,
                "--render" => options.render = true,
                "--help" | "-h" => options.help = true,
                unknown => bail!("unknown option `{unknown}`\n\n{HELP}"),
            }
        }
        Ok(options)
    }

    pub(super) fn wants(&self, line: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| line.contains(text.as_str()))
    }
}
