//! The names of a crate's modules, and the files that define them.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, ItemUse, UseTree, Visibility};

use super::source::Source;

/// A path as it is written, one segment each.
pub type Path = Vec<String>;

/// One name of a `use` declaration.
#[derive(Debug)]
pub struct Leaf {
    pub path: Path,
    /// The name that it has here; `_` has none.
    pub name: Option<String>,
    pub glob: bool,
    /// `pub`, `pub(crate)` or the like.
    pub shown: bool,
}

/// The end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    Module(usize),
    /// Something that the module defines.
    Item(usize),
}

#[derive(Debug)]
enum Binding {
    Module(usize),
    Item,
    Import(Path),
}

#[derive(Debug, Default)]
struct Scope {
    names: BTreeMap<String, Vec<Binding>>,
    globs: Vec<Path>,
}

/// The modules whose names a module has by globs.
#[derive(Clone, Debug, Default)]
struct Globs {
    modules: BTreeSet<usize>,
    /// One of them leads out of the crate.
    foreign: bool,
}

/// The scopes of all modules.
#[derive(Debug)]
pub struct Names<'s> {
    source: &'s Source,
    scopes: Vec<Scope>,
    globs: Vec<Globs>,
    /// The modules that define a macro by `macro_rules!`, by its name.
    macros: BTreeMap<String, Vec<usize>>,
    /// The name that the crate's programs have for its library.
    library: String,
}

/// A search for what a path leads to.
#[derive(Default)]
struct Search {
    /// The names that are being looked up, against imports in a circle.
    open: BTreeSet<(usize, String)>,
    /// The path is a macro's tokens, which may be code of another crate.
    tokens: bool,
}

impl<'s> Names<'s> {
    #[must_use]
    pub fn of(source: &'s Source, library: &str) -> Self {
        let mut names = Self {
            source,
            scopes: Vec::new(),
            globs: Vec::new(),
            macros: BTreeMap::new(),
            library: library.replace('-', "_"),
        };
        for (index, module) in source.modules.iter().enumerate() {
            let mut scope = Scope::default();
            for (name, child) in &module.children {
                scope.names.entry(name.clone()).or_default().push(Binding::Module(*child));
            }
            for item in &module.items {
                enter(item, &mut scope);
                if let Item::Macro(item) = item {
                    let name = item.ident.iter().map(ToString::to_string);
                    name.for_each(|name| names.macros.entry(name).or_default().push(index));
                }
            }
            names.scopes.push(scope);
        }
        names.globs = vec![Globs::default(); source.modules.len()];
        // Once more for globs of what globs bring.
        for _ in 0..2 {
            names.globs = names.follow_globs();
        }
        names
    }

    /// Follows `path` from within a module. The result is empty for a path that leads out of the
    /// crate.
    #[must_use]
    pub fn resolve(&self, module: usize, path: &[String]) -> Vec<Target> {
        self.search(module, path, Search::default())
    }

    /// Follows a `path` that is part of a macro's tokens.
    #[must_use]
    pub fn resolve_tokens(&self, module: usize, path: &[String]) -> Vec<Target> {
        self.search(module, path, Search { tokens: true, ..Search::default() })
    }

