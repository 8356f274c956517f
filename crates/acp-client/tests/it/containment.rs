//! Paths may lead to files below a root and to nothing else, however they are spelled.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use acp_client::{HostFile, LocalFs, Overlay};
use serde_json::json;

use crate::common::place::{Place, SECRET, code};
use crate::common::with_session;

use self::ways_out::ways_out;

#[path = "../../../acp-fs/tests/it/ways_out.rs"]
mod ways_out;

#[tokio::test]
async fn nothing_outside_is_read() {
    let mut place = Place::new().await;
    for (way, path) in ways_out(place.folder.path()) {
        let answer = place.read(&path).await;
        assert_eq!(code(&answer), -32602, "{way}: {answer}");
    }
}

#[tokio::test]
async fn nothing_outside_is_written() {
    let mut place = Place::new().await;
    for (way, path) in ways_out(place.folder.path()) {
        let answer = place.write(&path, "overwritten").await;
        assert_eq!(code(&answer), -32602, "{way}: {answer}");
    }
    let around = place.folder.path().to_owned();
    let beside = place.path("../new.txt");
    assert_eq!(code(&place.write(&beside, "x").await), -32602);
    let through = place.path("folder-out/new.txt");
    assert_eq!(code(&place.write(&through, "x").await), -32602);
    let made = place.path("folder-out/made/new.txt");
    assert_eq!(code(&place.write(&made, "x").await), -32602);
    for secret in ["secret.txt", "root-twin/secret.txt"] {
        assert_eq!(fs::read_to_string(around.join(secret)).expect("there"), SECRET);
    }
    let mut names: Vec<_> = fs::read_dir(&around)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["root", "root-twin", "secret.txt"]);
}

#[tokio::test]
async fn links_and_dots_that_stay_inside_are_followed() {
    let mut place = Place::new().await;
    let root = place.root();
    symlink("../notes.txt", root.join("sub/link-in")).expect("linked");
    symlink(root.join("notes.txt"), root.join("absolute-link-in")).expect("linked");
    symlink(&root, place.folder.path().join("other-name")).expect("linked");
    let other_name = place.folder.path().join("other-name/notes.txt").to_str().expect("UTF-8").to_owned();
    let dots = place.path("sub/../notes.txt");
    let links = [place.path("sub/link-in"), place.path("absolute-link-in"), other_name, dots];
    for (n, path) in links.iter().enumerate() {
        assert_eq!(place.read(path).await["result"]["content"], "one\ntwo\nthree\n", "{path}");
        // The write goes through the link, which stays a link.
        assert_eq!(place.write(path, &format!("version {n}")).await["result"], json!({}), "{path}");
        assert_eq!(fs::read_to_string(root.join("notes.txt")).expect("there"), format!("version {n}"));
        fs::write(root.join("notes.txt"), "one\ntwo\nthree\n").expect("written");
    }
    assert!(fs::symlink_metadata(root.join("sub/link-in")).expect("there").is_symlink());
}

#[tokio::test]
async fn what_is_no_regular_file_is_refused() {
    let mut place = Place::new().await;
    let root = place.root();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, root.join("fifo"), rustix::fs::FileType::Fifo, mode, 0)
        .expect("made");
    let _listener = std::os::unix::net::UnixListener::bind(root.join("socket")).expect("made");
    symlink("nowhere", root.join("dangling")).expect("linked");
    for name in ["fifo", "socket"] {
        let path = place.path(name);
        assert_eq!(code(&place.read(&path).await), -32602, "{name}");
        assert_eq!(code(&place.write(&path, "x").await), -32602, "{name}");
    }
    let dangling = place.path("dangling");
    assert_eq!(code(&place.read(&dangling).await), -32002);
    assert_eq!(code(&place.write(&dangling, "x").await), -32602);
    assert!(!root.join("nowhere").exists());
}

#[tokio::test]
async fn a_hard_link_keeps_the_old_text() {
    let mut place = Place::new().await;
    let (secret, link) = (place.folder.path().join("secret.txt"), place.path("hard"));
    fs::hard_link(&secret, &link).expect("linked");
    assert_eq!(place.write(&link, "new").await["result"], json!({}));
    assert_eq!(fs::read_to_string(&secret).expect("there"), SECRET, "what is outside is not written through");
}

/// A directory is swapped for a link to the outside again and again, while files are read and
/// written in it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_swapped_link_does_not_lead_out() {
    let mut place = Place::new().await;
    let root = place.root();
    let path = place.path("door/secret.txt");
    fs::create_dir(root.join("inside")).expect("made");
    fs::write(root.join("inside/secret.txt"), "harmless").expect("written");
    symlink("inside", root.join("door")).expect("linked");
    symlink("inside", root.join("in")).expect("linked");
    symlink("..", root.join("out")).expect("linked");
    let stop = Arc::new(AtomicBool::new(false));
    let swapping = {
        let (stop, root) = (stop.clone(), root.clone());
        std::thread::spawn(move || {
            let swap = |to: &str| {
                symlink(to, root.join("next")).expect("linked");
                fs::rename(root.join("next"), root.join("door")).expect("swapped");
            };
            while !stop.load(Ordering::Relaxed) {
                swap("..");
                swap("inside");
            }
        })
    };
    for _ in 0..500 {
        let read = place.read(&path).await;
        assert_ne!(read["result"]["content"], SECRET);
        place.write(&path, "written").await;
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().expect("it swapped to the end");
    assert_eq!(fs::read_to_string(place.folder.path().join("secret.txt")).expect("there"), SECRET);
}

