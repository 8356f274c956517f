//! Archives of every kind, and those that must not be unpacked.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use tar::{EntryType, Header};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{Limits, unpack};

const FEW: Limits = Limits { entries: 10, bytes: 10_000 };

/// An archive in a folder, and the folder that it is unpacked into.
struct Scene(TempDir);

impl Scene {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn unpack(&self, archive: &[u8], cmd: &str) -> Result<PathBuf, String> {
        let (file, folder) = (self.0.path().join("archive"), self.0.path().join("files"));
        fs::write(&file, archive).unwrap();
        unpack(&file, &folder, cmd, FEW).map(|()| folder)
    }

    /// Fails to unpack, and finds nothing beside the folder.
    fn refuse(archive: &[u8]) -> String {
        let scene = Self::new();
        let problem = scene.unpack(archive, "robot").unwrap_err();
        for entry in fs::read_dir(scene.0.path()).unwrap() {
            let name = entry.unwrap().file_name();
            assert!(name == "archive" || name == "files", "{} was made: {problem}", name.display());
        }
        problem
    }
}

/// An entry of a tar archive with a name and a target that the crate would not write.
fn entry(tar: &mut Vec<u8>, kind: EntryType, name: &str, target: &str, content: &[u8]) {
    let mut header = Header::new_ustar();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
    header.as_mut_bytes()[157..157 + target.len()].copy_from_slice(target.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o755);
    header.set_size(content.len() as u64);
    header.set_cksum();
    tar.extend_from_slice(header.as_bytes());
    tar.extend_from_slice(content);
    tar.resize(tar.len().next_multiple_of(512), 0);
}

