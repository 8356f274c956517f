//! Connections of lines.

use std::sync::Arc;

use acp_rpc::lines::{Head, LineOptions, Lines, Outlet, connect};
use acp_rpc::{BoxFuture, CloseReason, Direction, Driver, Fault, Noise, Tap, Transport};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::{Notify, Semaphore, mpsc};

use crate::common::soon;

/// Tells what comes, one text each.
struct Seen {
    events: mpsc::UnboundedSender<String>,
    /// A permit of it is needed for each line behind the first.
    gate: Option<Arc<Semaphore>>,
    /// The end waits for it.
    end: Option<Arc<Notify>>,
}

impl Seen {
    fn tell(&self, event: String) {
        let _ = self.events.send(event);
    }
}

impl Lines for Seen {
    fn line(&self, line: &str) {
        assert_ne!(line, "panic", "on purpose");
        self.tell(line.to_owned());
    }

    fn skipped(&self, head: &Head, fault: Fault<'_>) {
        self.tell(format!("skipped {:?}: {fault}", head.id));
    }

    fn pause(&self) -> Option<BoxFuture> {
        let gate = Arc::clone(self.gate.as_ref()?);
        Some(Box::pin(async move { gate.acquire().await.unwrap().forget() }))
    }

    fn fault(&self, fault: Fault<'_>) {
        self.tell(format!("fault: {fault}"));
    }

    fn ended(&self, reason: &CloseReason) -> BoxFuture {
        self.tell(format!("ended: {reason}"));
        let end = self.end.clone();
        Box::pin(async move {
            if let Some(end) = end {
                end.notified().await;
            }
        })
    }

    fn closed(&self, _: &CloseReason) {
        self.tell("closed".to_owned());
    }
}

struct Scene {
    far: DuplexStream,
    outlet: Outlet,
    driver: Driver,
    events: mpsc::UnboundedReceiver<String>,
}

fn scene(options: LineOptions, gate: Option<&Arc<Semaphore>>, end: Option<&Arc<Notify>>) -> Scene {
    let (here, far) = tokio::io::duplex(1024);
    let (sender, events) = mpsc::unbounded_channel();
    let seen = Seen { events: sender, gate: gate.cloned(), end: end.cloned() };
    let (outlet, driver) = connect(Transport::from_stream(here), seen, options);
    Scene { far, outlet, driver, events }
}

async fn next(events: &mut mpsc::UnboundedReceiver<String>) -> String {
    soon("an event", events.recv()).await.unwrap()
}

#[tokio::test]
async fn lines_come_and_leave_as_they_are() {
    let Scene { mut far, outlet, driver, mut events } = scene(LineOptions::default(), None, None);
    assert!(outlet.push(|buffer| buffer.extend_from_slice(b"before\nthe start")));
    let driver = tokio::spawn(driver);
    far.write_all(b"\n one \r\nno JSON at all\npanic\nbehind\nlast").await.unwrap();
    let mut reader = BufReader::new(&mut far);
    let mut line = String::new();
    soon("a line", reader.read_line(&mut line)).await.unwrap();
    assert_eq!(line, "before the start\n");
    far.shutdown().await.unwrap();
    for expected in ["one", "no JSON at all", "behind", "last", "ended: the peer closed it", "closed"] {
        assert_eq!(next(&mut events).await, expected);
    }
    assert!(matches!(soon("the end", driver).await.unwrap(), CloseReason::Eof));
    assert!(matches!(soon("the end", outlet.closed()).await, CloseReason::Eof));
    assert!(!outlet.push(|buffer| buffer.push(b'x')));
    assert!(outlet.has_room());
}

/// No line is taken while the pause of the one before lasts.
#[tokio::test]
async fn the_reader_waits_for_a_pause() {
    let gate = Arc::new(Semaphore::new(0));
    let Scene { mut far, outlet, driver, mut events } = scene(LineOptions::default(), Some(&gate), None);
    let driver = tokio::spawn(driver);
    far.write_all(b"1\n2\n3\n").await.unwrap();
    for number in 1..=3 {
        assert_eq!(next(&mut events).await, number.to_string());
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        assert!(events.try_recv().is_err());
        // Output does not wait.
        assert!(outlet.push(|buffer| buffer.extend_from_slice(b"out")));
        let mut out = [0; 4];
        soon("output", far.read_exact(&mut out)).await.unwrap();
        gate.add_permits(1);
    }
    outlet.close();
    assert_eq!(next(&mut events).await, "ended: it was closed on this side");
    soon("the end", driver).await.unwrap();
}

/// Lines that came before the end of the input are taken after the pause, however long it is.
#[tokio::test(start_paused = true)]
async fn the_end_of_the_input_does_not_overtake_a_pause() {
    let gate = Arc::new(Semaphore::new(0));
    let Scene { mut far, driver, mut events, .. } = scene(LineOptions::default(), Some(&gate), None);
    let driver = tokio::spawn(driver);
    far.write_all(b"1\n2\n\n3").await.unwrap();
    far.shutdown().await.unwrap();
    for number in 1..3 {
        assert_eq!(next(&mut events).await, number.to_string());
        tokio::time::advance(std::time::Duration::from_secs(3600)).await;
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        assert!(events.try_recv().is_err());
        gate.add_permits(1);
    }
    for expected in ["3", "ended: the peer closed it", "closed"] {
        assert_eq!(next(&mut events).await, expected);
    }
    soon("the end", driver).await.unwrap();
}

