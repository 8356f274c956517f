//! The arguments of `acp inspect`.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::args::agent;
use crate::args::prompt::option;
use crate::args::value::{self, Protocol};
use crate::named::Named;

#[derive(Debug)]
pub(crate) struct InspectArgs {
    pub(crate) listen: SocketAddr,
    pub(crate) source: Source,
}

/// The connection to show.
#[derive(Debug)]
pub(crate) enum Source {
    Recording(PathBuf),
    /// An agent whose client has the stdio of this program.
    Agent(Named),
    /// An agent whose client is the page.
    Driven(Named, Protocol),
}

const NOTES: &str = "\
It prints the address of a page on stderr. The address has a token that is good once: who opens it first sees the
connection, and nobody else. The page is for this machine only. It shows messages with their keys and tokens.

With an agent it stands between an editor and the agent, as `acp tap` does: bytes, stderr, signals and the exit status
pass unchanged. It ends with the agent. With a recording it ends on Ctrl-C.

With `--drive` the page is the client, instead of an editor. A person opens sessions in this folder, prompts, answers
questions for permission, cancels, and sends messages of their own. It offers the agent no files and no terminals: the
agent uses its own. It ends on Ctrl-C.

Example:
  acp inspect turn.ndjson
  acp inspect -- my-agent --acp
  acp inspect --drive -- my-agent --acp

exit status:
  of an agent: as `acp tap`   of a recording: 1 it cannot be read   130 it was stopped
  with `--drive`: 1 the agent cannot be started   130 it was stopped
  2 usage";

pub(super) const ABOUT: &str = "Shows a recorded or a running connection as a page in the browser";

/// Adds the arguments to the command.
pub(super) fn define(command: Command) -> Command {
    let command = command
        .override_usage(
            "acp inspect [OPTIONS] RECORDING\n       acp inspect [OPTIONS] -- AGENT [ARGS…]\n       \
             acp inspect [OPTIONS] --agent ID|FILE\n       acp inspect [OPTIONS] --url URL\n       \
             acp inspect [OPTIONS] --drive -- AGENT [ARGS…]",
        )
        .after_help(NOTES)
        .arg(
            Arg::new("recording")
                .value_name("RECORDING")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with_all(["agent", "command", "url"])
                .help("a recording, such as one of `acp tap`"),
        )
        .arg(
            Arg::new("drive")
                .long("drive")
                .action(ArgAction::SetTrue)
                .conflicts_with("recording")
                .help("make the page the client of the agent, instead of an editor"),
        )
        .arg(option("protocol", "VERSION", value::protocol).requires("drive").help(
            "with `--drive`: the version of the protocol: 1, 2 (a draft), or auto, which is 2 if the agent speaks it \
             [default: 1]",
        ))
        .arg(option("listen", "ADDRESS", address).help(
            "the address of the page, which must be of the loopback device [default: 127.0.0.1:0, a free port]",
        ));
    agent::define(command)
}

pub(super) fn read(matches: &ArgMatches) -> Result<InspectArgs, String> {
    let listen = matches.get_one::<SocketAddr>("listen").copied();
    let source = match matches.get_one::<PathBuf>("recording").cloned() {
        Some(file) => Source::Recording(file),
        None if agent::is_given(matches) && matches.get_flag("drive") => {
            let protocol = matches.get_one("protocol").copied().unwrap_or_default();
            Source::Driven(agent::read(matches)?, protocol)
        }
        None if agent::is_given(matches) => Source::Agent(agent::read(matches)?),
        None => {
            return Err(
                "the connection is missing: name a RECORDING, or end with `-- AGENT [ARGS…]`".to_owned()
            );
        }
    };
    Ok(InspectArgs { listen: listen.unwrap_or_else(|| (Ipv4Addr::LOCALHOST, 0).into()), source })
}

/// Reads an address of the loopback device.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let address = text.parse::<SocketAddr>().ok().filter(|address| address.ip().is_loopback());
    address.ok_or_else(|| "it must be an address of the loopback device, such as 127.0.0.1:8080".to_owned())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use crate::args::parse;

    #[test]
    fn the_arguments_say_what_is_wrong() {
        for (line, wants) in [
            ("inspect", "the connection is missing"),
            ("inspect --drive", "the connection is missing"),
            ("inspect --drive x", "`[RECORDING]` and `--drive`"),
            ("inspect --protocol 2 -- x", "--drive"),
            ("inspect --drive --protocol 3 -- x", "`--protocol 3`: it must be 1, 2 or auto"),
            ("inspect x -- y", "`[RECORDING]` and `-- AGENT`: one of them is enough"),
            ("inspect x --listen 0.0.0.0:0", "must be an address of the loopback device"),
            ("inspect x --listen example.org:80", "must be an address of the loopback device"),
        ] {
            let error = parse(line.split(' ').map(OsString::from)).unwrap_err();
            assert!(error.contains(wants), "`{line}` gave {error}");
        }
    }
}
