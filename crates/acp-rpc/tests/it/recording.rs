//! Traffic that is written to a file and read again.

use std::io::{self, Write};
use std::sync::mpsc;

use acp_rpc::tap::{Record, Recorder, Recording, RecordingError};
use acp_rpc::{Direction, Kind, Noise, Options};

use crate::common::{GUARD, Lab, raw};
use crate::paper::{Paper, records};

/// Each record in short, without times.
fn short(text: &str) -> Vec<String> {
    let line = |record: Result<Record, RecordingError>| match record.unwrap() {
        Record::Line(entry) => {
            let direction = if entry.direction == Direction::In { "<-" } else { "->" };
            let body = entry.body.map_or("nothing".to_owned(), |body| body.to_string());
            format!("{direction} {:?} {:?} {:?} {}: {body}", entry.kind, entry.method, entry.id, entry.bytes)
        }
        Record::Dropped { count, .. } => format!("dropped {count}"),
        other => format!("{other:?}"),
    };
    records(text).map(line).collect()
}

async fn record(recorder: Recorder) {
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default().tap(recorder.tap()).max_line(100));
    let driver = tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","id":"a","method":"echo","params":[{"token":"x"}]}"#).await;
    wire.next().await;
    wire.send("a \"banner\"").await;
    wire.next().await;
    wire.send("x".repeat(101)).await;
    wire.next().await;
    peer.notify("tell", &[1]).await.unwrap();
    wire.next().await;
    wire.finish().await;
    driver.await.unwrap();
    assert_eq!(recorder.finish().unwrap(), 0);
}

