//! Reading: lines, limits, text.

use std::fs;

use acp_fs::{Error, Files, Lines, Roots};

use crate::place::Place;

#[tokio::test]
async fn lines_are_counted_from_one_and_keep_their_ends() {
    let place = Place::new().await;
    let (notes, dos) = (place.path("notes.txt"), place.path("dos.txt"));
    fs::write(&dos, "a\r\nb\r\nlast").unwrap();
    for (path, lines, expected) in [
        (&notes, Lines::ALL, "one\ntwo\nthree\n"),
        (&notes, Lines::new(0, u32::MAX), "one\ntwo\nthree\n"),
        (&notes, Lines::new(2, 1), "two\n"),
        (&notes, Lines::new(1, 0), ""),
        (&notes, Lines::new(3, 99), "three\n"),
        (&notes, Lines::new(4, 1), ""),
        (&notes, Lines::new(u32::MAX, u32::MAX), ""),
        (&dos, Lines::new(2, 9), "b\r\nlast"),
    ] {
        assert_eq!(place.files.read_text(&place.roots, path, lines).await.unwrap(), expected, "{lines:?}");
        let whole = fs::read_to_string(path).unwrap();
        assert_eq!(place.files.lines_of(&whole, lines).unwrap(), expected, "{lines:?}");
    }
}

#[tokio::test]
async fn a_huge_file_is_read_in_parts_only() {
    let place = Place::with(Files::new().max_bytes(1000)).await;
    let huge = place.path("huge.txt");
    let long = "x".repeat(3_000_000);
    fs::write(&huge, format!("{long}\nmiddle\n{long}")).unwrap();
    for lines in [Lines::ALL, Lines::new(1, 1), Lines::new(2, 2), Lines::new(3, 1)] {
        let read = place.files.read_text(&place.roots, &huge, lines).await;
        assert!(matches!(read, Err(Error::TooLarge { max_bytes: 1000 })), "{lines:?}: {read:?}");
    }
    let part = place.files.read_text(&place.roots, &huge, Lines::new(2, 1)).await.unwrap();
    assert_eq!(part, "middle\n");
}

#[tokio::test]
async fn only_text_is_read() {
    let place = Place::new().await;
    let binary = place.path("binary");
    fs::write(&binary, b"text\nab\xff\xfe").unwrap();
    assert!(matches!(place.read(&binary).await, Err(Error::NotText)));
    // The lines before it are text.
    let first = place.files.read_text(&place.roots, &binary, Lines::new(1, 1)).await.unwrap();
    assert_eq!(first, "text\n");
    fs::write(&binary, "\u{FEFF}one\r\ntwo").unwrap();
    assert_eq!(place.read(&binary).await.unwrap(), "\u{FEFF}one\r\ntwo");
}

#[tokio::test]
async fn a_missing_file_is_told_from_other_failures() {
    let place = Place::new().await;
    for missing in ["none.txt", "none/none.txt", "notes.txt/none"] {
        let read = place.read(place.path(missing)).await;
        assert!(read.as_ref().is_err_and(Error::is_missing), "{missing}: {read:?}");
    }
    assert!(matches!(place.read(place.path("sub")).await, Err(Error::Directory)));
    assert!(matches!(place.read("notes.txt").await, Err(Error::Relative)));
    // Without a root there is nothing to read.
    let nothing = place.files.read_text(&Roots::default(), &place.path("notes.txt"), Lines::ALL).await;
    assert!(matches!(nothing, Err(Error::Outside)), "{nothing:?}");
}

#[tokio::test]
async fn a_root_that_cannot_be_opened_is_left_out() {
    let place = Place::new().await;
    let roots = Roots::open([place.path("none"), place.path("notes.txt"), place.path("sub")]).await;
    let deep = place.files.read_text(&roots, &place.path("sub/deep.txt"), Lines::ALL).await;
    assert_eq!(deep.unwrap(), "deep");
    let notes = place.files.read_text(&roots, &place.path("notes.txt"), Lines::ALL).await;
    assert!(matches!(notes, Err(Error::Outside)), "{notes:?}");
    assert!(Roots::default().add(place.path("notes.txt")).is_err());
}
