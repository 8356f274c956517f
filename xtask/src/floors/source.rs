//! The files of a crate's `src`, and the modules that they hold.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use syn::{Item, ItemMod};

use super::attribute;
use crate::output::files_below;

/// One `.rs` file below `src`.
#[derive(Debug)]
pub struct File {
    /// Relative to `src`, with `/`.
    pub path: String,
    pub lines: usize,
    pub generated: bool,
    /// Reached through `#[cfg(test)]` only.
    pub test: bool,
    /// True if the file has a `//!` or a `#![doc = …]`.
    pub documented: bool,
    /// The text of the `//!` lines.
    pub documentation: String,
}

impl File {
    /// Returns true if the file's imports count.
    #[must_use]
    pub fn counts(&self) -> bool {
        !self.generated && !self.test
    }
}

/// A file's module, or an inline one.
#[derive(Debug)]
pub struct Module {
    pub file: usize,
    pub parent: Option<usize>,
    /// The root of the program or library that the module is part of.
    pub root: usize,
    pub items: Vec<Item>,
    /// The modules declared in it, by name. Several may have one name, each for its own features.
    pub children: Vec<(String, usize)>,
}

/// Everything below `src`.
#[derive(Debug, Default)]
pub struct Source {
    pub files: Vec<File>,
    pub modules: Vec<Module>,
    /// The root of the library, if the crate has one.
    pub library: Option<usize>,
    src: PathBuf,
}

/// Where the modules of a module lie.
#[derive(Clone)]
struct Place {
    /// The folder of `mod name;`.
    children: PathBuf,
    /// The folder that `#[path]` is relative to.
    own: PathBuf,
}

impl Source {
    /// Parses the library and the programs of a crate.
    ///
    /// # Errors
    ///
    /// Names the file that cannot be read or parsed.
    pub fn read(src: &Path) -> Result<Self> {
        let mut source = Self { src: src.to_owned(), ..Self::default() };
        if src.join("lib.rs").exists() {
            source.library = Some(source.load(&src.join("lib.rs"), None, false, true)?);
        }
        for program in programs(src)? {
            source.load(&program, None, false, true)?;
        }
        Ok(source)
    }

    /// The files below `src` that no module declares.
    ///
    /// # Errors
    ///
    /// Returns what reading the folders gave.
    pub fn unreached(&self) -> Result<Vec<String>> {
        let rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
        let paths = files_below(&self.src)?.into_iter().filter(rust);
        let paths = paths.map(|path| self.relative(&path));
        Ok(paths.filter(|path| !self.files.iter().any(|file| file.path == *path)).collect())
    }

    fn relative(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.src).unwrap_or(path);
        path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
    }

    /// Reads a file as a module; `root` says that its modules lie beside it.
    fn load(&mut self, path: &Path, parent: Option<usize>, test: bool, root: bool) -> Result<usize> {
        let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        let parsed = syn::parse_file(&text).with_context(|| format!("parsing {}", path.display()))?;
        let name = self.relative(path);
        let file = match self.files.iter_mut().position(|file| file.path == name) {
            Some(known) => known,
            None => {
                self.files.push(File {
                    generated: is_generated(&name, &text),
                    path: name,
                    lines: text.lines().count(),
                    test,
                    documented: parsed.attrs.iter().any(|attr| attr.path().is_ident("doc")),
                    documentation: attribute::documentation(&parsed.attrs),
                });
                self.files.len() - 1
            }
        };
        self.files[file].test &= test;
        let own = path.parent().expect("a file lies in a folder").to_owned();
        let root = root || path.file_name().is_some_and(|name| name == "mod.rs");
        let children = if root { own.clone() } else { path.with_extension("") };
        self.fill(file, parent, parsed.items, &Place { children, own }, test)
    }

    fn fill(
        &mut self,
        file: usize,
        parent: Option<usize>,
        items: Vec<Item>,
        place: &Place,
        test: bool,
    ) -> Result<usize> {
        let module = self.modules.len();
        let root = parent.map_or(module, |parent| self.modules[parent].root);
        self.modules.push(Module { file, parent, root, items: Vec::new(), children: Vec::new() });
        let mut own = Vec::new();
        for item in items {
            match item {
                Item::Mod(item) => self.declare(module, item, place, test)?,
                item if test || attribute::is_test_only(&item) => {}
                item => own.push(item),
            }
        }
        self.modules[module].items = own;
        Ok(module)
    }

    /// Enters `mod name;` or `mod name { … }`.
    fn declare(&mut self, parent: usize, item: ItemMod, place: &Place, test: bool) -> Result<()> {
        let test = test || attribute::any_test(&item.attrs);
        let name = item.ident.to_string().trim_start_matches("r#").to_owned();
        let mut loaded = Vec::new();
        if let Some((_, items)) = item.content {
            let folder = place.children.join(&name);
            let place = Place { children: folder.clone(), own: folder };
            loaded.push(self.fill(self.modules[parent].file, Some(parent), items, &place, test)?);
        } else {
            let beside = place.children.join(format!("{name}.rs"));
            let within = place.children.join(&name).join("mod.rs");
            for path in attribute::paths(&item.attrs) {
                let path = place.own.join(path);
                // Files of other folders are other people's.
                if path.starts_with(&self.src) && !path.iter().any(|part| part == "..") {
                    loaded.push(self.load(&path, Some(parent), test, true)?);
                }
            }
            if !attribute::has_path(&item.attrs) {
                let path = if beside.exists() { beside } else { within };
                loaded.push(self.load(&path, Some(parent), test, false)?);
            }
        }
        if !test {
            self.modules[parent].children.extend(loaded.into_iter().map(|module| (name.clone(), module)));
        }
        Ok(())
    }
}

/// The roots of a crate's programs.
fn programs(src: &Path) -> Result<Vec<PathBuf>> {
    let mut programs = vec![src.join("main.rs")];
    if src.join("bin").exists() {
        for entry in fs::read_dir(src.join("bin"))? {
            let path = entry?.path();
            programs.push(if path.is_dir() { path.join("main.rs") } else { path });
        }
    }
    programs.retain(|path| path.exists() && path.extension().is_some_and(|extension| extension == "rs"));
    programs.sort();
    Ok(programs)
}

/// Returns true if a generator wrote the file.
#[must_use]
pub fn is_generated(path: &str, text: &str) -> bool {
    path.split('/').any(|part| part == "generated")
        || text.lines().next().is_some_and(|line| line.contains("@generated"))
}
