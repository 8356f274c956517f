//! Paths may lead to files below a root and to nothing else, however they are spelled.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use acp_fs::{Error, Lines, Roots};

use crate::place::{Place, SECRET};
use crate::ways_out::ways_out;

#[tokio::test]
async fn nothing_outside_is_read_or_written() {
    let place = Place::new().await;
    for (way, path) in ways_out(place.around.path()) {
        let read = place.read(&path).await;
        assert!(read.is_err(), "{way}: {read:?}");
        let written = place.write(&path, "overwritten").await;
        assert!(written.is_err(), "{way}: {written:?}");
    }
    for beside in ["../new.txt", "folder-out/new.txt"] {
        let written = place.write(place.path(beside), "x").await;
        assert!(matches!(written, Err(Error::Outside)), "{beside}: {written:?}");
    }
    for secret in ["secret.txt", "root-twin/secret.txt"] {
        assert_eq!(fs::read_to_string(place.around.path().join(secret)).unwrap(), SECRET);
    }
    assert_eq!(place.names(".."), ["root", "root-twin", "secret.txt"]);
}

#[tokio::test]
async fn links_and_dots_that_stay_inside_are_followed() {
    let place = Place::new().await;
    let root = place.root();
    symlink("../notes.txt", root.join("sub/link-in")).unwrap();
    symlink(root.join("notes.txt"), root.join("absolute-link-in")).unwrap();
    symlink(&root, place.around.path().join("other-name")).unwrap();
    for path in ["sub/link-in", "absolute-link-in", "../other-name/notes.txt", "sub/../notes.txt"] {
        let path = if let Some(beside) = path.strip_prefix("../") {
            place.around.path().join(beside)
        } else {
            place.path(path)
        };
        assert_eq!(place.read(&path).await.unwrap(), "one\ntwo\nthree\n", "{path:?}");
        place.write(&path, "one\ntwo\nthree\n").await.unwrap();
        let real = place.files.real_path(&place.roots, &path).await.unwrap();
        assert_eq!(real, fs::canonicalize(root.join("notes.txt")).unwrap());
    }
    assert!(fs::symlink_metadata(root.join("sub/link-in")).unwrap().is_symlink());
}

#[tokio::test]
async fn only_regular_files_are_opened() {
    let place = Place::new().await;
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, place.path("fifo"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
    symlink("nowhere", place.path("dangling")).unwrap();
    for name in ["fifo", "socket"] {
        assert!(matches!(place.read(place.path(name)).await, Err(Error::Special)), "{name}");
        assert!(matches!(place.write(place.path(name), "x").await, Err(Error::Special)), "{name}");
    }
    assert!(matches!(place.read(place.path("dangling")).await, Err(Error::Missing)));
    assert!(matches!(place.write(place.path("dangling"), "x").await, Err(Error::DanglingLink)));
    assert!(!place.path("nowhere").exists());
}

/// A directory is swapped for a link to the outside again and again, while files are read and
/// written in it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_swapped_link_does_not_lead_out() {
    let place = Place::new().await;
    let root = place.root();
    fs::create_dir(root.join("inside")).unwrap();
    fs::write(root.join("inside/secret.txt"), "harmless").unwrap();
    symlink("inside", root.join("door")).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let swapping = {
        let (stop, root) = (stop.clone(), root.clone());
        std::thread::spawn(move || {
            let swap = |to: &str| {
                symlink(to, root.join("next")).unwrap();
                fs::rename(root.join("next"), root.join("door")).unwrap();
            };
            while !stop.load(Ordering::Relaxed) {
                swap("..");
                swap("inside");
            }
        })
    };
    for _ in 0..500 {
        let read = place.read(place.path("door/secret.txt")).await;
        assert!(read.as_ref().map_or(true, |text| text != SECRET), "{read:?}");
        let _ = place.write(place.path("door/secret.txt"), "written").await;
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    assert_eq!(fs::read_to_string(place.around.path().join("secret.txt")).unwrap(), SECRET);
}

#[tokio::test]
async fn a_root_stays_the_directory_that_it_was() {
    let place = Place::new().await;
    let path = place.path("notes.txt");
    fs::rename(place.root(), place.around.path().join("moved")).unwrap();
    symlink("root-twin", place.root()).unwrap();
    fs::write(place.around.path().join("root-twin/notes.txt"), SECRET).unwrap();
    assert_eq!(place.read(&path).await.unwrap(), "one\ntwo\nthree\n");
    place.write(&path, "new").await.unwrap();
    assert_eq!(fs::read_to_string(place.around.path().join("root-twin/notes.txt")).unwrap(), SECRET);
}

#[tokio::test]
async fn nested_roots_and_several_roots_are_used_in_their_order() {
    let place = Place::new().await;
    let mut roots = Roots::open([place.path("sub")]).await;
    roots.append(&Roots::open([place.root(), place.around.path().join("root-twin")]).await);
    symlink("../notes.txt", place.path("sub/up")).unwrap();
    // It leads out of the inner root, and stays in the outer one.
    let up = place.files.read_text(&roots, &place.path("sub/up"), Lines::ALL).await.unwrap();
    assert_eq!(up, "one\ntwo\nthree\n");
    let twin = place.around.path().join("root-twin/secret.txt");
    assert_eq!(place.files.read_text(&roots, &twin, Lines::ALL).await.unwrap(), SECRET);
    assert_eq!(
        roots.real_directory(&place.path("sub")).unwrap(),
        fs::canonicalize(place.path("sub")).unwrap()
    );
    assert!(matches!(roots.real_directory(&twin), Err(Error::NotADirectory)));
    assert!(matches!(roots.real_directory(place.around.path()), Err(Error::Outside)));
}
