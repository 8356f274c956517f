//! The settings of the server and of its agents, out of the arguments.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use acp_client::Command;
use acp_http::server::{ListenError, Options, Policy, Principal, Tls};

use crate::args::serve::ServeArgs;
use crate::named::address::{TOKEN, read_tokens};
use crate::named::environment::INHERITED;
use crate::outcome::{Failure, exit, tell_stderr};

/// The time that an agent may take to exit, and once more after it was asked to.
const GRACE: Duration = Duration::from_secs(2);
/// The time beyond that in which a connection must have ended.
const MARGIN: Duration = Duration::from_secs(2);
/// The longest message, in bytes.
const LONGEST: usize = 32 * 1024 * 1024;

/// Returns the longest message in either direction.
pub(super) fn longest(args: &ServeArgs) -> usize {
    args.limits.message.unwrap_or(LONGEST)
}

/// Returns the command of an agent, in a clean environment.
pub(super) fn command(args: &ServeArgs) -> Result<Command, Failure> {
    let found = args.agent.find()?.into_command("a server")?;
    let mut command = found.env_inherit(INHERITED).grace(args.limits.grace.unwrap_or(GRACE));
    for (name, value) in &args.env {
        command = match value {
            Some(value) => command.env(name, value),
            None => command.env_inherit([name]),
        };
    }
    // It opens this server to those who see the environment of an agent.
    command = command.env_remove(TOKEN);
    if let Some(cwd) = &args.cwd {
        command = command.current_dir(cwd);
    }
    Ok(if args.verbose { command.on_stderr(tell_stderr) } else { command })
}

/// Returns the options of the server.
pub(super) fn options(args: &ServeArgs) -> Result<Options, Failure> {
    let mut options = Options::new().path(args.path.clone()).health("/healthz".to_owned());
    if let Some(file) = &args.token_file {
        let tokens = read_tokens(file)?;
        if tokens.is_empty() {
            return Err(format!("`--token-file {}`: there is no token in it", file.display()).into());
        }
        for (number, (name, token)) in (1..).zip(tokens) {
            if args.principal_env.is_some() && name.is_none() {
                // A number would belong to somebody else once the file changes.
                let problem = "`--principal-env` needs a name before each token";
                return Err(format!("`--token-file {}`: {problem}", file.display()).into());
            }
            // A name has no blank, so nobody has this one.
            let name = name.unwrap_or_else(|| format!("token {number}"));
            options = options.token(&token, Principal::new(name));
        }
    }
    if let Some((certificate, key)) = &args.tls {
        let tls = Tls::new(read("tls-cert", certificate)?, read("tls-key", key)?);
        options = options.tls(tls.map_err(|error| format!("`--tls-cert`, `--tls-key`: {error}"))?);
    }
    options = options.policy(policy(args)?);
    options = args.hosts.iter().fold(options, |options, name| options.host(name));
    options = args.origins.iter().fold(options, |options, origin| options.origin(origin));
    options = args.proxies.iter().fold(options, |options, (network, bits)| options.proxy(*network, *bits));
    options = if args.any_host { options.any_host() } else { options };
    options = if args.insecure { options.insecure() } else { options };
    options = if args.open { options.open() } else { options };
    if args.tickets {
        options = options.tickets(format!("{}/ticket", args.path.trim_end_matches('/')));
    }
    if let Some(replica) = &args.replica {
        options = options.replica(replica);
    }
    Ok(limits(options, args))
}

fn limits(options: Options, args: &ServeArgs) -> Options {
    let limits = &args.limits;
    let options = given(options, limits.connections, Options::connections);
    let options = given(options, limits.per_principal, Options::connections_per_principal);
    let options = given(options, limits.per_address, Options::connections_per_address);
    let options = given(options, limits.message, Options::message);
    let options = given(options, limits.buffer, Options::buffer);
    let options = given(options, limits.initialize, Options::initialize_time);
    let options = given(options, limits.idle, Options::idle_time);
    let grace = limits.grace.unwrap_or(GRACE);
    options.end_time(grace.saturating_mul(2).saturating_add(MARGIN))
}

/// Sets a value, if it is given.
fn given<T>(options: Options, value: Option<T>, set: impl FnOnce(Options, T) -> Options) -> Options {
    match value {
        Some(value) => set(options, value),
        None => options,
    }
}

/// Returns the folders and commands that clients may choose.
fn policy(args: &ServeArgs) -> Result<Policy, Failure> {
    let own = [args.cwd.clone().unwrap_or_else(|| ".".into())];
    let roots = if args.roots.is_empty() { own.as_slice() } else { &args.roots };
    let mut policy = Policy::new();
    for root in roots {
        policy = policy.root(root).map_err(|error| format!("`--root {}`: {error}", root.display()))?;
    }
    Ok(if args.allow_commands { policy.allow_commands() } else { policy })
}

fn read(option: &str, file: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(file).map_err(|error| format!("`--{option} {}`: {error}", file.display()).into())
}

/// Returns the exit code of a server that does not listen, and the sentence for the user.
pub(super) fn explain(error: &ListenError, address: SocketAddr) -> (u8, String) {
    let beyond = format!("`--listen {address}` is beyond this machine");
    match error {
        ListenError::Insecure => {
            let way = "give `--tls-cert` and `--tls-key`, listen on 127.0.0.1 behind a proxy that has TLS, or allow it \
                       with `--insecure`";
            (exit::USAGE, format!("{beyond}, and there is no TLS: {way}"))
        }
        ListenError::Open => {
            let way = "give `--token-file`, or let everybody in with `--open`";
            (exit::USAGE, format!("{beyond}, and nobody needs a token: {way}"))
        }
        ListenError::Hosts => {
            let way = "name it with `--host`, or take any name with `--any-host`";
            (exit::USAGE, format!("{beyond}, and the server has no name: {way}"))
        }
        error => (exit::ERROR, format!("`--listen {address}`: {error}")),
    }
}
