//! Problems of a schema file, with their places.

use std::fmt;

/// Something wrong in one schema file, placed by JSON pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    file: String,
    at: Option<Pointer>,
    message: String,
}

impl Problem {
    pub(super) fn at(file: &str, at: &Pointer, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), at: Some(at.clone()), message: message.into() }
    }

    /// A problem of the whole file, such as text that is not JSON.
    pub(super) fn of_file(file: &str, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), at: None, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        if let Some(at) = &self.at {
            if let Some(definition) = at.definition() {
                write!(f, "definition {definition:?} ")?;
            }
            write!(f, "at {at}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// A JSON pointer in its URI fragment form, `#/$defs/ToolCall/properties/kind`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pointer(Vec<String>);

impl Pointer {
    pub(super) fn root() -> Self {
        Self::default()
    }

    pub(super) fn child(&self, segment: impl fmt::Display) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment.to_string());
        Self(segments)
    }

    pub(super) fn definition(&self) -> Option<&str> {
        match self.0.as_slice() {
            [defs, name, ..] if defs == "$defs" => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("#")?;
        self.0.iter().try_for_each(|segment| write!(f, "/{}", segment.replace('~', "~0").replace('/', "~1")))
    }
}
