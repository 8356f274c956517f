//! Directories and kinds of files.

use std::fs;
use std::os::unix::fs::symlink;

use acp_fs::{EntryKind, Error};

use crate::place::Place;

#[tokio::test]
async fn a_directory_is_listed_in_order_and_bounded() {
    let place = Place::new().await;
    symlink("notes.txt", place.path("link")).unwrap();
    symlink("..", place.path("out")).unwrap();
    let listing = place.files.list(&place.roots, &place.root(), 100).await.unwrap();
    let entries: Vec<_> =
        listing.entries.iter().map(|entry| (entry.name.to_str().unwrap(), entry.kind)).collect();
    assert_eq!(
        entries,
        [
            ("link", EntryKind::Link),
            ("notes.txt", EntryKind::File),
            ("out", EntryKind::Link),
            ("sub", EntryKind::Directory),
        ]
    );
    assert!(listing.is_complete);
    for (most, names) in [(0, &[][..]), (1, &["link"]), (3, &["link", "notes.txt", "out"])] {
        let listing = place.files.list(&place.roots, &place.root(), most).await.unwrap();
        let found: Vec<_> = listing.entries.iter().map(|entry| entry.name.to_str().unwrap()).collect();
        assert_eq!((found.as_slice(), listing.is_complete), (names, false), "{most}");
    }
}

#[tokio::test]
async fn what_cannot_be_listed_is_an_error() {
    let place = Place::new().await;
    symlink("..", place.path("out")).unwrap();
    let list = async |name: &str| place.files.list(&place.roots, &place.path(name), 9).await.unwrap_err();
    assert!(matches!(list("notes.txt").await, Error::NotADirectory));
    assert!(matches!(list("none").await, Error::Missing));
    assert!(matches!(list("out").await, Error::Outside));
    assert!(matches!(list("../root-twin").await, Error::Outside));
}

#[tokio::test]
async fn links_lead_to_the_kind_of_their_file() {
    let place = Place::new().await;
    symlink("notes.txt", place.path("link")).unwrap();
    symlink("none", place.path("dangling")).unwrap();
    symlink("../secret.txt", place.path("out")).unwrap();
    fs::create_dir(place.path("empty")).unwrap();
    let kind = async |name: &str| place.files.kind(&place.roots, &place.path(name)).await;
    assert_eq!(kind("link").await.unwrap(), Some(EntryKind::File));
    assert_eq!(kind("empty").await.unwrap(), Some(EntryKind::Directory));
    assert_eq!(kind(".").await.unwrap(), Some(EntryKind::Directory));
    for missing in ["none", "dangling", "none/none", "notes.txt/none"] {
        assert_eq!(kind(missing).await.unwrap(), None, "{missing}");
    }
    assert!(matches!(kind("out").await, Err(Error::Outside)));
    // Outside, nobody learns which files there are.
    assert!(matches!(kind("../none").await, Err(Error::Outside)));
}
