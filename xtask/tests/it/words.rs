//! Words: comments and pages keep the rules of `docs/STYLE.md` that a program can see.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders of hand-written Rust. A folder stands here once all of its files keep the rules.
const ENFORCED: &[&str] = &[
    "benches",
    "crates/acp-agent",
    "crates/acp-cli",
    "crates/acp-client",
    "crates/acp-fs",
    "crates/acp-http",
    "crates/acp-json",
    "crates/acp-handlers",
    "crates/acp-macros",
    "crates/acp-mcp",
    "crates/acp-process",
    "crates/acp-proxy",
    "crates/acp-rpc",
    "crates/acp-store-postgres",
    "crates/acp-testkit",
    "crates/acp-types",
    "crates/acp-ui-tests",
    "examples",
    "fuzz",
    "xtask/interop",
    "xtask/src",
    "xtask/tests",
];

/// Files that a program writes, and builds.
const WRITTEN: &[&str] = &["/generated/", "/target/", "/tests/expansions/", "/tests/shapes/"];

/// Pages: this folder and this file. Those in `docs/rules` are generated.
const PAGES: [&str; 2] = ["docs", "README.md"];

/// First words of a doc comment that hide the thing.
const FIRST_WORDS: [&str; 4] = ["What", "Whether", "The same", "Those"];

/// The most columns of a line with a comment.
const WIDTH: usize = 100;

#[test]
fn comments_keep_the_rules() {
    let mut faults = Vec::new();
    for folder in ENFORCED {
        for path in files(&root().join(folder), "rs") {
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            if !WRITTEN.iter().any(|written| name.contains(written)) {
                faults.extend(rust(&fs::read_to_string(&path).unwrap()).iter().map(|fault| fault.of(&name)));
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new(), "see docs/STYLE.md");
}

#[test]
fn pages_keep_the_rules() {
    let mut faults = Vec::new();
    for path in PAGES.iter().flat_map(|place| files(&root().join(place), "md")) {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        if !name.starts_with("docs/rules/") {
            faults.extend(page(&fs::read_to_string(&path).unwrap()).iter().map(|fault| fault.of(&name)));
        }
    }
    assert_eq!(faults, Vec::<String>::new(), "see docs/STYLE.md");
}

/// A line that breaks a rule, by its number, and the rule.
#[derive(Debug, PartialEq, Eq)]
struct Fault(usize, String);

impl Fault {
    fn of(&self, file: &str) -> String {
        format!("{file}:{}: {}", self.0, self.1)
    }
}

/// Finds the faults in the comments of a Rust file.
fn rust(text: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    // The marker and the text of the comment that goes on.
    let mut block = (String::new(), String::new());
    for (number, line) in (1..).zip(text.lines()) {
        let Some((marker, comment)) = comment(line) else {
            block = (String::new(), String::new());
            continue;
        };
        if marker != "//" && marker != block.0 {
            faults.extend(first_word(comment).map(|word| Fault(number, format!("begins with \"{word}\""))));
        }
        if line.chars().count() > WIDTH && !may_be_wide(comment) {
            faults.push(Fault(number, format!("more than {WIDTH} columns")));
        }
        let before = if block.0 == marker { denials(&block.1) } else { 0 };
        let text = if block.0 == marker { format!("{} {comment}", block.1) } else { comment.to_owned() };
        if denials(&text) > before {
            faults.push(Fault(number, "\"is no\"".to_owned()));
        }
        block = (marker.to_owned(), text);
    }
    faults
}

/// Finds the faults in a page.
fn page(text: &str) -> Vec<Fault> {
    let (mut faults, mut paragraph, mut is_code) = (Vec::new(), String::new(), false);
    for (number, line) in (1..).zip(text.lines()) {
        is_code ^= line.trim_start().starts_with("```");
        if is_code || line.trim().is_empty() {
            paragraph.clear();
            continue;
        }
        let before = denials(&paragraph);
        paragraph = format!("{paragraph} {}", line.trim());
        if denials(&paragraph) > before {
            faults.push(Fault(number, "\"is no\"".to_owned()));
        }
    }
    faults
}

/// Returns the marker and the text of a comment that has the line for itself.
fn comment(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    ["///", "//!", "//"].into_iter().find_map(|marker| Some((marker, line.strip_prefix(marker)?.trim())))
}

fn first_word(comment: &str) -> Option<&'static str> {
    FIRST_WORDS
        .into_iter()
        .find(|word| comment.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
}

/// Rows of tables and addresses cannot be broken.
fn may_be_wide(comment: &str) -> bool {
    comment.starts_with('|') || comment.contains("://")
}

/// Counts "is no", outside of code and quotations.
fn denials(text: &str) -> usize {
    let mut open = None;
    let plain: String = text
        .chars()
        .filter(|char| match open {
            Some(quote) if *char == quote => {
                open = None;
                false
            }
            Some(_) => false,
            None if ['`', '"'].contains(char) => {
                open = Some(*char);
                false
            }
            None => true,
        })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.windows(2).filter(|pair| *pair == ["is", "no"]).count()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Returns a file itself, or all files below a folder with this extension, in order.
fn files(place: &Path, extension: &str) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let mut entries: Vec<_> = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let wanted = |path: &PathBuf| path.is_dir() || path.extension().is_some_and(|found| found == extension);
    entries.into_iter().filter(wanted).flat_map(|path| files(&path, extension)).collect()
}

#[test]
fn faults_of_comments_are_found() {
    let wide = format!("/// {}", "word ".repeat(20));
    for (text, expected) in [
        ("/// What it is.\nfn a() {}", vec![(1, "begins with \"What\"")]),
        ("//! Whether it is.", vec![(1, "begins with \"Whether\"")]),
        ("/// The same as words.", vec![(1, "begins with \"The same\"")]),
        ("    /// Those of the client.", vec![(1, "begins with \"Those\"")]),
        ("/// Whatever comes.\n/// What it is.", vec![]),
        ("// What comes next.", vec![]),
        ("/// One.\n//! What two.", vec![(2, "begins with \"What\"")]),
        ("// It is no answer.", vec![(1, "\"is no\"")]),
        ("/// An empty line is\n/// no answer. It is no\n/// question.", vec![(2, "\"is no\"")]),
        ("/// It is not, as `is no` and \"is no\".", vec![]),
        ("let a = \"is no\";", vec![]),
        (&wide, vec![(1, "more than 100 columns")]),
        (&wide.replace("word", "| a"), vec![]),
    ] {
        let found = rust(text);
        let found: Vec<_> = found.iter().map(|Fault(line, fault)| (*line, fault.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn faults_of_pages_are_found() {
    for (text, expected) in [
        ("This is no page.", vec![1]),
        ("This is\nno page.\n\nis\n\nno", vec![2]),
        ("```\nThis is no page.\n```\nThis is not a page, by \"is no\".", vec![]),
    ] {
        let found: Vec<_> = page(text).iter().map(|Fault(line, _)| *line).collect();
        assert_eq!(found, expected, "{text}");
    }
}
