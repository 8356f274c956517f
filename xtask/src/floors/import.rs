//! The imports between the hand-written files of a crate.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::mention::Mentions;
use super::name::{Names, Target};
use super::source::Source;

/// Which file names what of which other file: by their indices, the paths as they are written.
pub type Imports = BTreeMap<(usize, usize), Vec<String>>;

/// A crate's files and what they import.
#[derive(Debug)]
pub struct Graph {
    pub source: Source,
    pub imports: Imports,
    /// The files that name `acp_types::v2`.
    pub second_version: Vec<usize>,
}

impl Graph {
    /// Reads a crate. `name` is what its own programs call its library.
    ///
    /// # Errors
    ///
    /// Names the file that cannot be read or parsed.
    pub fn read(src: &Path, name: &str) -> Result<Self> {
        let source = Source::read(src)?;
        let names = Names::of(&source, name);
        let (mut imports, mut second_version) = (Imports::new(), Vec::new());
        for (index, module) in source.modules.iter().enumerate() {
            if !source.files[module.file].counts() {
                continue;
            }
            let mentions = Mentions::of(&module.items);
            let mut enter = |path: &[String], targets: Vec<Target>| {
                if path.len() > 1 && path[0] == "acp_types" && path[1] == "v2" {
                    second_version.push(module.file);
                }
                for target in targets {
                    // A module that is only passed through does not count as an import.
                    let Target::Item(of) = target else { continue };
                    let to = source.modules[of].file;
                    if to != module.file && source.files[to].counts() {
                        let paths: &mut Vec<String> = imports.entry((module.file, to)).or_default();
                        let path = path.join("::");
                        if !paths.contains(&path) {
                            paths.push(path);
                        }
                    }
                }
            };
            for leaf in &mentions.uses {
                let mut targets = names.resolve(index, &leaf.path);
                // Of a module and a function of one name, the module is meant.
                if targets.iter().any(|target| matches!(target, Target::Module(_))) {
                    targets.clear();
                }
                // A module shows what lies in it without using it.
                targets.retain(|target| {
                    !(leaf.shown && matches!(target, Target::Item(of) if names.is_within(*of, index)))
                });
                enter(&leaf.path, targets);
            }
            for path in &mentions.paths {
                enter(path, names.resolve(index, path));
            }
            for path in &mentions.tokens {
                enter(path, names.resolve_tokens(index, path));
            }
            for called in &mentions.macros {
                let path = [called.clone()];
                let found = names.resolve(index, &path);
                enter(&path, if found.is_empty() { names.macro_named(called) } else { found });
            }
        }
        second_version.sort_unstable();
        second_version.dedup();
        Ok(Self { source, imports, second_version })
    }

    /// The hand-written files that are not for tests only.
    pub fn files(&self) -> impl Iterator<Item = usize> {
        (0..self.source.files.len()).filter(|file| self.source.files[*file].counts())
    }

    #[must_use]
    pub fn path(&self, file: usize) -> &str {
        &self.source.files[file].path
    }

    /// `from` and `to` of an import, and a path by which it is written.
    #[must_use]
    pub fn describe(&self, from: usize, to: usize) -> String {
        let how = self.imports.get(&(from, to)).and_then(|paths| paths.first()).map_or("", String::as_str);
        format!("{} -> {} (`{how}`)", self.path(from), self.path(to))
    }
}
