//! Plain instructions in English, read without a language model.

use std::iter::Peekable;
use std::str::Chars;

/// One request of the user, in one clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// read `FILE`
    Read {
        /// The file.
        file: String,
    },
    /// find `TEXT`
    Find {
        /// The text.
        text: String,
    },
    /// replace `OLD` with `NEW`, in one file or in all files
    Replace {
        /// The text to replace.
        old: String,
        /// The new text.
        new: String,
        /// The file, or `None` for every file of the folder.
        file: Option<String>,
    },
    /// append `TEXT` to `FILE`
    Append {
        /// The lines to add.
        text: String,
        /// The file.
        file: String,
    },
    /// create `FILE` with `TEXT`
    Create {
        /// The file.
        file: String,
        /// The text of the file.
        text: String,
    },
    /// run `COMMAND`
    Run {
        /// The program and its arguments, with blanks between them.
        command: String,
    },
    /// call `TOOL` with `JSON`
    Call {
        /// The tool of an MCP server.
        tool: String,
        /// Its arguments.
        arguments: String,
    },
}

/// A clause that is not an instruction, as the user wrote it. It is empty for an empty prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotUnderstood(pub String);

/// Reads instructions: one per line, or joined by `;` or `then`.
///
/// Texts and files stand in backticks or quotes, or are single words. Case does not matter, and
/// words such as "please" and "the file" are skipped.
///
/// # Errors
/// Returns the first clause that is not understood. Then none is carried out, because half of a
/// request may be worse than nothing.
pub fn parse(prompt: &str) -> Result<Vec<Instruction>, NotUnderstood> {
    let clauses = clauses(prompt);
    if clauses.is_empty() {
        return Err(NotUnderstood(String::new()));
    }
    clauses.iter().map(|clause| instruction(clause).ok_or_else(|| not_understood(clause))).collect()
}

#[derive(Debug)]
enum Token {
    Word(String),
    Quoted(String),
    Break,
}

impl Token {
    /// Returns true if this is one of these words. A quoted text never is.
    fn is(&self, words: &[&str]) -> bool {
        matches!(self, Token::Word(word) if words.iter().any(|other| word.eq_ignore_ascii_case(other)))
    }

    fn text(&self) -> String {
        match self {
            Token::Word(text) | Token::Quoted(text) => text.clone(),
            Token::Break => String::new(),
        }
    }
}

/// Cuts a prompt into words and quoted texts.
struct Tokens<'a> {
    chars: Peekable<Chars<'a>>,
    /// True behind a quoted text: a quote there is punctuation, not the start of another text.
    after_quote: bool,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let after_quote = std::mem::take(&mut self.after_quote);
            let first = self.chars.next()?;
            match first {
                '\n' | ';' => return Some(Token::Break),
                '`' | '"' | '\'' if !after_quote => {
                    if let Some(text) = self.quoted(first) {
                        self.after_quote = true;
                        return Some(Token::Quoted(text));
                    }
                }
                _ => {}
            }
            if !first.is_whitespace()
                && let Some(word) = self.word(first)
            {
                return Some(Token::Word(word));
            }
        }
    }
}

impl Tokens<'_> {
    /// Takes the text up to the closing quote. Without a closing quote it returns `None` and takes
    /// nothing.
    fn quoted(&mut self, quote: char) -> Option<String> {
        let mut ahead = self.chars.clone();
        let mut text = String::new();
        loop {
            match ahead.next()? {
                // An apostrophe inside a word closes nothing: 'it doesn't'.
                '\'' if quote == '\'' && ahead.peek().is_some_and(|next| next.is_alphanumeric()) => {
                    text.push('\'')
                }
                char if char == quote => break,
                char => text.push(char),
            }
        }
        self.chars = ahead;
        Some(text)
    }

    /// Takes the word that starts with `first`, without the punctuation that follows it.
    fn word(&mut self, first: char) -> Option<String> {
        let mut word = String::from(first);
        while let Some(char) = self.chars.next_if(|char| !char.is_whitespace() && *char != ';') {
            word.push(char);
        }
        let word = word.trim_end_matches([',', '.', ':', '!', '?']);
        (!word.is_empty()).then(|| word.to_owned())
    }
}

