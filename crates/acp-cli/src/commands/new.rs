//! `acp new`: a project for an agent or a client that builds, runs and has a test.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::args::new::{Kind, NewArgs, Source};

/// The repository that a project takes the crates from.
const REPOSITORY: &str = "https://github.com/acp-rs/acp";

/// Names that a package cannot have: those of its dependencies, of the standard library, and words
/// of Rust and cargo.
const TAKEN: &[&str] = &[
    "acp_agent",
    "acp_client",
    "alloc",
    "as",
    "async",
    "await",
    "break",
    "build",
    "const",
    "continue",
    "core",
    "crate",
    "deps",
    "dyn",
    "else",
    "enum",
    "examples",
    "extern",
    "false",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "incremental",
    "let",
    "loop",
    "match",
    "mod",
    "move",
    "mut",
    "proc_macro",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "tokio",
    "trait",
    "true",
    "type",
    "unsafe",
    "use",
    "where",
    "while",
    "abstract",
    "become",
    "box",
    "do",
    "final",
    "macro",
    "override",
    "priv",
    "try",
    "typeof",
    "unsized",
    "virtual",
    "yield",
];

/// The files of a project: where they go, and their text with places for names.
const AGENT: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("../../templates/agent/Cargo.toml.in")),
    (".gitignore", "/target\n"),
    ("README.md", include_str!("../../templates/agent/README.md")),
    ("src/lib.rs", include_str!("../../templates/agent/lib.rs")),
    ("src/main.rs", include_str!("../../templates/agent/main.rs")),
    ("tests/turn.rs", include_str!("../../templates/agent/test.rs")),
];
const CLIENT: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("../../templates/client/Cargo.toml.in")),
    (".gitignore", "/target\n"),
    ("README.md", include_str!("../../templates/client/README.md")),
    ("src/lib.rs", include_str!("../../templates/client/lib.rs")),
    ("src/main.rs", include_str!("../../templates/client/main.rs")),
    ("tests/turn.rs", include_str!("../../templates/client/test.rs")),
];

/// Makes the project in a folder of its name. Returns the next steps.
pub(crate) fn make(args: &NewArgs, at: &Path) -> Result<String, String> {
    let NewArgs { kind, name, source } = args;
    check_name(name)?;
    let folder = at.join(name);
    let workspace =
        if is_in_package(at) { "\n# Not a member of the workspace around it.\n[workspace]\n" } else { "" };
    let values = [
        ("{{name}}", name.clone()),
        ("{{crate}}", name.replace('-', "_")),
        ("{{acp-agent}}", dependency("acp-agent", source)?),
        ("{{acp-client}}", dependency("acp-client", source)?),
        ("{{workspace}}\n", workspace.to_owned()),
    ];
    let files = match kind {
        Kind::Agent => &AGENT,
        Kind::Client => &CLIENT,
    };
    fs::create_dir(&folder).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!("`{name}` is there already: choose another name, or remove it"),
        _ => format!("cannot make the folder `{name}`: {error}"),
    })?;
    for (path, text) in files {
        let text = values.iter().fold((*text).to_owned(), |text, (place, value)| text.replace(place, value));
        let path = folder.join(path);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    let run = match kind {
        Kind::Agent => format!("cargo build\n  acp prompt \"Hello\" -- target/debug/{name}"),
        Kind::Client => "cargo run -- \"Hello\" AGENT".to_owned(),
    };
    Ok(format!("made {name}\n\n  cd {name}\n  cargo test\n  {run}\n"))
}

fn check_name(name: &str) -> Result<(), String> {
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        && name.len() <= 64;
    if !is_plain {
        return Err(format!(
            "`{name}` is not a name for a package: it begins with a letter, and has letters, digits, `-` and `_` only"
        ));
    }
    if TAKEN.contains(&name.to_ascii_lowercase().replace('-', "_").as_str()) {
        return Err(format!(
            "`{name}` is taken, by Rust or by a dependency of the project: choose another name"
        ));
    }
    Ok(())
}

/// The dependency on one of our crates, as `Cargo.toml` has it.
fn dependency(name: &str, source: &Source) -> Result<String, String> {
    let checkout = match source {
        Source::Git => return Ok(format!("{{ git = \"{REPOSITORY}\" }}")),
        Source::Rev(rev) => return Ok(format!("{{ git = \"{REPOSITORY}\", rev = \"{rev}\" }}")),
        Source::Path(checkout) => checkout,
    };
    let path = checkout.join("crates").join(name);
    if !path.join("Cargo.toml").is_file() {
        return Err(format!("`--path {}`: there is no crates/{name} in it", checkout.display()));
    }
    let path = std::path::absolute(&path).map_err(|error| format!("`--path`: {error}"))?;
    let path = path.to_str().ok_or("`--path`: Cargo.toml takes only paths that are text")?;
    if path.contains(char::is_control) {
        return Err("`--path`: Cargo.toml does not take control characters".to_owned());
    }
    Ok(format!("{{ path = \"{}\" }}", path.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// Returns true if cargo would look for a workspace above the project.
fn is_in_package(at: &Path) -> bool {
    let at = std::path::absolute(at).unwrap_or_else(|_| at.to_owned());
    at.ancestors().any(|folder| folder.join("Cargo.toml").is_file())
}
