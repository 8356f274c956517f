//! Bytes pass as they are, whatever they are, and each line is recorded.

use std::fs;

use acp_client::tap::{Direction, Kind};
use acp_testkit::{Dice, Seeds};

use super::{entries, file_in, reason, run, tap, text};

/// An agent that keeps what it gets in `$1`, says it again, and fails.
const ECHO: &str = "tee \"$1\"; printf '\\377oops\\r\\n' >&2; exit 7";

/// Runs the echo over these bytes. The error names the part that was changed.
fn echoed(input: &[u8], options: &[&str]) -> Result<Vec<acp_client::tap::Entry>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let ((file, to), (kept, keep)) = (file_in(&folder, "r.ndjson"), file_in(&folder, "kept"));
    let tapped = run(&mut tap(&[&["--to", &to], options].concat(), ECHO, &[&keep]), input);
    let got = fs::read(&kept).expect("the agent ran");
    match () {
        () if got != input => Err("the agent got other bytes".to_owned()),
        () if tapped.out != input => Err("the editor got other bytes".to_owned()),
        () if tapped.err != b"\xffoops\r\n" => Err(format!("stderr is {:?}", tapped.problem())),
        () if tapped.code != Some(7) => Err(format!("the exit status is {:?}", tapped.code)),
        () if reason(&file) != "the agent has ended: exit status: 7" => Err(reason(&file)),
        () => Ok(entries(&file)),
    }
}

/// The lengths of the lines that are not blank.
fn lengths(input: &[u8]) -> Vec<u64> {
    let lines = input.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines.map(|line| line.len() as u64).collect()
}

fn check(input: &[u8], options: &[&str]) -> Result<(), String> {
    let entries = echoed(input, options)?;
    for direction in [Direction::Out, Direction::In] {
        let recorded: Vec<u64> =
            entries.iter().filter(|entry| entry.direction == direction).map(|entry| entry.bytes).collect();
        if recorded != lengths(input) {
            return Err(format!("{direction:?}: the recording has lines of {recorded:?} bytes"));
        }
    }
    Ok(())
}

#[test]
fn bytes_pass_unchanged_and_each_line_is_recorded() {
    let long = [b"{\"long\":\"".as_slice(), &vec![b'x'; 3_000_000], b"\"}\n"].concat();
    let no_line_end = vec![b'y'; 200_000];
    for input in [
        b"".as_slice(),
        b"\n",
        b"\n\r\n  \n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"b\"}",
        b"\xff\xfe\x00\n{\"a\":\"\xc3\x28\"}\nplain text\n[1,2]\nnull\n",
        &long,
        &no_line_end,
        &[long.as_slice(), b"\n{}\n", &no_line_end].concat(),
    ] {
        for options in [&[][..], &["--unredacted"], &["--rotate", "1G"]] {
            check(input, options).unwrap_or_else(|error| panic!("{} bytes: {error}", input.len()));
        }
    }
}

#[test]
fn bytes_of_any_kind_pass_unchanged() {
    const PIECES: [&[u8]; 9] = [
        b"\n",
        b"\r\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"x\":[1,2]}}",
        b"\xf0\x9f",
        b"\x00",
        b"\"",
        b" ",
        b"text",
    ];
    let seeds = Seeds::few(12).all(300).each(|seed| {
        let dice = Dice::new(seed);
        let mut input = Vec::new();
        for _ in 0..dice.below(400) {
            let piece = *dice.pick(&PIECES);
            (0..=dice.below(if dice.one_in(40) { 20_000 } else { 3 }))
                .for_each(|_| input.extend_from_slice(piece));
        }
        check(&input, &[])
    });
    seeds.unwrap_or_else(|fault| panic!("{fault}"));
}

#[test]
fn lines_are_described_as_the_messages_that_they_are() {
    let input =
        b"{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"_a/b\",\"params\":{\"x\":\"\xff\"}}\nhello\n";
    let entries = echoed(input, &["--unredacted"]).unwrap_or_else(|error| panic!("{error}"));
    let sent: Vec<_> = entries.iter().filter(|entry| entry.direction == Direction::Out).collect();
    assert_eq!(sent.len(), 2);
    assert_eq!((sent[0].kind, sent[0].method.as_deref()), (Kind::Request, Some("_a/b")));
    let body = sent[0].body.as_ref().expect("a body");
    assert_eq!(body.get("params").and_then(|params| params.get("x")?.as_str()), Some("\u{fffd}"));
    assert_eq!(
        (sent[1].kind, sent[1].body.as_ref().and_then(|it| it.as_str())),
        (Kind::NotJson, Some("hello"))
    );
}

