//! Blocks of content. Version 2 adds icons to links, which have no place in the vocabulary.

use acp_types::v1::{
    Annotations, AudioContent, BlobResourceContents, ContentBlock, ContentChunk, EmbeddedResource,
    EmbeddedResourceResource, ImageContent, ResourceLink, Role, TextContent, TextResourceContents,
};
use acp_types::v2;

use super::unknown::as_unknown;

/// Decodes a piece of a message.
pub(super) fn chunk(chunk: v2::ContentChunk) -> ContentChunk {
    let mut read = ContentChunk::new(block(chunk.content));
    read.message_id = Some(Box::new(chunk.message_id));
    read.meta = chunk.meta;
    read
}

/// Decodes blocks.
pub(super) fn blocks(blocks: Vec<v2::ContentBlock>) -> Vec<ContentBlock> {
    blocks.into_iter().map(block).collect()
}

/// Decodes a block.
pub(super) fn block(block: v2::ContentBlock) -> ContentBlock {
    match block {
        v2::ContentBlock::Text(text) => text_block(text),
        v2::ContentBlock::Image(image) => {
            let mut read = ImageContent::new(image.data, image.mime_type.to_string());
            read.uri = image.uri;
            read.annotations = annotations(image.annotations);
            read.meta = image.meta;
            read.into()
        }
        v2::ContentBlock::Audio(audio) => {
            let mut read = AudioContent::new(audio.data, audio.mime_type.to_string());
            read.annotations = annotations(audio.annotations);
            read.meta = audio.meta;
            read.into()
        }
        v2::ContentBlock::ResourceLink(link) => {
            let mut read = ResourceLink::new(link.name, link.uri);
            read.title = link.title;
            read.description = link.description;
            read.mime_type = link.mime_type.map(|kind| kind.to_string());
            read.size = link.size.and_then(|size| i64::try_from(size).ok());
            read.annotations = annotations(link.annotations);
            read.meta = link.meta;
            read.into()
        }
        v2::ContentBlock::Resource(resource) => {
            let Some(contents) = contents(&resource.resource) else {
                return ContentBlock::Unknown(as_unknown("type", "resource", &*resource));
            };
            let mut read = EmbeddedResource::new(contents);
            read.annotations = annotations(resource.annotations);
            read.meta = resource.meta;
            read.into()
        }
        v2::ContentBlock::Unknown(unknown) => ContentBlock::Unknown(unknown),
        // The types know this kind and the vocabulary does not: it is unstable.
        other => ContentBlock::Unknown(as_unknown("type", other.tag(), &other)),
    }
}

fn text_block(text: v2::TextContent) -> ContentBlock {
    let mut read = TextContent::new(text.text);
    read.annotations = annotations(text.annotations);
    read.meta = text.meta;
    read.into()
}

fn contents(contents: &v2::EmbeddedResourceResource) -> Option<EmbeddedResourceResource> {
    Some(match contents {
        v2::EmbeddedResourceResource::Text(text) => {
            let mut read = TextResourceContents::new(&text.text, &text.uri);
            read.mime_type = text.mime_type.as_ref().map(|kind| kind.to_string());
            read.meta = text.meta.clone();
            EmbeddedResourceResource::Text(read)
        }
        v2::EmbeddedResourceResource::Blob(blob) => {
            let mut read = BlobResourceContents::new(&blob.blob, &blob.uri);
            read.mime_type = blob.mime_type.as_ref().map(|kind| kind.to_string());
            read.meta = blob.meta.clone();
            EmbeddedResourceResource::Blob(read)
        }
        // The types know this form and the vocabulary does not.
        _ => return None,
    })
}

fn annotations(annotations: Option<Box<v2::Annotations>>) -> Option<Box<Annotations>> {
    let annotations = *annotations?;
    let mut read = Annotations::new();
    let role = |role: v2::Role| Role::from(role.as_str());
    read.audience = annotations.audience.map(|roles| roles.into_iter().map(role).collect());
    read.last_modified = annotations.last_modified;
    read.priority = annotations.priority;
    read.meta = annotations.meta;
    Some(Box::new(read))
}
