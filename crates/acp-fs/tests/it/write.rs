//! Writing: in one step, with the rights of the old file, and without leftovers.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::task::{Context, Poll, Waker};

use acp_fs::{Error, Files};

use crate::place::Place;

#[tokio::test]
async fn writing_creates_replaces_and_keeps_the_mode_apart_from_lent_rights() {
    let place = Place::new().await;
    for (before, after) in
        [(0o750, 0o750), (0o4755, 0o755), (0o2750, 0o750), (0o1700, 0o1700), (0o600, 0o600)]
    {
        let path = place.path("program");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(before)).unwrap();
        place.write(&path, "new").await.unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode, after, "{before:o}: {mode:o}");
    }
    let created = place.path("größe 文.txt");
    place.write(&created, "a\r\nb").await.unwrap();
    assert_eq!(fs::read(&created).unwrap(), b"a\r\nb");
    assert_eq!(place.names("."), ["größe 文.txt", "notes.txt", "program", "sub"]);
}

#[tokio::test]
async fn a_name_need_not_be_unicode() {
    use std::os::unix::ffi::OsStringExt;
    let place = Place::new().await;
    let path = place.root().join(std::ffi::OsString::from_vec(b"caf\xe9".to_vec()));
    match place.write(&path, "text").await {
        Ok(()) => assert_eq!(place.read(&path).await.unwrap(), "text"),
        // Some file systems have only names in Unicode.
        Err(error) => assert!(matches!(error, Error::Io(_) | Error::BadName), "{error:?}"),
    }
}

#[tokio::test]
async fn what_cannot_be_a_file_is_refused_and_leaves_nothing() {
    let place = Place::with(Files::new().create_directories().max_bytes(10)).await;
    for path in ["new/", "new//", "new/.", "a/b/", "notes.txt/", "notes.txt/.", "sub/", "/"] {
        let path = format!("{}/{path}", place.root().display());
        assert!(matches!(place.write(&path, "text").await, Err(Error::NoFileName)), "{path}");
    }
    let refused = place.write(place.path("large.txt"), "12345678901").await;
    assert!(matches!(refused, Err(Error::TooLarge { max_bytes: 10 })), "{refused:?}");
    let long = "x".repeat(300);
    for path in [format!("a/b/{long}"), format!("a/{long}/c.txt"), format!("sub/a/{long}")] {
        assert!(place.write(place.path(&path), "text").await.is_err(), "{path}");
    }
    assert_eq!(place.names("."), ["notes.txt", "sub"]);
    assert_eq!(place.names("sub"), ["deep.txt"]);
    for name in ["dot.", ".hidden", "...", "made/here/file.txt"] {
        place.write(place.path(name), "text").await.unwrap();
    }
}

#[tokio::test]
async fn directories_are_made_only_where_that_is_wanted() {
    let place = Place::new().await;
    let refused = place.write(place.path("new/file.txt"), "text").await;
    assert!(matches!(refused, Err(Error::MissingDirectory)), "{refused:?}");
    assert_eq!(place.names("."), ["notes.txt", "sub"]);
}

#[tokio::test]
async fn a_read_only_file_stays_as_it_is() {
    let place = Place::new().await;
    let path = place.path("locked.txt");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    assert!(matches!(place.write(&path, "new").await, Err(Error::Io(_))));
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
}

/// A reader finds one text or the other, and nobody's draft stays.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_never_see_a_part() {
    let place = std::sync::Arc::new(Place::new().await);
    let (a, b) = ("a".repeat(300_000), "b".repeat(200_000));
    place.write(place.path("text"), &a).await.unwrap();
    let mut tasks = Vec::new();
    for number in 0..200 {
        let (place, a, b) = (place.clone(), a.clone(), b.clone());
        tasks.push(tokio::spawn(async move {
            let path = place.path("text");
            match number % 4 {
                0 => place.write(&path, &a).await.unwrap(),
                1 => place.write(&path, &b).await.unwrap(),
                _ => {
                    let text = place.read(&path).await.unwrap();
                    assert!(text == a || text == b, "{} bytes", text.len());
                }
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(place.names("."), ["notes.txt", "sub", "text"]);
}

/// A write that is dropped before it has begun is not done later.
#[test]
fn a_dropped_write_that_has_not_begun_is_given_up() {
    // One thread for the disk, which is busy.
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
    runtime.block_on(async {
        let place = Place::new().await;
        let (free, busy) = std::sync::mpsc::channel::<()>();
        let blocking = tokio::task::spawn_blocking(move || busy.recv().unwrap());
        {
            let writing = place.write(place.path("late.txt"), "late");
            let mut writing = std::pin::pin!(writing);
            let polled = writing.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(matches!(polled, Poll::Pending));
        }
        free.send(()).unwrap();
        blocking.await.unwrap();
        // The thread works in order: after this the write would have been done.
        assert_eq!(place.read(place.path("notes.txt")).await.unwrap(), "one\ntwo\nthree\n");
        assert_eq!(place.names("."), ["notes.txt", "sub"]);
    });
}
