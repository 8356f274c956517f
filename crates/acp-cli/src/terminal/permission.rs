//! Permission requests.

use std::io;
use std::task::{Context, Poll};

use acp_client::PermissionAnswer;
use acp_client::sanitize::label;
use acp_client::v1::{PermissionOptionKind, RequestPermissionRequest};

use super::about::{about, subject};
use super::asker::{Answer, Dialog, Step};
use super::screen::{Screen, Tone};

/// The longest name of an option, in characters.
const NAME: usize = 100;

pub(super) struct PermissionDialog {
    request: RequestPermissionRequest,
    answer: Answer<PermissionAnswer>,
    /// True if the call was shown before: then only the question is repeated.
    is_known: bool,
    is_allowed: bool,
}

impl PermissionDialog {
    pub(super) const fn new(request: RequestPermissionRequest, answer: Answer<PermissionAnswer>) -> Self {
        Self { request, answer, is_known: false, is_allowed: false }
    }

    /// Answers, and reports the answer.
    fn give(&mut self, choice: PermissionAnswer, screen: &mut dyn Screen) -> io::Result<()> {
        let call = screen.call(&self.request)?;
        let outcome = choice.among(&self.request);
        let chosen = self.request.options.iter().find(|option| Some(&option.option_id) == outcome.option());
        let name = chosen.map_or("no answer fits: cancelled".to_owned(), |option| label(&option.name, NAME));
        screen.line(Tone::Question, &format!("permission: {}: {name}", subject(&call)))?;
        screen.decided(&self.request, &outcome)?;
        self.is_allowed = chosen.is_some_and(|option| {
            matches!(option.kind, PermissionOptionKind::AllowOnce | PermissionOptionKind::AllowAlways)
        });
        self.answer.give(choice);
        Ok(())
    }
}

impl Dialog for PermissionDialog {
    fn print(&mut self, screen: &mut dyn Screen) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_known, true) {
            // Some agents ask about calls that they have not reported, and the user should see the
            // change.
            let call = screen.call(&self.request)?;
            screen.line(Tone::Question, &format!("permission: {}", subject(&call)))?;
            about(&call).iter().try_for_each(|line| screen.line(Tone::Plain, &format!("    {line}")))?;
            for (index, option) in self.request.options.iter().enumerate() {
                let letter = letter(&option.kind).map(|letter| format!(" or {letter}")).unwrap_or_default();
                let name = label(&option.name, NAME);
                screen.line(Tone::Plain, &format!("  {}{letter}  {name}", index + 1))?;
            }
        }
        Ok(())
    }

    fn prompt(&self) -> String {
        "answer:".to_owned()
    }

    fn take(&mut self, line: Option<&str>, screen: &mut dyn Screen) -> io::Result<Step> {
        match line.map_or(Some(PermissionAnswer::RejectOnce), |line| read_choice(line, &self.request)) {
            Some(choice) => self.give(choice, screen).map(|()| Step::Done),
            None => screen.line(Tone::Question, "that is not one of the answers").map(|()| Step::Again),
        }
    }

    fn settle(&mut self, standing: Option<PermissionAnswer>, screen: &mut dyn Screen) -> io::Result<()> {
        self.give(standing.unwrap_or(PermissionAnswer::RejectOnce), screen)
    }

    fn takes_standing_answers(&self) -> bool {
        true
    }

    fn is_allowed(&self) -> bool {
        self.is_allowed
    }

    fn poll_withdrawn(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.answer.poll_withdrawn(cx)
    }
}

/// Returns the key of a kind of answer. A number tells options of one kind apart.
fn letter(kind: &PermissionOptionKind) -> Option<&'static str> {
    match kind {
        PermissionOptionKind::AllowOnce => Some("y"),
        PermissionOptionKind::AllowAlways => Some("a"),
        PermissionOptionKind::RejectOnce => Some("n"),
        PermissionOptionKind::RejectAlways => Some("never"),
        _ => None,
    }
}

/// Returns the meaning of a typed line. An empty line is a no.
fn read_choice(line: &str, request: &RequestPermissionRequest) -> Option<PermissionAnswer> {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(PermissionAnswer::AllowOnce),
        "a" | "always" => Some(PermissionAnswer::AllowAlways),
        "n" | "no" | "" => Some(PermissionAnswer::RejectOnce),
        "never" => Some(PermissionAnswer::RejectAlways),
        number => {
            let index = number.parse::<usize>().ok()?.checked_sub(1)?;
            Some(PermissionAnswer::Option(request.options.get(index)?.option_id.clone()))
        }
    }
}

#[cfg(test)]
mod tests {
    use acp_client::v1::{PermissionOption, ToolCallUpdate};

    use super::*;

    #[test]
    fn lines_are_read_by_letter_word_and_number() {
        let request = RequestPermissionRequest::new(
            "s",
            ToolCallUpdate::new("c"),
            [
                PermissionOption::new("no", "No", PermissionOptionKind::RejectOnce),
                PermissionOption::new("yes", "Yes", PermissionOptionKind::AllowOnce),
            ],
        );
        for (line, wants) in [
            ("y\n", Some(PermissionAnswer::AllowOnce)),
            (" Always \n", Some(PermissionAnswer::AllowAlways)),
            ("\n", Some(PermissionAnswer::RejectOnce)),
            ("n", Some(PermissionAnswer::RejectOnce)),
            ("never", Some(PermissionAnswer::RejectAlways)),
            ("2\n", Some(PermissionAnswer::Option("yes".into()))),
            ("0", None),
            ("3", None),
            ("what?", None),
        ] {
            assert_eq!(read_choice(line, &request), wants, "{line:?}");
        }
    }
}
