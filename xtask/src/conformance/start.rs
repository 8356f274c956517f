//! The installation and the start of a subject.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::subject::{Side, Start, Subject};
use crate::interop::case::{Peer, Role};
use crate::interop::install;
use crate::interop::layout::Layout;
use crate::interop::recipes::{self, Recipes};

/// Makes a subject ready to run, and returns the package that it is.
pub(super) fn prepare(
    subject: &Subject,
    layout: &Layout,
    recipes: Option<&Recipes>,
) -> anyhow::Result<String> {
    match subject.start {
        Start::Never(reason) => bail!("{reason}"),
        Start::Example(..) => Ok(format!("this project {}", env!("CARGO_PKG_VERSION"))),
        Start::Sdk(peer) => {
            install::peer(peer, layout)?;
            package(peer, layout)
        }
        Start::Real(name) => {
            let recipes = recipes.with_context(|| format!("{} is not set", recipes::VARIABLE))?;
            recipes.install(name, layout)?;
            Ok(recipes.package(name))
        }
    }
}

/// Returns the words that start it, for a check of a version in this folder.
pub(super) fn words(
    subject: &Subject,
    protocol: u8,
    layout: &Layout,
    folder: &Path,
) -> anyhow::Result<Vec<OsString>> {
    let words = match subject.start {
        Start::Never(reason) => bail!("{reason}"),
        Start::Example(name, args) => {
            let (folder, protocol) = (folder.display().to_string(), protocol.to_string());
            let args = args
                .iter()
                .map(|arg| arg.replace("{folder}", &folder).replace("{protocol}", &protocol).into());
            std::iter::once(layout.our_binary(name).into()).chain(args).collect()
        }
        Start::Sdk(peer) => {
            let role = if subject.side == Side::Agent { Role::Agent } else { Role::Client };
            let program = peer.program(layout, role);
            let mut words: Vec<OsString> = vec![program.get_program().into()];
            words.extend(program.get_args().map(OsString::from));
            if subject.side == Side::Client {
                words.extend(
                    [scenario(protocol, folder).to_string(), "--".into(), "{agent}".into()]
                        .map(OsString::from),
                );
            }
            words
        }
        Start::Real(name) => real(name, &layout.installed("lab"))?,
    };
    Ok(words)
}

/// The scenario of a scripted client (`xtask/interop/README.md`).
fn scenario(protocol: u8, folder: &Path) -> Value {
    let turn = json!({"prompt": "{prompt}", "permission": "allow_once"});
    match protocol {
        1 => json!({"cwd": folder, "fs": true, "turns": [turn]}),
        // Version 2 has no files of the client.
        _ => json!({"cwd": folder, "turns": [turn]}),
    }
}

/// Real agents are started without the recipes' scripts: a profile of the checker has their
/// environment.
fn real(name: &str, lab: &Path) -> anyhow::Result<Vec<OsString>> {
    let modules = lab.join("agents").join(name).join("node_modules");
    let node = |program: &str, args: &[&str]| {
        let mut words: Vec<PathBuf> = vec![lab.join("bin/node"), modules.join(".bin").join(program)];
        words.extend(args.iter().map(PathBuf::from));
        words
    };
    let words = match name {
        "gemini" => node("gemini", &["--acp"]),
        "qwen" => node("qwen", &["--acp"]),
        "codex-acp" => node("codex-acp", &[]),
        "claude" => node("claude-agent-acp", &[]),
        "opencode" => vec![native(&modules)?, "acp".into()],
        other => bail!("the start of `{other}` is not known"),
    };
    Ok(words.into_iter().map(OsString::from).collect())
}

/// opencode is a program of its own, in a package for each platform.
fn native(modules: &Path) -> anyhow::Result<PathBuf> {
    let packages = fs::read_dir(modules)?.filter_map(Result::ok).map(|entry| entry.path());
    let is_one = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("opencode-") && path.join("bin/opencode").is_file() && !name.ends_with("-musl")
    };
    let mut found: Vec<PathBuf> = packages.filter(is_one).collect();
    found.sort();
    let first = found.into_iter().find(|path| !path.ends_with("opencode-ai"));
    Ok(first.context("no package of opencode fits this platform")?.join("bin/opencode"))
}

/// The package of an SDK, with the version that is pinned.
fn package(peer: Peer, layout: &Layout) -> anyhow::Result<String> {
    let read =
        |path: PathBuf| fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()));
    match peer {
        Peer::Python => {
            let requirements = read(layout.sources("python").join("requirements.txt"))?;
            let sdk = requirements.lines().find(|line| line.starts_with("agent-client-protocol"));
            let version = sdk.and_then(|line| line.rsplit_once("==")).map_or("", |(_, version)| version);
            Ok(format!("agent-client-protocol {version}"))
        }
        Peer::RustSdk | Peer::RustSdkV2 | Peer::RustSdkProxies => {
            let manifest: toml::Value =
                toml::from_str(&read(layout.sources("rust-sdk-peer").join("Cargo.toml"))?)?;
            let version = manifest["dependencies"]["agent-client-protocol"]["version"].as_str();
            Ok(format!("agent-client-protocol {}", version.unwrap_or_default().trim_start_matches('=')))
        }
        Peer::TypeScript | Peer::TypeScriptMcp | Peer::TypeScriptExample | Peer::TypeScriptV2 => {
            let manifest: Value =
                serde_json::from_str(&read(layout.sources("typescript").join("package.json"))?)?;
            let key = if peer == Peer::TypeScriptExample {
                "sdk-with-examples"
            } else {
                "@agentclientprotocol/sdk"
            };
            let version = manifest["dependencies"][key].as_str().unwrap_or_default();
            let version = version.rsplit('@').next().unwrap_or_default();
            Ok(format!("@agentclientprotocol/sdk {version}"))
        }
    }
}

/// The program that runs the check: without a network for a real agent.
pub(super) fn checker(
    subject: &Subject,
    layout: &Layout,
    recipes: Option<&Recipes>,
) -> anyhow::Result<Command> {
    let acp = layout.our_binary("acp");
    Ok(match subject.start {
        Start::Real(_) => {
            let recipes = recipes.with_context(|| format!("{} is not set", recipes::VARIABLE))?;
            let mut offline = recipes.offline(acp);
            let mut path = vec![layout.installed("lab").join("bin")];
            path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
            // An agent may refuse to run as root outside of a sandbox.
            offline.env("PATH", std::env::join_paths(path)?).env("IS_SANDBOX", "1");
            offline
        }
        _ => Command::new(acp),
    })
}
