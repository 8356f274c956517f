//! Sizes that streams of updates depend on.

use std::mem::size_of;

use acp_types::v2::{ContentBlock, SessionId, SessionUpdate, StateUpdate, ToolCallContent, ToolCallUpdate};

#[test]
fn unions_on_the_hot_path_stay_small() {
    for (name, size, most) in [
        ("ContentBlock", size_of::<ContentBlock>(), 64),
        ("SessionUpdate", size_of::<SessionUpdate>(), 64),
        ("StateUpdate", size_of::<StateUpdate>(), 64),
        ("ToolCallContent", size_of::<ToolCallContent>(), 64),
        ("SessionId", size_of::<SessionId>(), 2 * size_of::<usize>()),
    ] {
        println!("{name}: {size} bytes, at most {most}");
        assert!(size <= most, "{name}: {size} bytes");
    }
    println!("ToolCallUpdate: {} bytes, behind a pointer in SessionUpdate", size_of::<ToolCallUpdate>());
}
