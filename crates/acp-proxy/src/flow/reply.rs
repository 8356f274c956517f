//! The answer to a request, as a proxy holds it.

use acp_json::{FromNode, ReadError};
use acp_rpc::{Encode, Error};

use super::json::Json;
use crate::wire::forms::error_text;
use crate::wire::message::Answer;

/// The answer to a request: a result or an error, as the JSON text that came. A reply that a proxy
/// returns unchanged leaves byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    outcome: Outcome,
    /// The result that came, if this one is a view of it.
    came: Option<Json>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Result(Json),
    Error(Json),
}

impl Reply {
    /// Makes an answer with a result.
    ///
    /// # Errors
    /// The result has no JSON text. The error object says so.
    pub fn of(result: &(impl Encode + ?Sized)) -> Result<Self, Error> {
        let text = Json::of(result);
        let text = text.map_err(|error| Error::internal(format!("the result is not JSON: {error}")));
        Ok(Self::new(Outcome::Result(text?)))
    }

    /// Returns the result, unless it is an error.
    #[must_use]
    pub const fn result(&self) -> Option<&Json> {
        match &self.outcome {
            Outcome::Result(json) => Some(json),
            Outcome::Error(_) => None,
        }
    }

    /// Returns the error object, unless it is a result.
    #[must_use]
    pub const fn error(&self) -> Option<&Json> {
        match &self.outcome {
            Outcome::Result(_) => None,
            Outcome::Error(json) => Some(json),
        }
    }

    /// Reads the result. Returns `None` for an error.
    ///
    /// # Errors
    /// The result is not a value of this type.
    pub fn read<T: FromNode>(&self) -> Result<Option<T>, ReadError> {
        self.result().map(Json::read).transpose()
    }

    pub(crate) fn from_answer(answer: Answer<'_>) -> Self {
        Self::new(match answer {
            Answer::Result(text) => Outcome::Result(Json::from_text(text)),
            Answer::Error(text) => Outcome::Error(Json::from_text(text)),
        })
    }

    const fn new(outcome: Outcome) -> Self {
        Self { outcome, came: None }
    }

    /// Makes a view of a result that came.
    #[cfg(feature = "v2")]
    pub(crate) fn seen_as(came: Json, view: Json) -> Self {
        Self { outcome: Outcome::Result(view), came: Some(came) }
    }

    /// Returns the result that came, if this is a view of it.
    #[cfg(feature = "v2")]
    pub(crate) const fn came(&self) -> Option<&Json> {
        self.came.as_ref()
    }

    pub(crate) fn text(&self) -> &str {
        match &self.outcome {
            Outcome::Result(json) | Outcome::Error(json) => json.as_str(),
        }
    }

    pub(crate) fn as_answer(&self) -> Answer<'_> {
        match &self.outcome {
            Outcome::Result(json) => Answer::Result(json.as_str()),
            Outcome::Error(json) => Answer::Error(json.as_str()),
        }
    }
}

impl From<Error> for Reply {
    fn from(error: Error) -> Self {
        Self::new(Outcome::Error(Json::from_text(error_text(&error))))
    }
}

impl<T: Into<Self>, E: Into<Error>> From<Result<T, E>> for Reply {
    fn from(outcome: Result<T, E>) -> Self {
        match outcome {
            Ok(reply) => reply.into(),
            Err(error) => error.into().into(),
        }
    }
}
