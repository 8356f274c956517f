//! Sizes that streams of updates depend on.

use std::mem::size_of;

use acp_types::Meta;
use acp_types::v1::{ContentBlock, SessionId, SessionUpdate};

#[test]
fn unions_on_the_hot_path_stay_small() {
    assert!(size_of::<ContentBlock>() <= 64, "{}", size_of::<ContentBlock>());
    assert!(size_of::<SessionUpdate>() <= 64, "{}", size_of::<SessionUpdate>());
    assert_eq!(size_of::<SessionId>(), 2 * size_of::<usize>());
    assert_eq!(size_of::<Option<Meta>>(), size_of::<usize>());
}
