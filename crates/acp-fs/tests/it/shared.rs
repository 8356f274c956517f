//! Files that several users share. Whoever writes them, the same people may read and write them
//! afterwards.

#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::thread;

use acp_fs::{Error, Files, Roots};
use rustix::fs::{XattrFlags, getxattr, setxattr};
use rustix::process::{Gid, Uid};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};

const ALICE: u32 = 21_001;
const BOB: u32 = 21_002;
const CAROL: u32 = 21_003;
const DEV: u32 = 22_000;

const OLD: &str = "the old text, which is longer";
const NOTE: &str = "user.acp.note";
const ACL: &str = "system.posix_acl_access";

/// A user who writes, with the group of the same number, and possibly in the group `DEV` as well.
#[derive(Clone, Copy)]
struct Writer {
    user: u32,
    in_dev: bool,
}

/// Lets this user write the file, below this root.
fn written(writer: Writer, root: &Path, file: &Path) -> Result<(), Error> {
    let (root, path) = (root.to_owned(), file.to_owned());
    // On Linux rights belong to threads, and new threads inherit them.
    let writing = thread::spawn(move || {
        if writer.user != 0 {
            let groups = if writer.in_dev { vec![Gid::from_raw(DEV)] } else { Vec::new() };
            set_thread_groups(&groups).expect("root may");
            set_thread_gid(Gid::from_raw(writer.user)).expect("root may");
            set_thread_uid(Uid::from_raw(writer.user)).expect("root may");
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let roots = Roots::open([root]).await;
            Files::new().write_text(&roots, &path, "new").await
        })
    });
    writing.join().expect("no panic")
}

/// Lets `CAROL` read, beside the rights of the mode.
fn acl_for_carol(mode: u32) -> Vec<u8> {
    let entries = [
        (0x01_u16, mode >> 6 & 7, u32::MAX),
        (0x02, 4, CAROL),
        (0x04, mode >> 3 & 7, u32::MAX),
        (0x10, mode >> 3 & 7, u32::MAX),
        (0x20, mode & 7, u32::MAX),
    ];
    let mut acl = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in entries {
        acl.extend(tag.to_le_bytes());
        acl.extend(u16::try_from(rights).expect("three bits").to_le_bytes());
        acl.extend(id.to_le_bytes());
    }
    acl
}

fn attribute(file: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = vec![0; 256];
    let length = getxattr(file, name, value.as_mut_slice()).ok()?;
    value.truncate(length);
    Some(value)
}

/// The attributes of a file that must not change.
fn rights(file: &Path) -> (u32, u32, u32, Option<Vec<u8>>, Option<Vec<u8>>) {
    let known = fs::metadata(file).expect("there");
    (known.uid(), known.gid(), known.mode() & 0o7777, attribute(file, NOTE), attribute(file, ACL))
}

/// A folder and a file in it, with these owners, groups and modes.
struct Shared {
    _temporary: tempfile::TempDir,
    root: PathBuf,
    file: PathBuf,
}

impl Shared {
    fn new(folder: (u32, u32, u32), file: (u32, u32, u32)) -> Self {
        let temporary = tempfile::tempdir().expect("a folder");
        fs::set_permissions(temporary.path(), Permissions::from_mode(0o755)).expect("set");
        let root = temporary.path().join("root");
        let path = root.join("shared.txt");
        fs::create_dir(&root).expect("made");
        fs::write(&path, OLD).expect("written");
        for (path, (user, group, mode)) in [(&root, folder), (&path, file)] {
            chown(path, Some(user), Some(group)).expect("root may");
            fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
        }
        Self { _temporary: temporary, root, file: path }
    }
}

fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        eprintln!("skipped: only root can be several users");
    }
    is_root
}

