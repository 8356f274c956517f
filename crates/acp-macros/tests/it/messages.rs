//! The messages of the macros, each with a case in `acp-ui-tests` that shows it.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

#[test]
fn every_message_of_the_macro_has_a_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cases = files_below(&folder.join("../acp-ui-tests/tests/ui"), "stderr");
    let shown: Vec<String> = cases.iter().map(|path| read(path)).collect();
    let mut messages = Vec::new();
    for name in
        ["attr", "check", "classify", "command", "method", "parse", "proxy/handler", "proxy/mod", "target"]
    {
        let source = read(&folder.join(format!("src/{name}.rs")));
        find_messages(source.parse().unwrap(), &mut messages);
    }
    assert!(messages.len() > 40, "{messages:#?}");
    let missing: Vec<_> =
        messages.iter().filter(|message| !shown.iter().any(|text| shows(text, message))).collect();
    assert!(missing.is_empty(), "no case shows {missing:#?}");
}

/// String literals with more than one word, outside of attributes.
fn find_messages(tokens: TokenStream, messages: &mut Vec<String>) {
    let mut after_hash = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) if after_hash && group.delimiter() == Delimiter::Bracket => {}
            TokenTree::Group(group) => find_messages(group.stream(), messages),
            TokenTree::Literal(literal) => {
                let text = syn::parse_str::<syn::LitStr>(&literal.to_string()).map(|text| text.value());
                messages.extend(text.ok().filter(|text| text.contains(' ')));
            }
            TokenTree::Punct(punct) => {
                // `#` and `#!` open attributes.
                after_hash = punct.as_char() == '#' || after_hash && punct.as_char() == '!';
                continue;
            }
            TokenTree::Ident(_) => {}
        }
        after_hash = false;
    }
}

/// Returns true if a message was printed. The pieces between its arguments and line breaks must
/// stand in the text in this order.
fn shows(text: &str, message: &str) -> bool {
    let mut rest = text;
    pieces(message).iter().all(|piece| match rest.split_once(piece.as_str()) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

fn pieces(message: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut depth = 0;
    for letter in message.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            '\n' => {}
            _ if depth > 0 => continue,
            _ => {
                pieces.last_mut().unwrap().push(letter);
                continue;
            }
        }
        pieces.push(String::new());
    }
    pieces.retain(|piece| piece.trim().len() > 1);
    pieces
}

fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => files_below(&path, extension),
            false => Vec::from_iter(path.extension().is_some_and(|it| it == extension).then_some(path)),
        })
        .collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
