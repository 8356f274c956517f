//! Shorter ways to make and read content.

use crate::v1::{
    Annotations, ContentBlock, ContentChunk, EmbeddedResourceResource, ResourceLink, TextContent,
};

impl ContentBlock {
    /// Makes a block of plain text or Markdown.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        TextContent::new(text).into()
    }

    /// Makes a link to a resource that the agent can read by itself.
    #[must_use]
    pub fn link(name: impl Into<String>, uri: impl Into<String>) -> Self {
        ResourceLink::new(name, uri).into()
    }

    /// Returns the hints on the use of the block, to change them. A kind that is not known here has
    /// none.
    #[must_use]
    pub fn annotations_mut(&mut self) -> Option<&mut Annotations> {
        let annotations = match self {
            ContentBlock::Text(text) => &mut text.annotations,
            ContentBlock::Image(image) => &mut image.annotations,
            ContentBlock::Audio(audio) => &mut audio.annotations,
            ContentBlock::ResourceLink(link) => &mut link.annotations,
            ContentBlock::Resource(resource) => &mut resource.annotations,
            ContentBlock::Unknown(_) => return None,
        };
        annotations.as_deref_mut()
    }

    /// Returns the text, if this is a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            ContentBlock::Text(content) => Some(&content.text),
            _ => None,
        }
    }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl ContentChunk {
    /// Makes a chunk of text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(ContentBlock::text(text))
    }
}

impl EmbeddedResourceResource {
    /// Returns the resource's URI.
    #[must_use]
    pub fn uri(&self) -> &str {
        match self {
            Self::Text(contents) => &contents.uri,
            Self::Blob(contents) => &contents.uri,
        }
    }
}
