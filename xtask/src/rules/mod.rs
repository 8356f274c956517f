//! `cargo xtask rules`: the rule book, from its data to its pages.

pub mod book;
pub mod coverage;
pub mod id;
pub mod mentions;
pub mod page;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::output::{self, Mode, Output};
use crate::workspace;
use book::{Book, DATA};
use page::PAGES;

/// The rules that wait for a test. A test that is lost, or one that comes, changes it.
pub const UNTESTED: &str = "crates/acp-testkit/rules/untested.txt";

/// Runs `rules [--check]`.
///
/// # Errors
///
/// Names the rule, file and line that are wrong.
pub fn run(args: &[String]) -> Result<()> {
    let root = workspace::root();
    match args {
        [] => generate(&root, Mode::Write),
        [flag] if flag == "--check" => generate(&root, Mode::Check),
        _ => bail!("usage: cargo xtask rules [--check]"),
    }
}

/// Brings `docs/rules/` and the list of untested rules in line with the data and the tests, or
/// fails when they are not.
///
/// # Errors
///
/// Returns what is wrong with the data, which pages are stale, or which ids in the repository are
/// not defined.
pub fn generate(root: &Path, mode: Mode) -> Result<()> {
    let book = Book::read(&root.join(DATA))?;
    let mut outputs = vec![Output { path: Path::new(PAGES).join("README.md"), text: page::index(&book) }];
    for chapter in &book.chapters {
        let path = Path::new(PAGES).join(format!("{}.md", chapter.name));
        outputs.push(Output { path, text: page::chapter(chapter) });
    }
    outputs.push(Output { path: UNTESTED.into(), text: coverage::list(&book, root)? });
    output::apply(root, &[PathBuf::from(PAGES)], &outputs, mode, "cargo xtask rules")?;
    mentions::check(&book, root)
}
