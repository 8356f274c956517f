//! The rules as data.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The folder of the data, one file for each page.
pub const DATA: &str = "crates/acp-testkit/rules";

/// Who a rule may bind.
const SIDES: &[&str] =
    &["agent", "client", "proxy", "conductor", "mcp-client", "mcp-server", "server", "store"];

/// All rules, in the order of the pages.
#[derive(Debug)]
pub struct Book {
    pub chapters: Vec<Chapter>,
}

/// The rules of one page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chapter {
    /// The name of the file, without its ending.
    #[serde(skip)]
    pub name: String,
    pub title: String,
    /// A paragraph for the reader of the page.
    pub intro: String,
    #[serde(rename = "area")]
    pub areas: Vec<Area>,
}

/// Rules of one subject.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Area {
    pub title: String,
    /// The page of the specification that says more.
    pub page: Option<String>,
    #[serde(rename = "rule")]
    pub rules: Vec<Rule>,
}

/// One rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// `v1-turn-02`: the chapter, the subject, a number that is never given again.
    pub id: String,
    /// The rule in one sentence, or few.
    pub text: String,
    /// Who must keep it.
    pub binds: Vec<String>,
    pub strength: Strength,
    pub force: Force,
    /// The method, type or member that it is about.
    pub concerns: Option<String>,
    /// The capability, version or situation without which it does not apply.
    pub gate: Option<String>,
    /// How a breach shows on the wire. A rule without it cannot be seen there.
    pub seen: Option<String>,
    /// The reason why the checker does not judge agents by it, although it can be seen.
    pub unchecked: Option<String>,
    /// The reason why the checker does not judge clients by it, although it can be seen.
    #[serde(rename = "unchecked-of-clients")]
    pub unchecked_of_clients: Option<String>,
    /// How official SDKs differ.
    pub others: Option<String>,
}

/// The word that the specification uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    Must,
    MustNot,
    Should,
    ShouldNot,
    May,
    /// A definition. [`Force`] says whether anybody can break it.
    Fact,
}

impl Strength {
    /// The word as pages show it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::MustNot => "MUST NOT",
            Self::Should => "SHOULD",
            Self::ShouldNot => "SHOULD NOT",
            Self::May => "MAY",
            Self::Fact => "fact",
        }
    }
}

/// Tells whether a rule can be broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Force {
    /// Somebody can break it.
    Binding,
    /// It permits or explains; nobody can break it.
    Informative,
}

impl Book {
    /// Reads and checks every `*.toml` of a folder.
    ///
    /// # Errors
    ///
    /// Names the file, and the rule, that cannot be read or says something twice.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
            let path = entry?.path();
            if path.extension().is_some_and(|ending| ending == "toml") {
                names.push(path);
            }
        }
        names.sort();
        let chapters = names.iter().map(|path| Chapter::read(path)).collect::<Result<_>>()?;
        let book = Self { chapters };
        book.check()?;
        Ok(book)
    }

    /// All rules, in order.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.chapters.iter().flat_map(|chapter| &chapter.areas).flat_map(|area| &area.rules)
    }

    fn check(&self) -> Result<()> {
        let mut seen = BTreeMap::new();
        for rule in self.rules() {
            let id = &rule.id;
            ensure!(super::id::ids(id).eq([id.as_str()]), "`{id}` is not an id: words, then two digits");
            ensure!(seen.insert(id, ()).is_none(), "`{id}` is defined twice");
            ensure!(!rule.text.trim().is_empty(), "`{id}` has no text");
            ensure!(!rule.binds.is_empty(), "`{id}` binds nobody; name who it is about");
            for side in &rule.binds {
                ensure!(
                    SIDES.contains(&side.as_str()),
                    "`{id}` binds `{side}`; known are {}",
                    SIDES.join(", ")
                );
            }
            ensure!(
                rule.force == Force::Informative || rule.strength != Strength::May,
                "`{id}` permits, so it cannot be binding"
            );
        }
        Ok(())
    }
}

impl Chapter {
    fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)?;
        let mut chapter: Self = toml::from_str(&text).with_context(|| format!("{}", path.display()))?;
        chapter.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(chapter)
    }
}
