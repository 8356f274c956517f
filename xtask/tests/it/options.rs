//! Every public option has a row in a table of its crate that tries it at its extremes.

use std::fs;
use std::path::{Path, PathBuf};

/// Not options: what takes a number because it is about one.
const NONE: &[&str] = &[
    // An error code.
    "Error::new",
    // The framing by itself; connections take `Options::max_line`.
    "Framer::new",
    // It goes to the client as it is, and any is valid.
    "TerminalCommand::output_byte_limit",
];

/// The types of options that are numbers.
const NUMBERS: [&str; 7] = ["Duration", "usize", "u16", "u32", "u64", "f32", "f64"];

#[test]
fn every_option_is_tried_at_its_extremes() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut missing = Vec::new();
    for name in [
        "acp-fs",
        "acp-process",
        "acp-rpc",
        "acp-agent",
        "acp-client",
        "acp-http",
        "acp-mcp",
        "acp-proxy",
        "acp-store-postgres",
    ] {
        let mut sources = Vec::new();
        files(&crates.join(name).join("src"), &mut sources);
        let mut tables = Vec::new();
        files(&crates.join(name).join("tests"), &mut tables);
        tables.retain(|path| {
            path.components().any(|part| matches!(part.as_os_str().to_str(), Some("options" | "options.rs")))
        });
        let table: String = tables.iter().map(|table| fs::read_to_string(table).unwrap()).collect();
        for source in
            sources.iter().filter(|source| !source.components().any(|part| part.as_os_str() == "generated"))
        {
            let text = fs::read_to_string(source).unwrap();
            let options = options(&text).into_iter().filter(|option| !NONE.contains(&option.as_str()));
            let without = options.filter(|option| !table.contains(&format!("\"{option}\"")));
            missing.extend(without.map(|option| format!("{name}: {option}")));
        }
    }
    assert_eq!(missing, Vec::<String>::new(), "these have no row in the tests `options` of their crate");
}

#[test]
fn options_are_found_as_they_are_written() {
    let text = "
impl<T> Limits<T> {
    pub const fn bytes(mut self, bytes: usize) -> Self {
    pub fn time(
        mut self,
        time: impl Into<Option<Duration>>,
    ) -> Result<Self, Odd> {
    pub fn used(&self, bytes: usize) -> Self {
    pub fn name(mut self, name: String) -> Self {
    pub(crate) fn inner(mut self, bytes: usize) -> Self {
    pub fn length(self, bytes: usize) -> usize {
}
impl Default for Other {
setters!(probe connect);
";
    assert_eq!(
        options(text),
        ["Limits::bytes", "Limits::time", "Limits::used", "Timeouts::probe", "Timeouts::connect"]
    );
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The setters and constructors that take a number, with their type.
fn options(text: &str) -> Vec<String> {
    let (mut of, mut found) = (String::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("impl") {
            let rest = rest.rsplit(" for ").next().unwrap().trim_end_matches([' ', '{']);
            let rest = if rest.starts_with('<') {
                rest.split_once("> ").map_or(rest, |(_, of)| of)
            } else {
                rest.trim()
            };
            of = rest.split('<').next().unwrap().trim().to_owned();
        }
        if let Some(names) = line.strip_prefix("setters!(").and_then(|rest| rest.split(')').next()) {
            found.extend(names.split_whitespace().map(|name| format!("Timeouts::{name}")));
        }
        let line = line.trim_start();
        let Some(head) = line.strip_prefix("pub fn ").or_else(|| line.strip_prefix("pub const fn ")) else {
            continue;
        };
        let mut head = head.to_owned();
        while !head.contains('{') && !head.contains(';') {
            let Some(more) = lines.next() else { break };
            head.push_str(more.trim());
        }
        let Some((name, rest)) = head.split_once('(') else { continue };
        let Some((params, result)) = rest.rsplit_once("->") else { continue };
        let is_option = result.trim().starts_with("Self") || result.contains("Result<Self");
        let words = |text: &str| {
            text.split(|char: char| !char.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>()
        };
        // A macro names its setters where it is used.
        if is_option
            && !name.contains('$')
            && words(params).iter().any(|word| NUMBERS.contains(&word.as_str()))
        {
            found.push(format!("{of}::{}", name.split('<').next().unwrap()));
        }
    }
    found
}