    fn search(&self, module: usize, path: &[String], mut search: Search) -> Vec<Target> {
        let mut found = self.walk(module, path, &mut search);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The modules that define the macro `name`, which needs no import after its definition.
    #[must_use]
    pub fn macro_named(&self, name: &str) -> Vec<Target> {
        self.macros.get(name).into_iter().flatten().map(|module| Target::Item(*module)).collect()
    }

    /// Returns true if `inner` is `outer`, or lies in it.
    #[must_use]
    pub fn is_within(&self, inner: usize, outer: usize) -> bool {
        let mut at = Some(inner);
        while let Some(module) = at {
            if module == outer {
                return true;
            }
            at = self.source.modules[module].parent;
        }
        false
    }

    fn walk(&self, module: usize, path: &[String], search: &mut Search) -> Vec<Target> {
        let Some((first, rest)) = path.split_first() else { return Vec::new() };
        let at = &self.source.modules[module];
        let mut found = match first.as_str() {
            "crate" | "$crate" => vec![Target::Module(at.root)],
            "self" => vec![Target::Module(module)],
            "super" => at.parent.map(Target::Module).into_iter().collect(),
            name => match self.lookup(module, name, search) {
                found if !found.is_empty() => found,
                _ if name == self.library && self.source.library != Some(at.root) => {
                    self.source.library.map(Target::Module).into_iter().collect()
                }
                _ => Vec::new(),
            },
        };
        for segment in rest {
            // A function may have a module's name.
            if found.iter().any(|target| matches!(target, Target::Module(_))) {
                found.retain(|target| matches!(target, Target::Module(_)));
            }
            found = found.into_iter().flat_map(|target| self.step(target, segment, search)).collect();
        }
        found
    }

    fn step(&self, target: Target, segment: &str, search: &mut Search) -> Vec<Target> {
        match target {
            // A variant, an associated item.
            Target::Item(_) => vec![target],
            Target::Module(module) if segment == "self" => vec![Target::Module(module)],
            Target::Module(module) if segment == "super" => {
                self.source.modules[module].parent.map(Target::Module).into_iter().collect()
            }
            Target::Module(module) => match self.lookup(module, segment, search) {
                found if !found.is_empty() => found,
                // What a macro writes is not seen; what comes from another crate is none of ours.
                _ if search.tokens
                    || self.scopes[module].names.contains_key(segment)
                    || self.globs[module].foreign =>
                {
                    Vec::new()
                }
                _ => vec![Target::Item(module)],
            },
        }
    }

    fn lookup(&self, module: usize, name: &str, search: &mut Search) -> Vec<Target> {
        let again = !search.open.insert((module, name.to_owned()));
        let scope = &self.scopes[module];
        let mut found = Vec::new();
        for binding in scope.names.get(name).into_iter().flatten() {
            match binding {
                Binding::Module(child) => found.push(Target::Module(*child)),
                Binding::Item => found.push(Target::Item(module)),
                Binding::Import(path) if !again => found.extend(self.walk(module, path, search)),
                Binding::Import(_) => {}
            }
        }
        if scope.names.contains_key(name) || again {
            search.open.remove(&(module, name.to_owned()));
            return found;
        }
        for &of in &self.globs[module].modules {
            if self.scopes[of].names.contains_key(name) {
                found.extend(self.lookup(of, name, search));
            }
        }
        search.open.remove(&(module, name.to_owned()));
        found
    }

    /// Where the globs of each module lead, directly or through others.
    fn follow_globs(&self) -> Vec<Globs> {
        let direct: Vec<Globs> = (0..self.scopes.len())
            .map(|module| {
                let mut globs = Globs::default();
                for glob in &self.scopes[module].globs {
                    let found = self.walk(module, glob, &mut Search::default());
                    globs.foreign |= found.is_empty();
                    globs.modules.extend(found.into_iter().filter_map(|target| match target {
                        Target::Module(of) => Some(of),
                        Target::Item(_) => None,
                    }));
                }
                globs
            })
            .collect();
        let closed = |module: usize| {
            let (mut all, mut open) = (Globs::default(), vec![module]);
            while let Some(at) = open.pop() {
                all.foreign |= direct[at].foreign;
                open.extend(direct[at].modules.iter().copied().filter(|of| all.modules.insert(*of)));
            }
            all.modules.remove(&module);
            all
        };
        (0..direct.len()).map(closed).collect()
    }
}

/// Enters an item's name.
fn enter(item: &Item, scope: &mut Scope) {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Macro(item) if item.ident.is_some() => item.ident.as_ref().expect("it has a name"),
        Item::Use(item) => {
            for leaf in leaves(item) {
                match leaf.name {
                    _ if leaf.glob => scope.globs.push(leaf.path),
                    Some(name) => scope.names.entry(name).or_default().push(Binding::Import(leaf.path)),
                    None => {}
                }
            }
            return;
        }
        _ => return,
    };
    scope.names.entry(name.to_string()).or_default().push(Binding::Item);
}

/// The names of a `use` declaration.
#[must_use]
pub fn leaves(item: &ItemUse) -> Vec<Leaf> {
    let mut found = Vec::new();
    // `::name` leads out of the crate.
    if item.leading_colon.is_none() {
        let shown = !matches!(item.vis, Visibility::Inherited);
        collect(&item.tree, &mut Vec::new(), shown, &mut found);
    }
    found
}

fn collect(tree: &UseTree, prefix: &mut Path, shown: bool, found: &mut Vec<Leaf>) {
    let leaf = |last: String, name: String, prefix: &Path| {
        let mut path = prefix.clone();
        let itself = last == "self" && !path.is_empty();
        let name = if itself && name == "self" { path[path.len() - 1].clone() } else { name };
        if !itself {
            path.push(last);
        }
        Leaf { path, name: (name != "_").then_some(name), glob: false, shown }
    };
    match tree {
        UseTree::Path(of) => {
            prefix.push(of.ident.to_string());
            collect(&of.tree, prefix, shown, found);
            prefix.pop();
        }
        UseTree::Name(of) => found.push(leaf(of.ident.to_string(), of.ident.to_string(), prefix)),
        UseTree::Rename(of) => found.push(leaf(of.ident.to_string(), of.rename.to_string(), prefix)),
        UseTree::Glob(_) => found.push(Leaf { path: prefix.clone(), name: None, glob: true, shown }),
        UseTree::Group(of) => of.items.iter().for_each(|tree| collect(tree, prefix, shown, found)),
    }
}