#[tokio::test]
async fn what_devices_and_processes_give_is_no_text() {
    // Special files are special below any root, even below one of the system's own.
    for (root, paths) in [
        ("/dev", &["/dev/null", "/dev/zero", "/dev/random", "/dev/tty"][..]),
        ("/proc/self", &["/proc/self/root/etc/passwd", "/proc/self/cwd/Cargo.toml", "/proc/self/fd/0"][..]),
    ] {
        let Ok(files) = LocalFs::rooted(root) else { continue };
        let (_session, mut wire) = with_session(|connect| connect.fs(files)).await;
        for path in paths {
            let params = json!({"sessionId": "s1", "path": path});
            let answer = wire.call(json!("r"), "fs/read_text_file", params).await;
            let code = code(&answer);
            assert!(code == -32602 || code == -32002, "{path}: {answer}");
            let params = json!({"sessionId": "s1", "path": path, "content": "text"});
            let answer = wire.call(json!("w"), "fs/write_text_file", params).await;
            assert!(answer["error"]["code"].is_i64(), "{path}: {answer}");
        }
    }
}

#[tokio::test]
async fn a_name_in_another_case_is_what_the_disk_says_it_is() {
    let mut place = Place::new().await;
    let is_one_file = place.root().join("NOTES.TXT").exists();
    let (other, around) = (place.path("NOTES.TXT"), place.folder.path().join("ROOT/notes.txt"));
    let answer = place.read(&other).await;
    if is_one_file {
        assert_eq!(answer["result"]["content"], "one\ntwo\nthree\n");
    } else {
        assert_eq!(code(&answer), -32002);
        // This is another root, which is not served.
        assert_eq!(code(&place.read(around.to_str().expect("UTF-8")).await), -32602);
    }
}

/// A hard link is a file of its own. The other names of its text may lie anywhere.
#[tokio::test]
async fn a_hard_link_is_a_file() {
    let mut place = Place::new().await;
    let link = place.path("hard");
    fs::hard_link(place.folder.path().join("root/sub/deep.txt"), &link).expect("linked");
    assert_eq!(place.read(&link).await["result"]["content"], "deep");
}

#[tokio::test]
async fn a_root_stays_the_directory_that_it_was() {
    let mut place = Place::new().await;
    let (root, path) = (place.root(), place.path("notes.txt"));
    fs::rename(&root, place.folder.path().join("moved")).expect("moved");
    for other in ["root-twin", "."] {
        symlink(other, &root).expect("linked");
        fs::write(place.folder.path().join(other).join("notes.txt"), SECRET).expect("written");
        assert_eq!(place.read(&path).await["result"]["content"], "one\ntwo\nthree\n", "{other}");
        assert_eq!(place.write(&path, "one\ntwo\nthree\n").await["result"], json!({}), "{other}");
        let twin = fs::read_to_string(place.folder.path().join(other).join("notes.txt"));
        assert_eq!(twin.expect("there"), SECRET);
        fs::remove_file(&root).expect("unlinked");
    }
}

/// A file is swapped for a link to the outside and back while it is read, directly and through an
/// overlay.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_swapped_file_does_not_lead_out() {
    for with_overlay in [false, true] {
        let mut place = Place::with(|files| if with_overlay { files.overlay(Nothing) } else { files }).await;
        let (root, path) = (place.root(), place.path("door"));
        fs::write(root.join("harmless"), "harmless").expect("written");
        fs::hard_link(root.join("harmless"), root.join("door")).expect("linked");
        let stop = Arc::new(AtomicBool::new(false));
        let swapping = {
            let (stop, root) = (Arc::clone(&stop), root.clone());
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    symlink("../secret.txt", root.join("next")).expect("linked");
                    fs::rename(root.join("next"), root.join("door")).expect("swapped");
                    fs::hard_link(root.join("harmless"), root.join("next")).expect("linked");
                    fs::rename(root.join("next"), root.join("door")).expect("swapped");
                }
            })
        };
        for _ in 0..500 {
            let read = place.read(&path).await;
            match read["result"]["content"].as_str() {
                Some(text) => assert_eq!(text, "harmless"),
                None => assert!(!read.to_string().contains(SECRET), "{read}"),
            }
        }
        stop.store(true, Ordering::Relaxed);
        swapping.join().expect("it swapped to the end");
    }
}

struct Nothing;

impl Overlay for Nothing {
    async fn read(&self, file: &HostFile) -> Option<String> {
        assert!(!file.real_path().ends_with("secret.txt"), "{file:?}");
        None
    }

    async fn write(&self, _: &HostFile, _: &str) -> bool {
        false
    }
}