#[tokio::test]
async fn what_was_recorded_is_read_again() {
    let paper = Paper::default();
    record(Recorder::new(paper.clone()).unwrap()).await;
    let error = |code, text: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":{code},"message":"{text}"}}}}"#)
    };
    let (parse, long) = ("the line is not valid JSON", "the message is longer than the limit of 100 bytes");
    let expected = [
        r#"<- Request Some("echo") Some(Str("a")) 67: {"jsonrpc":"2.0","id":"a","method":"echo","params":[{"token":"[redacted]"}]}"#,
        r#"-> Result None Some(Str("a")) 51: {"jsonrpc":"2.0","id":"a","result":[{"token":"[redacted]"}]}"#,
        "<- NotJson None None 10: nothing",
        &format!("-> Error(-32700) None None 90: {}", error(-32700, parse)),
        "<- Oversized None None 101: nothing",
        &format!("-> Error(-32600) None None 113: {}", error(-32600, long)),
        r#"-> Notification Some("tell") None 46: {"jsonrpc":"2.0","method":"tell","params":[1]}"#,
    ];
    assert_eq!(short(&paper.text()), expected);

    let paper = Paper::default();
    record(Recorder::new(paper.clone()).unwrap().unredacted()).await;
    let lines = short(&paper.text());
    assert!(lines[0].ends_with(r#"[{"token":"x"}]}"#), "{}", lines[0]);
    assert_eq!(lines[2], r#"<- NotJson None None 10: "a \"banner\"""#);
}

#[tokio::test]
async fn a_line_with_broken_text_is_recorded_as_it_came_and_read_again() {
    for text in [&br"\ud83d"[..], b"\xff"] {
        let paper = Paper::default();
        let recorder = Recorder::new(paper.clone()).unwrap().unredacted();
        let (lab, _events) = Lab::new();
        let options = Options::default().tap(recorder.tap()).noise(Noise::Skip);
        let (mut wire, _peer, driver) = raw(lab, options);
        let driver = tokio::spawn(driver);
        let line = [br#"{"jsonrpc":"2.0","id":1,"method":"echo","params":[""#, text, br#""]}"#].concat();
        wire.send(line.clone()).await;
        wire.next().await;
        wire.finish().await;
        driver.await.unwrap();
        recorder.finish().unwrap();
        let written = paper.bytes();
        assert!(
            written.windows(line.len()).any(|part| part == line),
            "{}",
            String::from_utf8_lossy(&written)
        );
        let bodies: Vec<_> = Recording::new(&*written)
            .map(|record| match record.unwrap() {
                Record::Line(entry) => (entry.kind, entry.body.unwrap().to_string()),
                other => panic!("{other:?}"),
            })
            .collect();
        let read = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":[\"\u{fffd}\"]}";
        assert_eq!(bodies[0], (Kind::Request, read.to_owned()));
        assert_eq!(bodies.len(), 2);
    }
}

/// A file that waits for permission for each write.
struct Stubborn {
    started: mpsc::Sender<()>,
    go_on: mpsc::Receiver<()>,
    paper: Paper,
}

impl Write for Stubborn {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.started.send(()).unwrap();
        self.go_on.recv().unwrap();
        self.paper.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_slow_file_keeps_no_connection_waiting() {
    let ((started, has_started), (tell, go_on)) = (mpsc::channel(), mpsc::channel());
    let paper = Paper::default();
    let recorder = Recorder::new(Stubborn { started, go_on, paper: paper.clone() }).unwrap().budget(100);
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab, Options::default().tap(recorder.tap()));
    tokio::spawn(driver);
    peer.notify("first", &()).await.unwrap();
    wire.next().await;
    has_started.recv().unwrap();
    for _ in 0..50 {
        peer.notify("more", &()).await.unwrap();
        wire.next().await;
    }
    assert_eq!(recorder.dropped(), 50);
    // One write for the record, and one for everything after it.
    tell.send(()).unwrap();
    tell.send(()).unwrap();
    assert_eq!(recorder.finish().unwrap(), 50);
    let lines = short(&paper.text());
    assert!(lines[0].contains("first"));
    assert_eq!(lines[1..], ["dropped 50"]);
}

/// A file that reports its drop.
struct Closable(mpsc::Sender<()>);

impl Write for Closable {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Closable {
    fn drop(&mut self) {
        self.0.send(()).unwrap();
    }
}

#[tokio::test]
async fn a_recording_ends_with_its_last_connection() {
    let (closed, is_closed) = mpsc::channel();
    let tap = Recorder::new(Closable(closed)).unwrap().tap();
    let (wire, peer, driver) = raw(Lab::new().0, Options::default().tap(tap));
    assert!(is_closed.try_recv().is_err());
    let driver = tokio::spawn(driver);
    wire.finish().await;
    driver.await.unwrap();
    drop(peer);
    is_closed.recv_timeout(GUARD).unwrap();
}

/// A full disk that reports its drop.
struct Full(mpsc::Sender<()>);

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Full {
    fn drop(&mut self) {
        self.0.send(()).unwrap();
    }
}

#[tokio::test]
async fn a_file_that_fails_harms_no_connection() {
    let (closed, is_closed) = mpsc::channel();
    let recorder = Recorder::new(Full(closed)).unwrap();
    let (lab, _events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab.clone(), Options::default().tap(recorder.tap()));
    tokio::spawn(driver);
    peer.notify("tell", &()).await.unwrap();
    wire.next().await;
    is_closed.recv_timeout(GUARD).unwrap();
    for _ in 0..3 {
        peer.notify("tell", &()).await.unwrap();
        assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","method":"tell"}"#);
    }
    assert_eq!(recorder.dropped(), 3);
    assert_eq!(recorder.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert!(lab.faults().is_empty());
}

#[test]
fn what_is_no_record_is_named() {
    let line = r#"{"time":1,"direction":"in","kind":"request","bytes":5}"#;
    for (text, problem) in [
        ("{", "it is not JSON"),
        ("[]", "`time` must be a number of microseconds since 1970"),
        (r#"{"time":1}"#, "`kind` must be a string"),
        (&line.replace("request", "nonsense"), "`kind` must be a known kind, and an `error` needs a `code`"),
        (&line.replace("request", "error"), "`kind` must be a known kind, and an `error` needs a `code`"),
        (&line.replace("\"in\"", "0"), "`direction` must be \"in\" or \"out\""),
        (&line.replace("5", "-5"), "`bytes` must be a number"),
        (&line.replace("}", ",\"id\":{}}"), "`id` must be a string, a 64-bit integer or null"),
    ] {
        let text = format!("{line}\n\n{text}\n{line}");
        let mut records = records(&text);
        assert!(records.next().unwrap().is_ok());
        let error = records.next().unwrap().unwrap_err().to_string();
        assert_eq!(error, format!("line 3 of the recording is not a record: {problem}"));
        assert!(records.next().unwrap().is_ok());
        assert!(records.next().is_none());
    }
}

#[cfg(unix)]
#[test]
fn a_new_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;

    let file = std::env::temp_dir().join(format!("acp-rpc-recording-{}.ndjson", std::process::id()));
    Recorder::create(&file).unwrap().finish().unwrap();
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(mode & 0o077, 0);
}
