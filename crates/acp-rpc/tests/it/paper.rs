//! Recordings in memory.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use acp_rpc::tap::{Record, Recording, RecordingError};

/// A file in memory.
#[derive(Clone, Default)]
pub(crate) struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Paper {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

pub(crate) fn records(text: &str) -> impl Iterator<Item = Result<Record, RecordingError>> {
    Recording::new(text.as_bytes())
}