/// With a limit the end of the input is noticed although the pause lasts, whether the peer has
/// closed its side or is gone.
#[tokio::test]
async fn a_pause_with_a_limit_does_not_hide_the_end_of_the_input() {
    for is_gone in [false, true] {
        let gate = Arc::new(Semaphore::new(0));
        let options = LineOptions::default();
        let options = options.drain(std::time::Duration::ZERO).pause_limit(Some(std::time::Duration::ZERO));
        let Scene { mut far, outlet, driver, mut events } = scene(options, Some(&gate), None);
        let driver = tokio::spawn(driver);
        far.write_all(b"1\n2\n").await.unwrap();
        assert_eq!(next(&mut events).await, "1");
        if is_gone {
            drop(far);
        } else {
            far.shutdown().await.unwrap();
        }
        assert_eq!(next(&mut events).await, "ended: the peer closed it");
        soon("no way out", outlet.finished()).await;
        assert!(!outlet.push(|buffer| buffer.push(b'x')));
        assert_eq!(next(&mut events).await, "closed");
        soon("the end", driver).await.unwrap();
    }
}

#[tokio::test]
async fn a_full_outlet_has_no_room_until_it_is_read() {
    let Scene { mut far, outlet, driver, events: _events } =
        scene(LineOptions::default().outgoing_budget(100), None, None);
    let driver = tokio::spawn(driver);
    // More than the pipe holds, and than the budget.
    while outlet.has_room() {
        assert!(outlet.push(|buffer| buffer.extend_from_slice(&[b'x'; 99])));
        tokio::task::yield_now().await;
    }
    assert!(outlet.waiting() >= 100);
    let waiting = tokio::spawn({
        let outlet = outlet.clone();
        async move { outlet.room().await }
    });
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    let mut all = vec![0; 1024];
    while !outlet.has_room() {
        assert!(soon("output", far.read(&mut all)).await.unwrap() > 0);
    }
    soon("room", waiting).await.unwrap();
    drop(far);
    soon("the end", driver).await.unwrap();
    soon("room at the end", outlet.room()).await;
}

/// Lines that are written while the end waits still leave.
#[tokio::test]
async fn the_way_out_is_open_until_the_end_is_done() {
    let end = Arc::new(Notify::new());
    let Scene { mut far, outlet, driver, mut events } = scene(LineOptions::default(), None, Some(&end));
    let driver = tokio::spawn(driver);
    far.shutdown().await.unwrap();
    assert_eq!(next(&mut events).await, "ended: the peer closed it");
    assert!(outlet.push(|buffer| buffer.extend_from_slice(b"late")));
    end.notify_one();
    let mut out = String::new();
    soon("output", far.read_to_string(&mut out)).await.unwrap();
    assert_eq!(out, "late\n");
    soon("the end", driver).await.unwrap();
}

#[tokio::test]
async fn lines_that_are_no_text_or_too_long_are_skipped() {
    for noise in [Noise::Answer, Noise::Skip] {
        let options = LineOptions::default().max_line(20).noise(noise);
        let Scene { mut far, driver, mut events, .. } = scene(options, None, None);
        let driver = tokio::spawn(driver);
        far.write_all(b"{\"id\":1,\xff}  \n").await.unwrap();
        let told = next(&mut events).await;
        let starts = if noise == Noise::Answer { "skipped Some(Int(1))" } else { "fault: a message" };
        assert!(told.starts_with(starts), "{told}");
        if noise == Noise::Skip {
            assert_eq!(next(&mut events).await, "{\"id\":1,\u{fffd}}");
        }
        far.write_all(b"{\"id\":2,\"method\":\"a long one\"}\nnext\n").await.unwrap();
        assert!(next(&mut events).await.starts_with("skipped Some(Int(2)): a line of 30 bytes was skipped"));
        assert_eq!(next(&mut events).await, "next");
        drop(far);
        soon("the end", driver).await.unwrap();
    }
}

#[tokio::test]
async fn a_tap_sees_both_directions() {
    let (sender, mut seen) = mpsc::unbounded_channel();
    let tap = Tap::raw(move |traffic| {
        let direction = if traffic.direction == Direction::In { "in" } else { "out" };
        let _ = sender.send(format!("{direction} {}", String::from_utf8_lossy(traffic.line.unwrap())));
    });
    let Scene { mut far, outlet, driver, mut events } = scene(LineOptions::default().tap(tap), None, None);
    let driver = tokio::spawn(driver);
    far.write_all(b"{}\n").await.unwrap();
    assert_eq!(next(&mut events).await, "{}");
    assert_eq!(next(&mut seen).await, "in {}");
    outlet.push(|buffer| buffer.extend_from_slice(b"[]"));
    assert_eq!(next(&mut seen).await, "out []");
    drop(far);
    soon("the end", driver).await.unwrap();
}

/// All lines of a process come before its exit, which is the reason for the end.
#[cfg(all(unix, feature = "process"))]
#[tokio::test]
async fn the_exit_of_a_process_is_the_reason() {
    let command = acp_rpc::Command::new("/bin/sh").args(["-c", "echo one; echo two; echo words >&2; exit 5"]);
    let (transport, _child) = Transport::process(command).unwrap();
    let (sender, mut events) = mpsc::unbounded_channel();
    let seen = Seen { events: sender, gate: None, end: None };
    let (_outlet, driver) = connect(transport, seen, LineOptions::default());
    let reason = soon("the end", driver).await;
    assert!(matches!(&reason, CloseReason::Exited(exit) if exit.status == Some(5)), "{reason}");
    assert_eq!([next(&mut events).await, next(&mut events).await], ["one", "two"]);
    let ended = next(&mut events).await;
    assert!(ended.contains("status 5") && ended.contains("words"), "{ended}");
    assert_eq!(next(&mut events).await, "closed");
}
