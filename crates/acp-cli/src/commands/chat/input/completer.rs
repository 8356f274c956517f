//! Completion and line breaks in the line editor.

use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};

use crate::commands::chat::input::edited::SharedLine;
use crate::commands::chat::input::files::Files;
use crate::commands::chat::input::words::SharedWords;

pub(super) struct LineHelper {
    pub(super) words: SharedWords,
    pub(super) files: Files,
    /// The line as it is edited.
    pub(super) line: SharedLine,
}

impl Completer for LineHelper {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        // Reading folders takes its time, and the words may change meanwhile.
        let words = self.words.lock().clone();
        let (start, fitting) = words.fitting(line.get(..pos).unwrap_or_default(), &self.files);
        let pair =
            |fitting: super::files::Fitting| Pair { display: fitting.shown, replacement: fitting.text };
        Ok((start, fitting.into_iter().map(pair).collect()))
    }
}

impl Validator for LineHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let goes_on = context.input().ends_with('\\');
        Ok(if goes_on { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

/// It has no hints. It is called whenever the line changes.
impl Hinter for LineHelper {
    type Hint = String;

    fn hint(&self, line: &str, pos: usize, _: &Context<'_>) -> Option<String> {
        self.line.set(line, pos);
        None
    }
}

/// It has no colours. It is called whenever the cursor moves.
impl Highlighter for LineHelper {
    fn highlight_char(&self, line: &str, pos: usize, _: CmdKind) -> bool {
        self.line.set(line, pos);
        false
    }
}

impl Helper for LineHelper {}