#[test]
fn a_secret_is_never_in_the_file() {
    let input = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"_login\",\"params\":{\"token\":\"hush-1\",\"pin\":\"hush-2\",\
        \"list\":[{\"text\":\"hush-3\"},{\"text\":\"hush-4\",\"kind\":\"seen\"}],\"env\":{\"KEY\":\"hush-5\"}}}\n\
        password: hush-6\n{\"broken\":\"hush-7\n";
    let folder = tempfile::tempdir().expect("a folder");
    let ((file, to), (_, keep)) = (file_in(&folder, "r.ndjson"), file_in(&folder, "kept"));
    let rules = ["--to", &to, "--redact", "pin", "--redact", "/params/list/*/text"];
    let tapped = run(&mut tap(&rules, ECHO, &[&keep]), input);
    assert_eq!(tapped.out, input);
    let recorded = text(&file);
    assert!(
        !recorded.contains("hush") && recorded.contains("seen") && recorded.contains("[redacted]"),
        "{recorded}"
    );
    run(&mut tap(&["--to", &to, "--unredacted"], ECHO, &[&keep]), input);
    let recorded = text(&file);
    assert!((1..8).all(|number| recorded.contains(&format!("hush-{number}"))), "{recorded}");
}

#[test]
fn a_file_is_continued_in_another_one_before_it_is_too_large() {
    let folder = tempfile::tempdir().expect("a folder");
    let ((file, to), (_, keep)) = (file_in(&folder, "r.ndjson"), file_in(&folder, "kept"));
    fs::write(&file, "of an earlier run\n").expect("written");
    let line = |number: usize| format!("{{\"jsonrpc\":\"2.0\",\"method\":\"m{number:03}\"}}\n");
    let input: String = (0..100).map(line).collect();
    run(&mut tap(&["--to", &to, "--rotate", "5K", "--keep", "3"], ECHO, &[&keep]), input.as_bytes());
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    assert_eq!(names, ["kept", "r.1.ndjson", "r.2.ndjson", "r.3.ndjson", "r.ndjson"]);
    let mut methods = Vec::new();
    for name in ["r.3.ndjson", "r.2.ndjson", "r.1.ndjson", "r.ndjson"] {
        let part = folder.path().join(name);
        let size = fs::metadata(&part).expect("is there").len();
        assert!(size <= 5_000, "{name} has {size} bytes");
        assert!(
            text(&part).lines().next().is_some_and(|head| head.contains("\"kind\":\"start\",\"version\":1"))
        );
        let of_agent = entries(&part).into_iter().filter(|entry| entry.direction == Direction::In);
        methods.extend(of_agent.filter_map(|entry| entry.method));
    }
    // The oldest are gone, and nothing is missing between the rest.
    let kept = methods.len();
    let expected: Vec<String> = (100 - kept..100).map(|number| format!("m{number:03}")).collect();
    assert!(kept > 10 && methods == expected, "{methods:?}");
}

#[test]
fn a_hundred_thousand_lines_are_recorded() {
    let line = "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"text\":\"some words\"}}\n";
    let folder = tempfile::tempdir().expect("a folder");
    let (file, to) = file_in(&folder, "r.ndjson");
    // The agent keeps quiet, and the lines come from a file.
    let input = line.repeat(100_000);
    let tapped = run(&mut tap(&["--to", &to], "cat > /dev/null", &[]), input.as_bytes());
    assert_eq!((tapped.code, tapped.problem().as_str()), (Some(0), ""));
    let (mut lines, mut dropped) = (0, 0);
    for record in super::records(&file) {
        match record {
            acp_client::tap::Record::Line(_) => lines += 1,
            acp_client::tap::Record::Dropped { count, .. } => dropped += count,
            _ => {}
        }
    }
    // A disk that is slower than the pipe may lose some, and they are counted.
    assert_eq!(lines + dropped, 100_000);
    assert!(lines > 10_000, "{lines}");
}
