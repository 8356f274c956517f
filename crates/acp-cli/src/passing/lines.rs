//! Lines of a program that become messages: each is passed on as it is.

use std::future::pending;
use std::io;
use std::pin::pin;

use memchr::memchr;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The bytes that are read at once.
const CHUNK: usize = 64 * 1024;
/// The memory that is kept for the next line.
const KEPT: usize = 64 * 1024;

/// Learns of what passes.
pub(crate) trait Watch {
    /// A line was passed on, with its line end.
    fn passed(&mut self, line: &[u8]);
    /// A line was left out, because it cannot be a message of text.
    fn skipped(&mut self);
}

/// Passes lines on until the end of the reader. Line ends stay line ends, blank lines are left out,
/// and so are lines that are not UTF-8.
///
/// A line is kept until it is whole. One that is longer than `limit` is an error: nobody could take
/// it. The line ends are not looked at in any other way, and neither is JSON.
pub(crate) async fn pass(
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin,
    limit: usize,
    watch: &mut impl Watch,
) -> io::Result<()> {
    pass_until(reader, writer, limit, watch, pending()).await
}

/// Passes lines on until the end of the reader, or until `enough` and nothing more is there to be
/// read. No line is cut: one that is not whole by then is dropped.
pub(crate) async fn pass_until(
    mut reader: impl AsyncRead + Unpin,
    mut writer: impl AsyncWrite + Unpin,
    limit: usize,
    watch: &mut impl Watch,
    enough: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut enough = pin!(enough);
    let mut chunk = vec![0; CHUNK];
    let mut begun = Vec::new();
    loop {
        let length = tokio::select! {
            biased;
            length = reader.read(&mut chunk) => length?,
            () = &mut enough => return writer.flush().await,
        };
        if length == 0 {
            // A program may end without a last line end.
            emit(&mut begun, &mut writer, watch).await?;
            return writer.flush().await;
        }
        let mut rest = chunk.get(..length).unwrap_or_default();
        while let Some(end) = memchr(b'\n', rest) {
            let (line, behind) = rest.split_at(end);
            append(&mut begun, line, limit)?;
            emit(&mut begun, &mut writer, watch).await?;
            rest = behind.get(1..).unwrap_or_default();
        }
        append(&mut begun, rest, limit)?;
        writer.flush().await?;
    }
}

fn append(line: &mut Vec<u8>, more: &[u8], limit: usize) -> io::Result<()> {
    if line.len() + more.len() > limit {
        let problem = format!("a line is longer than the limit of {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    }
    line.extend_from_slice(more);
    Ok(())
}

/// Writes a line, if it can be a message.
async fn emit(
    line: &mut Vec<u8>,
    writer: &mut (impl AsyncWrite + Unpin),
    watch: &mut impl Watch,
) -> io::Result<()> {
    if !line.trim_ascii().is_empty() {
        if std::str::from_utf8(line).is_ok() {
            // In JSON it can only be white space. In an event of HTTP it would end the line.
            line.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b' ');
            line.push(b'\n');
            writer.write_all(line).await?;
            watch.passed(line);
        } else {
            watch.skipped();
        }
    }
    line.clear();
    line.shrink_to(KEPT);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen {
        bytes: usize,
        skipped: usize,
    }

    impl Watch for Seen {
        fn passed(&mut self, line: &[u8]) {
            self.bytes += line.len();
        }

        fn skipped(&mut self) {
            self.skipped += 1;
        }
    }

    async fn passed(text: &[u8], limit: usize) -> (io::Result<()>, Vec<u8>, Seen) {
        let (mut out, mut seen) = (Vec::new(), Seen::default());
        let done = pass(text, &mut out, limit, &mut seen).await;
        (done, out, seen)
    }

    #[tokio::test]
    async fn lines_pass_as_they_are() {
        let text = "{\"a\": 1}\r\n\n  \n{\"b\":\r 2}\nnot JSON\nü";
        let (done, out, seen) = passed(text.as_bytes(), 100).await;
        assert!(done.is_ok());
        assert_eq!(String::from_utf8(out).unwrap(), "{\"a\": 1} \n{\"b\":  2}\nnot JSON\nü\n");
        assert_eq!((seen.bytes, seen.skipped), (32, 0));
    }

    #[tokio::test]
    async fn a_line_that_is_not_utf8_is_left_out() {
        let (done, out, seen) = passed(b"one\n\xff\xfe\ntwo\n", 100).await;
        assert!(done.is_ok());
        assert_eq!((out.as_slice(), seen.skipped), (b"one\ntwo\n".as_slice(), 1));
    }

    #[tokio::test]
    async fn what_is_there_is_passed_before_the_end_and_no_line_is_cut() {
        let (mut agent, reader) = tokio::io::duplex(100);
        agent.write_all(b"one\ntwo\nthr").await.unwrap();
        let (mut out, mut seen) = (Vec::new(), Seen::default());
        pass_until(reader, &mut out, 100, &mut seen, std::future::ready(())).await.unwrap();
        assert_eq!(out, b"one\ntwo\n");
    }

    #[tokio::test]
    async fn a_line_may_have_the_limit_and_not_more() {
        let line = |length: usize| [vec![b'x'; length], b"\n".to_vec()].concat();
        for (length, is_taken) in [(9, true), (10, true), (11, false), (CHUNK * 2, false)] {
            let (done, out, _) = passed(&line(length), 10).await;
            assert_eq!((done.is_ok(), out.len() == length + 1), (is_taken, is_taken), "{length}");
        }
        // It ends before the line does.
        assert!(passed(&vec![b'x'; CHUNK * 2], CHUNK).await.0.is_err());
        let (done, out, _) = passed(&line(CHUNK * 3), CHUNK * 3).await;
        assert_eq!((done.is_ok(), out.len()), (true, CHUNK * 3 + 1));
    }
}
