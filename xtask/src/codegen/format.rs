//! Layout of generated files: independent of the toolchain, a blank line between items.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use proc_macro2::TokenStream;

/// Stands for the path of what `acp-types` has by hand.
const RUNTIME: &str = "";

/// The names that emitted code may use, and the modules that they come from.
const IMPORTS: [(&str, &[&str]); 4] = [
    ("std::sync", &["Arc"]),
    (
        "acp_json",
        &["At", "Fields", "FromNode", "Map", "Node", "ReadError", "Record", "Value", "skip_invalid"],
    ),
    ("serde_core::ser", &["Serialize", "SerializeMap", "Serializer"]),
    (RUNTIME, &["Maybe", "Meta", "UnknownVariant"]),
];

/// A top-level piece of a generated file.
#[derive(Debug)]
pub enum Item {
    Tokens(TokenStream),
    /// A macro call, laid out by hand: the formatter leaves the inside of macros alone.
    Text(String),
}

/// The imported names: a type cannot have one of them.
pub fn imported() -> impl Iterator<Item = &'static str> {
    IMPORTS.iter().flat_map(|(_, names)| names.iter().copied())
}

/// One file: header and items, which say themselves what they import.
pub fn file(header: &str, items: &[Item]) -> Result<String> {
    Ok(format!(
        "{header}
{}",
        body(items)?
    ))
}

/// One file of types: header, imports of what the items use, items. The module that has all types
/// is so many levels above; `runtime` is the path of what `acp-types` has by hand.
pub fn file_of_types(header: &str, items: &[Item], above: usize, runtime: &str) -> Result<String> {
    let body = body(items)?;
    let imports = imports(&body, above, runtime);
    Ok(format!("{header}\n{imports}{body}"))
}

fn body(items: &[Item]) -> Result<String> {
    Ok(items.iter().map(item).collect::<Result<Vec<_>>>()?.join(
        "
",
    ))
}

fn item(item: &Item) -> Result<String> {
    match item {
        Item::Text(text) => Ok(text.clone()),
        Item::Tokens(tokens) => {
            let file = syn::parse2(tokens.clone())
                .with_context(|| format!("emitted code does not parse: {tokens}"))?;
            Ok(space_members(&prettyplease::unparse(&file)))
        }
    }
}

/// A blank line between the functions of an `impl`.
fn space_members(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        spaced.push_str(line);
        spaced.push('\n');
        if line == "    }"
            && lines.peek().is_some_and(|next| next.starts_with("    ") && !next.starts_with("     "))
        {
            spaced.push('\n');
        }
    }
    spaced
}

/// One `use` for each source, of what the file uses.
fn imports(body: &str, above: usize, runtime: &str) -> String {
    let mut lines = String::new();
    let words: BTreeSet<&str> =
        body.lines().filter(|line| !line.trim_start().starts_with("//")).flat_map(words).collect();
    for (source, names) in IMPORTS {
        let source = if source == RUNTIME { runtime } else { source };
        let used: Vec<&str> = names.iter().copied().filter(|name| is_used(name, &words)).collect();
        match used.as_slice() {
            [] => {}
            [one] => lines.push_str(&format!("use {source}::{one};\n")),
            many => lines.push_str(&format!("use {source}::{{{}}};\n", many.join(", "))),
        }
    }
    let all = vec!["super"; above].join("::");
    format!(
        "{lines}\n#[allow(unused_imports, reason = \"types refer to each other across the files\")]\nuse {all}::*;\n\n"
    )
}

/// One `pub use` for each module that these paths lie in.
pub fn exports<'p>(paths: impl Iterator<Item = &'p str>) -> String {
    let mut modules: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, name) in paths.filter_map(|path| path.rsplit_once("::")) {
        modules.entry(module).or_default().insert(name);
    }
    let line = |(module, names): (&str, BTreeSet<&str>)| match Vec::from_iter(names).as_slice() {
        [one] => format!("pub use {module}::{one};\n"),
        names => format!("pub use {module}::{{\n    {},\n}};\n", names.join(",\n    ")),
    };
    modules.into_iter().map(line).collect()
}

/// Returns true if a name is written out, or, for a trait, its function is.
fn is_used(name: &str, words: &BTreeSet<&str>) -> bool {
    words.contains(name) || (name == "FromNode" && words.contains("from_node"))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}