const VERBS: [&str; 16] = [
    "read", "show", "open", "print", "find", "search", "grep", "replace", "change", "append", "add",
    "create", "write", "put", "run", "call",
];
/// The words between two texts.
const PREPOSITIONS: [&str; 6] = ["by", "containing", "in", "into", "to", "with"];
/// Words that are skipped everywhere.
const POLITE: [&str; 9] = ["and", "can", "could", "finally", "first", "me", "now", "please", "you"];
/// Words that are skipped before another word: "replace a with b" has no such word.
const FILLERS: [&str; 12] =
    ["a", "all", "an", "every", "file", "for", "line", "named", "occurrences", "of", "text", "the"];

/// Splits the tokens at breaks. "Then", and "and" before a verb, are breaks too.
fn clauses(prompt: &str) -> Vec<Vec<Token>> {
    let mut tokens = Tokens { chars: prompt.chars().peekable(), after_quote: false }.peekable();
    let mut clauses = Vec::new();
    let mut clause = Vec::new();
    while let Some(token) = tokens.next() {
        let joins = token.is(&["and"]) && tokens.peek().is_some_and(|next| next.is(&VERBS));
        if joins || token.is(&["then"]) || matches!(token, Token::Break) {
            clauses.push(std::mem::take(&mut clause));
        } else {
            clause.push(token);
        }
    }
    clauses.push(clause);
    clauses.retain(|clause| clause.iter().any(|token| !token.is(&POLITE)));
    clauses
}

/// Returns the tokens that matter.
fn meaningful(clause: &[Token]) -> Vec<&Token> {
    let tokens: Vec<_> = clause.iter().filter(|token| !token.is(&POLITE)).collect();
    let nexts = tokens.iter().skip(1).map(Some).chain([None]);
    let is_text = |next: Option<&&Token>| next.is_none_or(|next| next.is(&PREPOSITIONS));
    tokens
        .iter()
        .zip(nexts)
        .filter(|(token, next)| !token.is(&FILLERS) || is_text(*next))
        .map(|(token, _)| *token)
        .collect()
}

fn instruction(clause: &[Token]) -> Option<Instruction> {
    let tokens = meaningful(clause);
    let (verb, arguments) = tokens.split_first()?;
    let instruction = match arguments {
        [file] if verb.is(&["read", "show", "open", "print"]) => Instruction::Read { file: file.text() },
        [text] if verb.is(&["find", "search", "grep"]) => Instruction::Find { text: text.text() },
        [command] if verb.is(&["run"]) && !command.text().trim().is_empty() => {
            Instruction::Run { command: command.text() }
        }
        [tool] if verb.is(&["call"]) => Instruction::Call { tool: tool.text(), arguments: "{}".to_owned() },
        [tool, with, arguments] if verb.is(&["call"]) && with.is(&["with"]) => {
            Instruction::Call { tool: tool.text(), arguments: arguments.text() }
        }
        [old, with, new, rest @ ..] if verb.is(&["replace", "change"]) && with.is(&["with", "by", "to"]) => {
            let file = match rest {
                [] => None,
                [within, file] if within.is(&["in"]) => Some(file.text()),
                _ => return None,
            };
            Instruction::Replace { old: old.text(), new: new.text(), file }
        }
        [text, to, file] if verb.is(&["append", "add"]) && to.is(&["to"]) => {
            Instruction::Append { text: text.text(), file: file.text() }
        }
        [file, with, text] if verb.is(&["create", "write"]) && with.is(&["with", "containing"]) => {
            Instruction::Create { file: file.text(), text: text.text() }
        }
        [text, to, file] if verb.is(&["write", "put"]) && to.is(&["to", "into", "in"]) => {
            Instruction::Create { file: file.text(), text: text.text() }
        }
        _ => return None,
    };
    Some(instruction)
}

fn not_understood(clause: &[Token]) -> NotUnderstood {
    let words: Vec<_> = clause.iter().map(Token::text).collect();
    NotUnderstood(words.join(" "))
}
