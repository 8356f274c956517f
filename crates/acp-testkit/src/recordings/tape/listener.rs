//! The thread of a tape: it finds the lines and writes their records.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use acp_rpc::tap::{Direction, Record, Recording, Redaction};

use super::TapeOptions;
use super::file::{Sink, Unwritten};
use super::heard::{Gap, Heard, Queue};

/// The records that are written at once.
const BATCH: usize = 256 * 1024;
/// The memory that is kept for the next line.
const KEPT: usize = 64 * 1024;

pub(super) struct Listener {
    queue: Arc<Queue>,
    file: Sink,
    redaction: Option<Redaction>,
    max_line: usize,
    on_fault: Box<dyn FnMut(&io::Error) + Send>,
    has_failed: bool,
    /// The line of each direction that has begun: in, and out.
    begun: [Begun; 2],
    /// Records that are not written yet.
    records: Vec<u8>,
    /// Lost lines that the file does not mention yet.
    owed: u64,
    lost: u64,
}

/// A line that is not whole.
#[derive(Default)]
struct Begun {
    bytes: Vec<u8>,
    /// The length so far of a line that is too long.
    oversized: Option<u64>,
    /// A part of the line was lost.
    is_damaged: bool,
}

impl Listener {
    pub(super) fn new(queue: Arc<Queue>, file: Sink, options: TapeOptions) -> Self {
        let TapeOptions { redaction, max_line, on_fault, .. } = options;
        Self {
            queue,
            file,
            redaction,
            max_line,
            on_fault,
            has_failed: false,
            begun: Default::default(),
            records: Vec::new(),
            owed: 0,
            lost: 0,
        }
    }

    pub(super) fn run(mut self) {
        let mut heard = VecDeque::new();
        let reason = loop {
            if let Some(reason) = self.queue.take(&mut heard) {
                break reason;
            }
            for heard in heard.drain(..) {
                match heard {
                    Heard::Bytes { direction, time, bytes } => self.hear(direction, time, &bytes),
                    Heard::Gap { direction, gap } => self.gap(direction, gap),
                }
            }
            self.write();
        };
        for direction in [Direction::In, Direction::Out] {
            self.end_line(direction, SystemTime::now());
        }
        let end = Record::End { time: SystemTime::now(), reason };
        self.tell_lost();
        end.write(&mut self.records);
        self.write();
        self.queue.done(self.lost + self.owed);
    }

    fn of(&mut self, direction: Direction) -> &mut Begun {
        let [of_in, of_out] = &mut self.begun;
        if direction == Direction::In { of_in } else { of_out }
    }

    fn hear(&mut self, direction: Direction, time: SystemTime, bytes: &[u8]) {
        let max_line = self.max_line;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (line, is_whole) = match piece.strip_suffix(b"\n") {
                Some(line) => (line, true),
                None => (piece, false),
            };
            let begun = self.of(direction);
            match &mut begun.oversized {
                Some(length) => *length += line.len() as u64,
                None if begun.is_damaged => {}
                None if begun.bytes.len() + line.len() > max_line => {
                    begun.oversized = Some((begun.bytes.len() + line.len()) as u64);
                    begun.bytes = Vec::new();
                }
                None => begun.bytes.extend_from_slice(line),
            }
            if is_whole {
                self.end_line(direction, time);
            }
        }
    }

    fn end_line(&mut self, direction: Direction, time: SystemTime) {
        let begun = std::mem::take(self.of(direction));
        if begun.is_damaged {
            self.owed += 1;
        } else if let Some(length) = begun.oversized {
            self.tell_lost();
            Record::write_oversized(&mut self.records, time, direction, length);
        } else if !begun.bytes.trim_ascii().is_empty() {
            self.tell_lost();
            Record::write_line(&mut self.records, time, direction, &begun.bytes, self.redaction.as_ref());
        }
        if self.records.len() >= BATCH {
            self.write();
        }
        let mut bytes = begun.bytes;
        bytes.clear();
        bytes.shrink_to(KEPT);
        self.of(direction).bytes = bytes;
    }

    /// Takes note of bytes that are missing.
    fn gap(&mut self, direction: Direction, gap: Gap) {
        // The first line that ends in it is the one that has begun, or one that is lost as a whole.
        self.owed += gap.lines;
        *self.of(direction) = Begun { is_damaged: gap.is_within_line, ..Begun::default() };
    }

    fn tell_lost(&mut self) {
        let count = std::mem::take(&mut self.owed);
        if count > 0 {
            self.lost += count;
            Record::Dropped { time: SystemTime::now(), count }.write(&mut self.records);
        }
    }

    fn write(&mut self) {
        if self.records.is_empty() {
            return;
        }
        if let Err(Unwritten { records, error }) = self.file.write(&self.records) {
            // The records that tell of losses are lost with the rest, so they are counted again.
            let unwritten = records.split_inclusive(|byte| *byte == b'\n');
            for record in unwritten {
                match Recording::new(record).next() {
                    Some(Ok(Record::Line(_))) => self.owed += 1,
                    Some(Ok(Record::Dropped { count, .. })) => {
                        self.owed += count;
                        self.lost -= count.min(self.lost);
                    }
                    _ => {}
                }
            }
            if !std::mem::replace(&mut self.has_failed, true) {
                (self.on_fault)(&error);
            }
        }
        self.records.clear();
        self.records.shrink_to(BATCH);
        self.queue.batch_done();
    }
}