fn tar(entries: &[(EntryType, &str, &str, &[u8])]) -> Vec<u8> {
    let mut tar = Vec::new();
    entries.iter().for_each(|(kind, name, target, content)| entry(&mut tar, *kind, name, target, content));
    tar.resize(tar.len() + 1024, 0);
    tar
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(content: &[u8]) -> Vec<u8> {
    let mut encoder = BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn tar_gz(entries: &[(EntryType, &str, &str, &[u8])]) -> Vec<u8> {
    gzip(&tar(entries))
}

fn zip(files: &[(&str, u32, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, mode, content) in files {
        match mode & 0o170_000 {
            0o120_000 => {
                let target = std::str::from_utf8(content).unwrap();
                zip.add_symlink(*name, target, SimpleFileOptions::default()).unwrap();
            }
            _ => {
                zip.start_file(*name, SimpleFileOptions::default().unix_permissions(*mode)).unwrap();
                zip.write_all(content).unwrap();
            }
        }
    }
    zip.finish().unwrap().into_inner()
}

use EntryType::{Block, Char, Directory, Fifo, Link, Regular, Symlink};

#[test]
fn each_kind_of_archive_is_unpacked_whatever_it_is_called() {
    let content: &[u8] = b"#!/bin/sh\n";
    let files = [
        (Directory, "bin/", "", &[][..]),
        (Regular, "./bin/robot", "", content),
        (Regular, "a/b/c", "", b"x"),
    ];
    for archive in
        [tar_gz(&files), bzip2(&tar(&files)), zip(&[("bin/robot", 0o644, content), ("a/b/c", 0o644, b"x")])]
    {
        let scene = Scene::new();
        let folder = scene.unpack(&archive, "./bin/robot").unwrap();
        assert_eq!(fs::read(folder.join("bin/robot")).unwrap(), content);
        assert_eq!(fs::read(folder.join("a/b/c")).unwrap(), b"x");
        assert_executable(&folder.join("bin/robot"));
    }
}

#[test]
fn a_bare_program_is_put_under_the_name_of_its_cmd() {
    for content in
        [&b"#!/bin/sh\n"[..], b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", b"MZ\x90\0", b"\xcf\xfa\xed\xfe1"]
    {
        let scene = Scene::new();
        let folder = scene.unpack(content, "./robot").unwrap();
        assert_eq!(fs::read(folder.join("robot")).unwrap(), content);
        assert_executable(&folder.join("robot"));
    }
    for cmd in ["../robot", "/robot", "", "."] {
        let problem = Scene::new().unpack(b"#!/bin/sh\n", cmd).unwrap_err();
        assert!(problem.contains("its `cmd` is not the name of a file"), "{cmd}: {problem}");
    }
}

#[test]
fn names_that_leave_the_folder_are_refused() {
    for name in ["../robot", "/robot", "a/../../robot", "a/..", "..", "a\\..\\robot", "C:/robot", "C:robot"] {
        for archive in [
            tar_gz(&[(Regular, name, "", b"x")]),
            zip(&[(name, 0o644, b"x")]),
            tar_gz(&[(Directory, name, "", b"")]),
            tar_gz(&[(Symlink, name, "robot", b""), (Regular, "robot", "", b"x")]),
        ] {
            let problem = Scene::refuse(&archive);
            assert!(problem.contains("leaves the folder"), "{name}: {problem}");
        }
    }
}

/// A long name of GNU's, and one of a pax header.
#[test]
fn names_of_other_headers_are_used_and_checked() {
    let pax = |member: &str| format!("{} {member}\n", member.len() + 4);
    let long = "d".repeat(120) + "/robot";
    let archive = tar_gz(&[
        (EntryType::GNULongName, "././@LongLink", "", format!("{long}\0").as_bytes()),
        (Regular, "short", "", b"1"),
        (EntryType::XHeader, "pax", "", pax("path=other").as_bytes()),
        (Regular, "short", "", b"2"),
    ]);
    let scene = Scene::new();
    let folder = scene.unpack(&archive, "robot").unwrap();
    assert_eq!(fs::read(folder.join(long)).unwrap(), b"1");
    assert_eq!(fs::read(folder.join("other")).unwrap(), b"2");
    assert!(!folder.join("short").exists());
    for (kind, content) in [
        (EntryType::GNULongName, "../robot\0".to_owned()),
        (EntryType::XHeader, pax("path=../rob")),
        (EntryType::XHeader, pax("path=/robot")),
    ] {
        let archive = tar_gz(&[(kind, "header", "", content.as_bytes()), (Regular, "a", "", b"x")]);
        assert!(Scene::refuse(&archive).contains("leaves the folder"));
    }
    let huge = vec![b'a'; 1024 * 1024 + 1];
    for kind in [EntryType::GNULongName, EntryType::GNULongLink, EntryType::XHeader, EntryType::XGlobalHeader]
    {
        let problem = Scene::refuse(&tar_gz(&[(kind, "header", "", &huge), (Regular, "a", "", b"x")]));
        assert!(problem.contains("header of more than"), "{problem}");
    }
}

#[cfg(unix)]
#[test]
fn links_within_the_folder_are_kept() {
    let archive = tar_gz(&[
        (Symlink, "bin/robot", "../lib/robot", b""),
        (Regular, "lib/robot", "", b"x"),
        (Link, "lib/again", "lib/robot", b""),
        (Symlink, "latest", "lib", b""),
    ]);
    let scene = Scene::new();
    let folder = scene.unpack(&archive, "bin/robot").unwrap();
    for name in ["bin/robot", "lib/again", "latest/robot"] {
        assert_eq!(fs::read(folder.join(name)).unwrap(), b"x", "{name}");
    }
    let zipped = zip(&[("lib/robot", 0o755, b"x"), ("robot", 0o120_777, b"lib/robot")]);
    let scene = Scene::new();
    let folder = scene.unpack(&zipped, "robot").unwrap();
    assert_eq!(fs::read_link(folder.join("robot")).unwrap(), Path::new("lib/robot"));
}

#[cfg(unix)]
#[test]
fn links_that_leave_the_folder_are_refused() {
    let outside = tempfile::tempdir().unwrap();
    let absolute = outside.path().to_str().unwrap();
    for target in ["..", "../archive", "/etc/passwd", absolute, "a/../../archive"] {
        let folder = (Directory, "a/", "", &[][..]);
        let problem = Scene::refuse(&tar_gz(&[folder, (Symlink, "link", target, b"")]));
        assert!(problem.contains("leaves the folder"), "{target}: {problem}");
        let problem = Scene::refuse(&zip(&[("a/x", 0o644, b""), ("link", 0o120_777, target.as_bytes())]));
        assert!(problem.contains("leaves the folder"), "{target}: {problem}");
    }
    // A link to the folder itself would lead to nothing when the folder is moved.
    let scene = Scene::new();
    let own = scene.0.path().join("files/robot");
    let link = (Symlink, "link", own.to_str().unwrap(), &[][..]);
    let problem = scene.unpack(&tar_gz(&[(Regular, "robot", "", b"x"), link]), "robot").unwrap_err();
    assert!(problem.contains("leaves the folder"), "{problem}");
    // Each of them stays inside, and both together do not.
    let problem = Scene::refuse(&tar_gz(&[
        (Directory, "a/b/", "", b""),
        (Symlink, "a/b/up", "../..", b""),
        (Symlink, "a/b/out", "up/../archive", b""),
    ]));
    assert!(problem.contains("leaves the folder"), "{problem}");
    assert!(Scene::refuse(&tar_gz(&[(Symlink, "link", "nothing", b"")])).contains("leads nowhere"));
    assert!(Scene::refuse(&tar_gz(&[(Symlink, "link", "link", b"")])).contains("leads nowhere"));
    for target in ["../archive", "/etc/passwd"] {
        let problem = Scene::refuse(&tar_gz(&[(Link, "link", target, b"")]));
        assert!(problem.contains("leaves the folder"), "{problem}");
    }
    assert!(
        Scene::refuse(&tar_gz(&[(Link, "link", "later", b""), (Regular, "later", "", b"x")]))
            .contains("which it does not have")
    );
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().to_str().unwrap();
    // An inner link is made after the file, so there is a folder in its place.
    for target in [target, "inner"] {
        let problem = Scene::refuse(&tar_gz(&[
            (Directory, "inner/", "", b""),
            (Symlink, "link", target, b""),
            (Regular, "link/file", "", b"x"),
        ]));
        assert!(problem.contains("link"), "{problem}");
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn devices_and_pipes_are_refused() {
    for kind in [Char, Block, Fifo, EntryType::GNUSparse, EntryType::new(b'Z')] {
        let problem = Scene::refuse(&tar_gz(&[(kind, "device", "", b"")]));
        assert!(problem.contains("neither a file, a folder nor a link"), "{problem}");
    }
}

#[test]
fn a_file_is_there_once() {
    let problem = Scene::refuse(&tar_gz(&[(Regular, "a", "", b"1"), (Regular, "./a", "", b"2")]));
    assert!(problem.contains("twice"), "{problem}");
}

#[test]
fn limits_hold_for_entries_and_bytes() {
    let many: Vec<String> = (0..11).map(|number| number.to_string()).collect();
    let entries: Vec<_> = many.iter().map(|name| (Regular, name.as_str(), "", &[][..])).collect();
    assert!(Scene::refuse(&tar_gz(&entries)).contains("more than 10 entries"));
    let files: Vec<_> = many.iter().map(|name| (name.as_str(), 0o644, &[][..])).collect();
    assert!(Scene::refuse(&zip(&files)).contains("more than 10 entries"));
    // Their names alone would fill the memory.
    let long: Vec<_> = (0..40).map(|number| format!("{}{number}", "n".repeat(10_000))).collect();
    let files: Vec<_> = long.iter().map(|name| (name.as_str(), 0o644, &[][..])).collect();
    assert!(Scene::refuse(&zip(&files)).contains("table of contents is too long"));
    let half = vec![0; 5001];
    let problem = Scene::refuse(&tar_gz(&[(Regular, "a", "", &half), (Regular, "b", "", &half)]));
    assert!(problem.contains("more than 10000 bytes"), "{problem}");
    let problem = Scene::refuse(&tar_gz(&[(Regular, "a", "", &half), (Link, "b", "a", b"")]));
    assert!(problem.contains("more than 10000 bytes"), "{problem}");
    assert!(Scene::refuse(&zip(&[("bomb", 0o644, &vec![0; 1_000_000])])).contains("more than 10000 bytes"));
    // The most is not too much.
    let scene = Scene::new();
    scene.unpack(&tar_gz(&[(Regular, "a", "", &vec![0; 10_000])]), "a").unwrap();
}

#[test]
fn folders_without_an_entry_count_as_entries() {
    let deep = "a/b/c/d/e/f/g/h/i/robot";
    let beside = "a/b/c/d/e/f/g/h/j/robot";
    for archive in [
        tar_gz(&[(Regular, deep, "", b""), (Regular, beside, "", b"")]),
        tar_gz(&[(Directory, deep, "", b""), (Directory, beside, "", b"")]),
        tar_gz(&[(Directory, "a/b/c/d/e/f/g/h/i/j/k", "", b"")]),
        tar_gz(&[(Symlink, deep, ".", b""), (Symlink, beside, ".", b"")]),
        zip(&[(deep, 0o644, b""), (beside, 0o644, b"")]),
    ] {
        assert!(Scene::refuse(&archive).contains("more than 10 entries"));
    }
    Scene::new().unpack(&tar_gz(&[(Regular, deep, "", b"")]), deep).unwrap();
    // A folder with an entry counts once.
    let names = ["a", "a/b", "a/b/c", "a/b/c/d", "a/b/c/d/e/", "a/b/c/d/e/f", "a/b/c/d/e/f/g", "b/", "b/c"];
    let mut entries = names.map(|name| (Directory, name, "", &[][..])).to_vec();
    entries.push((Regular, "a/b/c/d/e/f/g/robot", "", &[]));
    Scene::new().unpack(&tar_gz(&entries), "robot").unwrap();
}

#[test]
fn names_have_few_parts() {
    let deep = |parts: usize| format!("{}robot", "a/".repeat(parts - 1));
    let unpack = |archive: &[u8]| {
        let scene = Scene::new();
        let file = scene.0.path().join("archive");
        fs::write(&file, archive).unwrap();
        super::unpack(&file, &scene.0.path().join("files"), "robot", Limits::default())
    };
    let tar = |parts| {
        let name = deep(parts);
        tar_gz(&[(EntryType::GNULongName, "long", "", name.as_bytes()), (Regular, "short", "", b"")])
    };
    unpack(&tar(64)).unwrap();
    unpack(&zip(&[(&deep(64), 0o644, b"")])).unwrap();
    for problem in [unpack(&tar(65)), unpack(&zip(&[(&deep(10_000), 0o644, b"")]))] {
        assert_eq!(problem.unwrap_err(), "it has a name of more than 64 parts");
    }
}

#[test]
fn an_archive_that_was_cut_is_refused() {
    let noise: Vec<u8> =
        (0..9000u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let files = [(Regular, "robot", "", &noise[..])];
    for whole in [tar_gz(&files), bzip2(&tar(&files)), zip(&[("robot", 0o755, &noise)])] {
        for length in [whole.len() / 2, whole.len() - 40, 4] {
            Scene::refuse(&whole[..length]);
        }
    }
    // The tar in it was cut, and its end is not missed by the compression.
    Scene::refuse(&gzip(&tar(&files)[..4000]));
}

#[test]
fn other_things_are_refused() {
    for content in [
        &b""[..],
        b"P",
        b"<html>",
        b"!<arch>\ndebian",
        b"xar!\0\x1c\0\x01",
        b"\x7fELF\x02\x01\x01\0AI\x02\0\0\0\0\0",
    ] {
        let problem = Scene::refuse(content);
        assert!(problem.contains("neither a zip") || problem.contains("AppImage"), "{problem}");
    }
    assert!(Scene::refuse(&gzip(b"")).contains("empty"));
}

#[cfg(unix)]
fn assert_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755, "{}", file.display());
}

#[cfg(not(unix))]
fn assert_executable(file: &Path) {
    assert!(file.is_file());
}
