//! The command line of `cargo xtask interop`.

use anyhow::bail;

use super::selection::Selection;

pub(super) const HELP: &str = "\
cargo xtask interop [options]

Runs our client against agents, and our agents against clients, that are built on other SDKs. What is missing
is installed from npm, PyPI and crates.io into the git-ignored folder .interop. If the environment variable ACP_PEERS
names a folder of recipes for real agents, our client is tried with those, too.

  --only <text>  run the cases whose line contains the text (may be given more than once)
  --list         list the cases and stop
  --controls     run the other SDKs against themselves too: such a failure is not ours
  --keep-logs    keep wire.ndjson, stdout and stderr of passed cases in .interop/logs (failed ones are kept)
  --write        put what came of it into xtask/interop/results.json and docs/INTEROP.md; what was not run, or
                 could not be, stays there as it was
  --require      a peer that cannot be installed is a failure instead of a skip";

#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) selection: Selection,
    pub(super) list: bool,
    pub(super) controls: bool,
    pub(super) keep_logs: bool,
    pub(super) require: bool,
    pub(super) help: bool,
}

impl Options {
    pub(super) fn parse(args: &[String]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--list" => options.list = true,
                "--controls" => options.controls = true,
                "--keep-logs" => options.keep_logs = true,
                "--require" => options.require = true,
                "--help" | "-h" => options.help = true,
                _ if options.selection.take(arg, &mut args)? => {}
                unknown => bail!("unknown option `{unknown}`\n\n{HELP}"),
            }
        }
        Ok(options)
    }
}
