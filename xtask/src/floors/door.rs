//! The door: values of the protocol are encoded and decoded in one folder, where a second version
//! can stand beside the first.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use serde::Deserialize;
use syn::visit::{self, Visit};
use syn::{Item, ItemUse};

use super::name;
use super::source::Source;

/// The crates that have a door, and the calls that belong behind it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Door {
    /// The folder that encodes and decodes.
    pub folder: String,
    pub crates: Vec<String>,
    /// The calls that encode, decode or name a method: a path (`acp_json::read`), the end of one
    /// (`::NAME`), a method with arguments (`.notify`), a method with a text (`.get("`), or the
    /// beginning of a text (`"session/`).
    pub calls: Vec<String>,
    /// The files that may make such calls outside of the folder.
    #[serde(default)]
    pub except: Vec<Exception>,
}

/// Calls that a file may make outside of the folder.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// The crate's name and the path below its `src`.
    pub file: String,
    pub calls: Vec<String>,
    pub because: String,
}

/// Returns the calls that a crate makes outside of the folder, and the exceptions that it does not
/// need.
#[must_use]
pub fn faults(name: &str, source: &Source, door: &Door) -> Vec<String> {
    if !door.crates.iter().any(|listed| listed == name) {
        return Vec::new();
    }
    let mut made: BTreeSet<(&str, &str)> = BTreeSet::new();
    for module in &source.modules {
        let file = &source.files[module.file];
        if !file.counts() || file.path.strip_prefix(&door.folder).is_some_and(|rest| rest.starts_with('/')) {
            continue;
        }
        let pieces = pieces(&module.items);
        for call in &door.calls {
            if pieces.iter().any(|piece| makes(piece, call)) {
                made.insert((&file.path, call));
            }
        }
    }
    let prefix = format!("{name}/");
    let excepted: BTreeSet<(&str, &str)> = door
        .except
        .iter()
        .filter_map(|exception| Some((exception.file.strip_prefix(&prefix)?, &exception.calls)))
        .flat_map(|(file, calls)| calls.iter().map(move |call| (file, call.as_str())))
        .collect();
    let outside = made.difference(&excepted).map(|(file, call)| {
        format!("src/{file} has `{call}`, which belongs in {}/: nothing else knows the wire", door.folder)
    });
    let needless = excepted
        .difference(&made)
        .map(|(file, call)| format!("src/{file} does not have `{call}`: the exception for it can go"));
    outside.chain(needless).collect()
}

/// Returns the words of code, without attributes and comments. A `use` gives a piece for each of
/// its names.
fn pieces(items: &[Item]) -> Vec<Vec<String>> {
    let mut pieces = Uses::default();
    for item in items {
        pieces.visit_item(item);
        if !matches!(item, Item::Use(_)) {
            let mut words = Vec::new();
            flatten(item.to_token_stream(), &mut words);
            pieces.0.push(words);
        }
    }
    pieces.0
}

#[derive(Default)]
struct Uses(Vec<Vec<String>>);

impl<'ast> Visit<'ast> for Uses {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.0.extend(name::leaves(item).iter().map(|leaf| words(&leaf.path.join("::"))));
        visit::visit_item_use(self, item);
    }
}

fn flatten(tokens: TokenStream, words: &mut Vec<String>) {
    let mut attribute = false;
    for token in tokens {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                attribute = true;
                continue;
            }
            TokenTree::Punct(punct) if attribute && punct.as_char() == '!' => continue,
            TokenTree::Group(group) if attribute && group.delimiter() == Delimiter::Bracket => {}
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                words.push(open.to_owned());
                flatten(group.stream(), words);
                words.push(close.to_owned());
            }
            token => words.push(token.to_string()),
        }
        attribute = false;
    }
}

/// Splits a call into words: names, and other characters one by one.
fn words(call: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut within = false;
    for char in call.chars() {
        let is_name = char.is_alphanumeric() || char == '_';
        match words.last_mut() {
            Some(last) if is_name && within => last.push(char),
            _ => words.push(char.to_string()),
        }
        within = is_name;
    }
    words
}

fn makes(piece: &[String], call: &str) -> bool {
    if let Some(text) = call.strip_prefix('"') {
        return piece.iter().filter_map(|word| word.strip_prefix('"')).any(|word| word.starts_with(text));
    }
    let wanted = words(call);
    let fits =
        |(word, wanted): (&String, &String)| word == wanted || (wanted == "\"" && word.starts_with('"'));
    piece.windows(wanted.len()).enumerate().any(|(at, found)| {
        found.iter().zip(&wanted).all(fits) && (!is_method(call) || is_called(&piece[at + wanted.len()..]))
    })
}

fn is_method(call: &str) -> bool {
    call.strip_prefix('.').is_some_and(|name| name.chars().all(|char| char.is_alphanumeric() || char == '_'))
}

/// Returns true if arguments follow, perhaps after types.
fn is_called(rest: &[String]) -> bool {
    match rest {
        [open, first, ..] if open == "(" => first != ")",
        [colon, ..] => colon == ":",
        [] => false,
    }
}
