//! Options at their extremes: each value works.
//!
//! `cargo test -p xtask` compares the names in these tables with the setters in the sources.

use super::Place;

#[tokio::test]
async fn limits_of_output_at_their_extremes() {
    let mut place = Place::new(false).await;
    // "Shell::output_byte_limit": 0, 1, 4 and as much as there is.
    let (_, said) = place.turn("short printf größe").await;
    assert_eq!(said, "/true e/true ße/true größe/false");
}
