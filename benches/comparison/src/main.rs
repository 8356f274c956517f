//! Counts the lines of the programs and puts them, and the programs, into `docs/COMPARISON.md`.
//!
//! `--check` writes nothing and fails when the document is stale.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

/// The programs: the folder of each pair, and its title.
const PROGRAMS: [(&str, &str); 6] = [
    ("agents/echo", "agent: echo"),
    ("agents/edit", "agent: permission and edit"),
    ("agents/persistent", "agent: sessions that survive a restart"),
    ("clients/one_shot", "client: one prompt, with files and permission"),
    ("agents/both", "agent: echo, in both versions"),
    ("clients/one_shot_both", "client: one prompt, in both versions"),
];
const END: &str = "<!-- end -->";

fn main() -> Result<()> {
    let check = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => bail!("usage: compare [--check]"),
    };
    let path = package().join("../../docs/COMPARISON.md");
    let before = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut document = replaced(&before, "table", &table()?)?;
    for (program, _) in PROGRAMS {
        let (_, name) = program.split_once('/').context("a folder and a name")?;
        for sdk in ["ours", "official"] {
            let code = format!("```rust\n{}\n```", source(program, sdk)?.trim_end());
            document = replaced(&document, &format!("{name} {sdk}"), &code)?;
        }
    }
    if check && document != before {
        bail!(
            "docs/COMPARISON.md is stale: run `cargo run --manifest-path benches/comparison/Cargo.toml --bin compare`"
        );
    }
    if document != before {
        std::fs::write(&path, document)?;
    }
    Ok(())
}

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn source(program: &str, sdk: &str) -> Result<String> {
    let path = match (program, sdk) {
        // The example itself.
        ("clients/one_shot", "ours") => package().join("../../examples/src/bin/one_shot_client.rs"),
        // Built for both versions, it is the agent of version 1.
        ("agents/both", "ours") => package().join("agents/echo/ours.rs"),
        _ => package().join(format!("{program}/{sdk}.rs")),
    };
    std::fs::read_to_string(&path).with_context(|| path.display().to_string())
}

fn table() -> Result<String> {
    let mut table = "| program | ours | official Rust SDK | |\n| --- | ---: | ---: | ---: |\n".to_owned();
    for (program, title) in PROGRAMS {
        let [ours, official] = [lines(&source(program, "ours")?), lines(&source(program, "official")?)];
        let times = official as f64 / ours as f64;
        table += &format!("| {title} | {ours} | {official} | {times:.1}x |\n");
    }
    Ok(table.trim_end().to_owned())
}

/// Counts the lines that are neither blank nor a comment.
fn lines(source: &str) -> usize {
    let lines = source.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

/// Returns the document with this text between the marker `<!-- NAME -->` and the next end.
fn replaced(document: &str, name: &str, text: &str) -> Result<String> {
    let marker = format!("<!-- {name} -->\n");
    let start =
        document.find(&marker).with_context(|| format!("there is no marker `{name}`"))? + marker.len();
    let (before, rest) = document.split_at(start);
    let end = rest.find(END).with_context(|| format!("`{name}` has no end"))?;
    Ok(format!("{before}{text}\n{}", &rest[end..]))
}
