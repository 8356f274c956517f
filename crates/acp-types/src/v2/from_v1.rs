//! Values of [`v1`](crate::v1) that are another type here, written as this version has them.

use serde_core::ser::{Serialize, SerializeMap, Serializer};

use crate::v1::{Annotations, ContentBlock};
use crate::v2::WritesV2;
use crate::v2::as_is::{member, meta, optional};

/// A block of content. A size below zero and a priority that is not between 0 and 1 are left out,
/// because this version does not have them.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a>(pub &'a ContentBlock);

/// A list of blocks.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a>(pub &'a [ContentBlock]);

impl WritesV2 for Block<'_> {}
impl WritesV2 for Blocks<'_> {}

impl Serialize for Block<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.0 {
            ContentBlock::Text(text) => {
                member(&mut map, "type", "text")?;
                annotations(&mut map, text.annotations.as_deref())?;
                member(&mut map, "text", &text.text)?;
                meta(&mut map, text.meta.as_ref())?;
            }
            ContentBlock::Image(image) => {
                member(&mut map, "type", "image")?;
                annotations(&mut map, image.annotations.as_deref())?;
                member(&mut map, "data", &image.data)?;
                member(&mut map, "mimeType", &image.mime_type)?;
                optional(&mut map, "uri", image.uri.as_ref())?;
                meta(&mut map, image.meta.as_ref())?;
            }
            ContentBlock::Audio(audio) => {
                member(&mut map, "type", "audio")?;
                annotations(&mut map, audio.annotations.as_deref())?;
                member(&mut map, "data", &audio.data)?;
                member(&mut map, "mimeType", &audio.mime_type)?;
                meta(&mut map, audio.meta.as_ref())?;
            }
            ContentBlock::ResourceLink(link) => {
                member(&mut map, "type", "resource_link")?;
                annotations(&mut map, link.annotations.as_deref())?;
                optional(&mut map, "description", link.description.as_ref())?;
                optional(&mut map, "mimeType", link.mime_type.as_ref())?;
                member(&mut map, "name", &link.name)?;
                optional(&mut map, "size", link.size.filter(|size| *size >= 0).as_ref())?;
                optional(&mut map, "title", link.title.as_ref())?;
                member(&mut map, "uri", &link.uri)?;
                meta(&mut map, link.meta.as_ref())?;
            }
            ContentBlock::Resource(resource) => {
                member(&mut map, "type", "resource")?;
                annotations(&mut map, resource.annotations.as_deref())?;
                member(&mut map, "resource", &resource.resource)?;
                meta(&mut map, resource.meta.as_ref())?;
            }
            ContentBlock::Unknown(block) => block.write("type", &mut map)?,
        }
        map.end()
    }
}

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Block))
    }
}

fn annotations<M: SerializeMap>(map: &mut M, annotations: Option<&Annotations>) -> Result<(), M::Error> {
    optional(map, "annotations", annotations.map(Hints).as_ref())
}

/// Hints on the use of content.
struct Hints<'a>(&'a Annotations);

impl WritesV2 for Hints<'_> {}

impl Serialize for Hints<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        optional(&mut map, "audience", self.0.audience.as_ref())?;
        optional(&mut map, "lastModified", self.0.last_modified.as_ref())?;
        let priority = self.0.priority.filter(|priority| (0.0..=1.0).contains(priority));
        optional(&mut map, "priority", priority.as_ref())?;
        meta(&mut map, self.0.meta.as_ref())?;
        map.end()
    }
}
