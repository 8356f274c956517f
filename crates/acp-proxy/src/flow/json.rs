//! JSON text that a program holds: params and results as they came.

use std::fmt;
use std::sync::Arc;

use acp_json::{FromNode, ReadError};
use acp_rpc::{Encode, EncodeError};

use crate::wire::member::at;
use crate::wire::message::text_of;

/// JSON text of one value, as a peer has written it. Clones share the text.
///
/// ```
/// use acp_proxy::Json;
///
/// let params = Json::of(&[1, 2])?;
/// assert_eq!(params.as_str(), "[1,2]");
/// assert_eq!(params.read::<Vec<u32>>()?, [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Json(Arc<str>);

impl Json {
    /// Writes a value as JSON text.
    ///
    /// # Errors
    /// The value has no JSON text.
    pub fn of(value: &(impl Encode + ?Sized)) -> Result<Self, EncodeError> {
        let mut text = Vec::new();
        value.encode(&mut text)?;
        let text = String::from_utf8(text);
        Ok(Self(text.map_err(<EncodeError as serde_core::ser::Error>::custom)?.into()))
    }

    /// Takes a text that is JSON already.
    pub(crate) fn from_text(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the string at the end of a path of members.
    ///
    /// ```
    /// use acp_proxy::Json;
    ///
    /// let params = Json::of(&"s")?;
    /// assert_eq!(params.text_at(&[]).as_deref(), Some("s"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn text_at(&self, path: &[&str]) -> Option<String> {
        Some(text_of(at(&self.0, path)?)?.into_owned())
    }

    /// Reads a value.
    ///
    /// # Errors
    /// The text is not a value of this type. The error names the member.
    pub fn read<T: FromNode>(&self) -> Result<T, ReadError> {
        acp_json::from_str(&self.0)
    }
}

/// Does not show the content.
impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Json({} bytes)", self.0.len())
    }
}
