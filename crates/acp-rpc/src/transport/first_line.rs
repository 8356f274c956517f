//! The first line of a transport, read before the connection is made.

use std::io::{self, Cursor};

use tokio::io::AsyncReadExt;

use super::Transport;

impl Transport {
    /// Reads the first line that is not blank without taking it: the transport that is returned
    /// delivers it again. A program that passes messages on can look at the first one, before it
    /// chooses who gets them.
    ///
    /// The line has no line break. It is cut at `limit` bytes, and empty if the peer has sent
    /// nothing.
    ///
    /// # Errors
    ///
    /// Fails if the stream cannot be read.
    pub async fn first_line(self, limit: usize) -> io::Result<(Vec<u8>, Self)> {
        let Self { mut reader, writer, child, end } = self;
        let mut read = Vec::new();
        let line = loop {
            let is_over = reader.read_buf(&mut read).await? == 0 || read.len() >= limit;
            if let Some(line) = first(&read, is_over) {
                break line.get(..limit).unwrap_or(line).to_vec();
            }
        };
        let reader = Cursor::new(read).chain(reader);
        Ok((line, Self { reader: Box::pin(reader), writer, child, end }))
    }
}

/// Returns the first line that is not blank, if it is whole or nothing comes behind it.
fn first(read: &[u8], is_over: bool) -> Option<&[u8]> {
    let mut rest = read;
    loop {
        let end = rest.iter().position(|byte| *byte == b'\n');
        let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default().trim_ascii();
        match end {
            None => return is_over.then_some(line),
            Some(_) if !line.is_empty() => return Some(line),
            Some(end) => rest = rest.get(end + 1..).unwrap_or_default(),
        }
    }
}
