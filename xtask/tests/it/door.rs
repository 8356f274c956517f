//! The door: agent and client encode and decode values of the protocol in one folder.

use std::fs;
use std::path::Path;

use xtask::floors::door::{Door, Exception, faults};
use xtask::floors::folder;
use xtask::floors::list::List;
use xtask::floors::source::Source;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[test]
fn values_are_encoded_and_decoded_behind_the_door() {
    let list = List::read(root()).unwrap();
    assert!(!list.door.crates.is_empty());
    for name in &list.door.crates {
        let src = root().join(folder(name)).join("src");
        assert!(src.join(&list.door.folder).is_dir(), "{name} has no {}/", list.door.folder);
        assert_eq!(faults(name, &Source::read(&src).unwrap(), &list.door), [""; 0]);
    }
    for exception in &list.door.except {
        assert!(!exception.because.is_empty(), "{} is excepted without a reason", exception.file);
        let (name, file) = exception.file.split_once('/').unwrap();
        assert!(root().join(folder(name)).join("src").join(file).is_file(), "{}", exception.file);
    }
}

/// Judges a made-up crate with one file beside the folder.
fn judged(code: &str, calls: &[&str], excepted: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let src = folder.path().join("src");
    fs::create_dir_all(src.join("wire")).unwrap();
    fs::write(src.join("lib.rs"), "mod a; mod wire;").unwrap();
    fs::write(src.join("a.rs"), code).unwrap();
    fs::write(src.join("wire/mod.rs"), "fn f(p: P) { acp_json::read::<T>(p); }").unwrap();
    let owned = |calls: &[&str]| calls.iter().map(|call| (*call).to_owned()).collect::<Vec<_>>();
    let except = Exception { file: "made-up/a.rs".into(), calls: owned(excepted), because: "it is".into() };
    let door = Door {
        folder: "wire".into(),
        crates: vec!["made-up".into()],
        calls: owned(calls),
        except: vec![except],
    };
    faults("made-up", &Source::read(&src).unwrap(), &door)
}

#[test]
fn a_call_outside_of_the_folder_is_found() {
    for (call, code) in [
        ("acp_json::read", "fn f(p: P) { let t: T = acp_json::read(p).unwrap(); }"),
        ("acp_json::read", "use acp_json::{Node, read};"),
        ("acp_json::read", "fn f(p: P) { use acp_json::read as r; r(p) }"),
        ("acp_json::read", "macro_rules! m { ($p:expr) => { acp_json::read($p) }; }"),
        (".notify", "fn f(p: P) { p.peer().notify(M, &t); }"),
        (".notify", "fn f(p: P) { p.peer().notify::<T>(M, &t); }"),
        ("::NAME", "fn f() -> &'static str { methods::SessionPrompt::NAME }"),
        (".get(\"", "fn f(p: P) { p.get(\"sessionId\"); }"),
        ("\"session/", "const NAME: &str = \"session/prompt\";"),
    ] {
        let found = judged(code, &[call], &[]);
        assert_eq!(found.len(), 1, "{call} in {code}: {found:?}");
        assert!(found[0].contains("src/a.rs") && found[0].contains(call), "{found:?}");
        assert_eq!(judged(code, &[call], &[call]), [""; 0], "{call} in {code} is excepted");
    }
}

#[test]
fn code_that_only_looks_like_a_call_is_not_found() {
    for (call, code) in [
        ("acp_json::read", "/// Calls `acp_json::read`.\nfn f() {} // acp_json::read"),
        ("acp_json::read", "fn f(p: P) { acp_json::read_reporting(p); }"),
        ("acp_json::read", "#[cfg(test)] mod tests { fn f(p: P) { acp_json::read(p); } }"),
        (".notify", "fn f(p: P) { p.notify_waiters(1); p.notify; p.notify(); }"),
        (".get(\"", "fn f(p: P) { p.get(name); }"),
        ("\"session/", "const TEXT: &str = \"call session/new\";"),
    ] {
        assert_eq!(judged(code, &[call], &[]), [""; 0], "{call} in {code}");
    }
}

#[test]
fn an_exception_that_is_not_needed_is_found() {
    let found = judged("fn f() {}", &["acp_json::read"], &["acp_json::read"]);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("can go"), "{found:?}");
}