#[test]
fn who_shares_a_file_still_does_when_somebody_has_written_it() {
    if !is_root() {
        return;
    }
    let bob = Writer { user: BOB, in_dev: false };
    let bob_of_dev = Writer { user: BOB, in_dev: true };
    let root = Writer { user: 0, in_dev: false };
    let open = (ALICE, DEV, 0o2775);
    // The folder, the file, the writer, and whether the file can be replaced in one step.
    let table = [
        // Bob cannot make a file that belongs to Alice.
        (open, (ALICE, DEV, 0o664), bob_of_dev, false),
        (open, (ALICE, DEV, 0o666), bob_of_dev, false),
        // He can make files of the groups that he is in, and of no other group.
        ((BOB, BOB, 0o755), (BOB, DEV, 0o640), bob, false),
        ((BOB, BOB, 0o755), (BOB, DEV, 0o640), bob_of_dev, true),
        ((BOB, BOB, 0o755), (BOB, BOB, 0o604), bob, true),
        // A new file here has the folder's group, which would gain access.
        (open, (BOB, BOB, 0o640), bob_of_dev, true),
        // He may write the file, but not replace it.
        ((ALICE, DEV, 0o755), (ALICE, DEV, 0o660), bob_of_dev, false),
        ((ALICE, DEV, 0o1777), (ALICE, DEV, 0o660), bob_of_dev, false),
        (open, (ALICE, DEV, 0o640), root, true),
        (open, (ALICE, DEV, 0o600), root, true),
    ];
    for (folder, file, writer, is_replaced) in table {
        for has_more in [false, true] {
            let what = format!("{folder:?} {file:?}, by {}, with more: {has_more}", writer.user);
            let shared = Shared::new(folder, file);
            if has_more && setxattr(&shared.file, NOTE, b"kept", XattrFlags::empty()).is_err() {
                eprintln!("skipped: no extended attributes here");
                continue;
            }
            if has_more {
                let acl = acl_for_carol(file.2);
                let has_acl = setxattr(&shared.file, ACL, &acl, XattrFlags::empty());
                has_acl.unwrap_or_else(|error| eprintln!("no ACL here: {error}"));
            }
            let (before, inode) = (rights(&shared.file), fs::metadata(&shared.file).expect("there").ino());
            assert!(written(writer, &shared.root, &shared.file).is_ok(), "{what}");
            assert_eq!(rights(&shared.file), before, "{what}");
            assert_eq!(fs::read_to_string(&shared.file).expect("there"), "new", "{what}");
            let after = fs::metadata(&shared.file).expect("there").ino();
            assert_eq!(after != inode, is_replaced, "{what}");
            assert_eq!(fs::read_dir(&shared.root).expect("there").count(), 1, "nothing is left over: {what}");
        }
    }
}

#[test]
fn what_a_folder_gives_to_new_files_lets_nobody_into_an_old_one() {
    if !is_root() {
        return;
    }
    let shared = Shared::new((BOB, BOB, 0o755), (BOB, BOB, 0o640));
    let given =
        setxattr(&shared.root, "system.posix_acl_default", &acl_for_carol(0o755), XattrFlags::empty());
    if given.is_err() {
        eprintln!("skipped: no ACL here");
        return;
    }
    let before = rights(&shared.file);
    let bob = Writer { user: BOB, in_dev: false };
    written(bob, &shared.root, &shared.file).expect("written");
    assert_eq!((rights(&shared.file), before.4.is_none()), (before, true));
}

#[test]
fn a_file_that_can_neither_be_replaced_nor_written_stays_as_it_is() {
    if !is_root() {
        return;
    }
    let shared = Shared::new((ALICE, DEV, 0o775), (ALICE, DEV, 0o664));
    // Its text may be that of a file which is not served.
    let outside = shared.root.parent().expect("has one").join("outside.txt");
    fs::hard_link(&shared.file, &outside).expect("linked");
    let before = rights(&shared.file);
    let refused = written(Writer { user: BOB, in_dev: true }, &shared.root, &shared.file);
    let Err(Error::Io(error)) = refused else { panic!("{refused:?}") };
    assert!(error.to_string().contains("hard links"), "{error}");
    assert_eq!(rights(&shared.file), before);
    assert_eq!(fs::read_to_string(&outside).expect("there"), OLD);
    assert_eq!(fs::read_dir(&shared.root).expect("there").count(), 1);
}
