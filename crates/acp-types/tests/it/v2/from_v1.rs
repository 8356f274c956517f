//! Content of version 1 that is written for version 2.

use acp_types::v1::{Annotations, ContentBlock, ResourceLink, TextContent};
use acp_types::v2::from_v1::{Block, Blocks};
use acp_types::{Map, Report, UnknownVariant, Value, from_str_reporting, to_string, v2};

/// Writes a block, and shows that version 2 reads all of it.
fn written(block: &ContentBlock) -> String {
    let text = to_string(&Block(block));
    let (_, report) = from_str_reporting::<v2::ContentBlock>(&text).unwrap();
    assert_eq!(report, Report::default(), "{text}");
    text
}

#[test]
fn numbers_that_version_2_does_not_have_are_left_out() {
    let link = |size| ContentBlock::from(ResourceLink::new("a", "file:///a").size(size));
    assert_eq!(written(&link(-1)), r#"{"type":"resource_link","name":"a","uri":"file:///a"}"#);
    assert_eq!(written(&link(0)), r#"{"type":"resource_link","name":"a","size":0,"uri":"file:///a"}"#);

    let text = |priority| {
        let hints = Annotations::new().priority(priority).last_modified("2026-01-01T00:00:00Z");
        ContentBlock::from(TextContent::new("a").annotations(hints))
    };
    let hints = r#""annotations":{"lastModified":"2026-01-01T00:00:00Z""#;
    for outside in [-0.5, 1.5] {
        assert_eq!(written(&text(outside)), format!(r#"{{"type":"text",{hints}}},"text":"a"}}"#));
    }
    for inside in [0.0, 1.0] {
        let expected = format!(r#"{{"type":"text",{hints},"priority":{inside:.1}}},"text":"a"}}"#);
        assert_eq!(written(&text(inside)), expected);
    }
}

#[test]
fn a_block_of_an_unknown_kind_keeps_its_members() {
    let members = Map::from([("size", Value::from(-1))]);
    let unknown = ContentBlock::Unknown(UnknownVariant::new("hologram", members));
    assert_eq!(to_string(&Blocks(&[unknown])), r#"[{"type":"hologram","size":-1}]"#);
}
