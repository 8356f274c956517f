//! Lines in and out of a pair of streams.

use std::borrow::Cow;
use std::ops::Range;

use acp_json::{FromNode, Node};
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// A read is offered at least this much room.
const READ: usize = 64 * 1024;
/// Output above this size is written before more is added.
const WRITE: usize = 64 * 1024;

/// Both directions of a connection.
pub(crate) struct Wire<R, W> {
    reader: R,
    writer: W,
    pub(crate) input: Vec<u8>,
    start: usize,
    scanned: usize,
    pub(crate) output: Vec<u8>,
    /// The id of the next request.
    next_id: u64,
}

/// A message, its text borrowed from the line.
#[derive(Deserialize)]
pub(crate) struct Line<'a> {
    pub(crate) id: Option<Id>,
    #[serde(borrow)]
    pub(crate) method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) params: Node<'a>,
    #[serde(borrow, default)]
    pub(crate) result: Node<'a>,
}

/// A message for types that serde reads: the method alone decides about the type.
#[derive(Deserialize)]
pub(crate) struct RawLine<'a> {
    #[serde(borrow)]
    pub(crate) method: Option<&'a str>,
    #[serde(borrow)]
    pub(crate) params: Option<&'a RawValue>,
}

/// The id of a request. The official crate has strings.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum Id {
    Number(u64),
    Text(String),
}

impl<'a> Line<'a> {
    pub(crate) fn parse(line: &'a [u8]) -> Result<Self> {
        Ok(serde_json::from_str(std::str::from_utf8(line)?)?)
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Wire<R, W> {
    pub(crate) fn new(reader: R, writer: W) -> Self {
        Wire { reader, writer, input: Vec::new(), start: 0, scanned: 0, output: Vec::new(), next_id: 0 }
    }

    /// Returns the place of the next line in `input`, or `None` at the end. Writes the output
    /// before it waits.
    pub(crate) async fn next(&mut self) -> Result<Option<Range<usize>>> {
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.input[self.scanned..]) {
                let line = self.start..self.scanned + length;
                self.start = line.end + 1;
                self.scanned = self.start;
                return Ok(Some(line));
            }
            self.flush().await?;
            self.input.drain(..self.start);
            self.start = 0;
            self.scanned = self.input.len();
            // The line may be long, so the buffer doubles.
            self.input.reserve(READ.max(self.input.len()));
            if self.reader.read_buf(&mut self.input).await? == 0 {
                return Ok(None);
            }
        }
    }

    pub(crate) async fn flush(&mut self) -> Result<()> {
        if !self.output.is_empty() {
            self.writer.write_all(&self.output).await?;
            self.output.clear();
        }
        Ok(())
    }

    /// Writes the waiting output, and then `bytes`.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.flush().await?;
        Ok(self.writer.write_all(bytes).await?)
    }

    /// Writes the waiting output if it is large.
    pub(crate) async fn make_room(&mut self) -> Result<()> {
        if self.output.len() >= WRITE { self.flush().await } else { Ok(()) }
    }

    pub(crate) fn request(&mut self, method: &str, params: &impl Serialize) -> Result<()> {
        use std::io::Write as _;
        let id = self.next_id;
        self.next_id += 1;
        write!(self.output, r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":"#)?;
        end(&mut self.output, params)
    }

    /// Sends a request and waits for its answer. Other messages are dropped.
    pub(crate) async fn call<A: FromNode>(&mut self, method: &str, params: &impl Serialize) -> Result<A> {
        self.request(method, params)?;
        loop {
            let Some(line) = self.next().await? else { bail!("the peer is gone") };
            let Line { method, result, .. } = Line::parse(&self.input[line])?;
            if method.is_none() {
                return Ok(acp_json::read(result)?);
            }
        }
    }

    pub(crate) fn notify(&mut self, method: &str, params: &impl Serialize) -> Result<()> {
        self.output.extend_from_slice(br#"{"jsonrpc":"2.0","method":""#);
        self.output.extend_from_slice(method.as_bytes());
        self.output.extend_from_slice(br#"","params":"#);
        end(&mut self.output, params)
    }

    pub(crate) fn answer(&mut self, id: Option<&Id>, result: &impl Serialize) -> Result<()> {
        self.output.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        serde_json::to_writer(&mut self.output, &id)?;
        self.output.extend_from_slice(br#","result":"#);
        end(&mut self.output, result)
    }
}

fn end(output: &mut Vec<u8>, value: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut *output, value)?;
    output.extend_from_slice(b"}\n");
    Ok(())
}
