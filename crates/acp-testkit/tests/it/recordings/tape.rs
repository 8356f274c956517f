//! Tapes: losses are counted, and a file that could not be written goes on.

use std::fs;
use std::io::Write;
use std::sync::mpsc::channel;
use std::time::Duration;

use acp_rpc::tap::{Kind, Record, Recording};
use acp_testkit::recordings::{Direction, RecordFile, Tape, TapeOptions};
use acp_testkit::{Dice, Seeds};

const LONG: Duration = Duration::from_secs(60);

/// Each record in short.
fn short(file: &std::path::Path) -> Vec<String> {
    let record = |record: Result<Record, _>| match record.unwrap() {
        Record::Start { version, .. } => format!("start {version}"),
        Record::Line(line) => {
            format!("{:?} {} {}", line.direction, line.bytes, line.method.unwrap_or_default())
        }
        Record::Dropped { count, .. } => format!("dropped {count}"),
        Record::End { reason, .. } => format!("end {reason}"),
        other => format!("{other:?}"),
    };
    Recording::open(file).unwrap().map(record).collect()
}

#[test]
fn a_recording_goes_on_when_the_file_can_be_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let blocker = folder.path().join("blocker");
    fs::write(&blocker, "").unwrap();
    let file = blocker.join("r.ndjson");
    let (sender, fault) = channel();
    let options = TapeOptions::default().on_fault(move |error| sender.send(error.kind()).unwrap());
    let tape = Tape::start(RecordFile::new(&file), options).unwrap();
    let head = tape.head(Direction::Out);
    head.hear(b"{\"method\":\"a\"}\n{\"method\":\"b\"}\n");
    fault.recv_timeout(LONG).unwrap();
    fs::remove_file(&blocker).unwrap();
    head.hear(b"{\"jsonrpc\":\"2.0\",\"method\":\"c\"}\n");
    assert_eq!(tape.end("enough", LONG), Some(2));
    assert_eq!(short(&file), ["start 1", "dropped 2", "Out 30 c", "end enough"]);
    assert!(fault.try_recv().is_err(), "it is told once");
}

#[test]
fn lines_that_there_is_no_room_for_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let tape = Tape::start(RecordFile::new(&pipe), TapeOptions::default().budget(10_000)).unwrap();
    let head = tape.head(Direction::In);
    let line = b"{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\n";
    for _ in 0..10_000 {
        // A line comes in two pieces, so that gaps begin within lines.
        head.hear(&line[..10]);
        head.hear(&line[10..]);
    }
    // Now somebody reads.
    let reader = std::thread::spawn(move || fs::read(pipe).unwrap());
    let lost = tape.end("enough", LONG).unwrap();
    let (mut lines, mut dropped) = (0, 0);
    for record in Recording::new(&*reader.join().unwrap()) {
        match record.unwrap() {
            Record::Line(line) => {
                assert_eq!((line.kind, line.bytes), (Kind::Notification, 30));
                lines += 1;
            }
            Record::Dropped { count, .. } => dropped += count,
            _ => {}
        }
    }
    assert_eq!(dropped, lost);
    assert!(lost > 1_000, "{lost}");
    assert_eq!(lines + dropped, 10_000);
}

#[test]
fn lines_are_found_however_they_are_cut() {
    let seeds = Seeds::few(50).all(5_000).each(|seed| {
        let dice = Dice::new(seed);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("r.ndjson");
        let max = 64;
        let tape =
            Tape::start(RecordFile::new(&file).rotate(1 << 20, 1), TapeOptions::default().max_line(max))
                .unwrap();
        let mut expected = Vec::new();
        let mut input = Vec::new();
        for _ in 0..dice.below(40) {
            let length = usize::try_from(dice.below(100)).unwrap();
            input.extend(std::iter::repeat_n(b'x', length));
            input.push(b'\n');
            expected.extend((length > 0).then_some((length as u64, length > max)));
        }
        let rest = usize::try_from(dice.below(100)).unwrap();
        input.extend(std::iter::repeat_n(b'y', rest));
        expected.extend((rest > 0).then_some((rest as u64, rest > max)));
        let head = tape.head(Direction::Out);
        let mut left = &input[..];
        while !left.is_empty() {
            let (piece, behind) = left.split_at(1 + dice.index(left.len().min(50)));
            head.hear(piece);
            left = behind;
        }
        if dice.one_in(2) {
            head.end();
        }
        if tape.end("", LONG) != Some(0) {
            return Err("lines were lost".to_owned());
        }
        let recorded: Vec<_> = Recording::open(&file)
            .unwrap()
            .filter_map(|record| match record.unwrap() {
                Record::Line(line) => Some((line.bytes, line.kind == Kind::Oversized)),
                _ => None,
            })
            .collect();
        if recorded == expected { Ok(()) } else { Err(format!("{recorded:?} and not {expected:?}")) }
    });
    seeds.unwrap_or_else(|fault| panic!("{fault}"));
}

#[test]
fn an_earlier_recording_is_kept_only_if_files_rotate() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.ndjson");
    for is_rotated in [false, true] {
        fs::File::create(&file).unwrap().write_all(b"earlier\n").unwrap();
        let to = RecordFile::new(&file);
        let to = if is_rotated { to.rotate(1_000_000, 2) } else { to };
        let tape = Tape::start(to, TapeOptions::default()).unwrap();
        assert_eq!(tape.end("", LONG), Some(0));
        assert_eq!(folder.path().join("r.1.ndjson").exists(), is_rotated);
        assert_eq!(short(&file), ["start 1", "end "]);
    }
}
