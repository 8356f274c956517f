//! Options at their extremes: each value works.
//!
//! `cargo test -p xtask` compares the names in these tables with the setters in the sources.

use acp_fs::{Files, Lines};

use crate::place::Place;

#[tokio::test]
async fn files_at_the_extremes_of_their_options() {
    let name = "Files::max_bytes";
    for (bytes, is_read) in [(0, false), (13, false), (14, true), (usize::MAX, true)] {
        let place = Place::with(Files::new().max_bytes(bytes)).await;
        let notes = place.path("notes.txt");
        assert_eq!(place.read(&notes).await.is_ok(), is_read, "{name}: {bytes}");
        assert_eq!(place.write(&notes, "one\ntwo\nthree\n").await.is_ok(), is_read, "{name}: {bytes}");
        let nothing = place.files.read_text(&place.roots, &notes, Lines::new(9, 1)).await;
        assert_eq!(nothing.unwrap(), "", "{name}: {bytes}");
    }
    let name = "Lines::new";
    let place = Place::new().await;
    for (first, count, length) in
        [(0, 0, 0), (0, 1, 4), (u32::MAX, u32::MAX, 0), (1, u32::MAX, 14), (u32::MAX, 0, 0)]
    {
        let lines = Lines::new(first, count);
        let read = place.files.read_text(&place.roots, &place.path("notes.txt"), lines).await;
        assert_eq!(read.unwrap().len(), length, "{name}: {first}, {count}");
    }
}
