//! Answers to forms and web pages.

/// The user's answer to a question: a form to fill in, or a web page to visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElicitationAnswer<T = ()> {
    /// The user agrees: with these values, or to opening the page.
    Accept(T),
    /// The user refuses.
    Decline,
    /// The user closed the question without an answer.
    Cancel,
}

impl<T> ElicitationAnswer<T> {
    /// Returns the values, or the page, if the user agreed.
    #[must_use]
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accept(answer) => Some(answer),
            Self::Decline | Self::Cancel => None,
        }
    }
}
