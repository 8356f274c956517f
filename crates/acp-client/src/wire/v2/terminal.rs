//! Terminals of the agent.

use acp_json::{At, Problem, ReadError};
use acp_types::{Maybe, base64, v2};

use crate::event::{Event, TerminalChange, TerminalExit, TerminalSize, TerminalUpdate};

/// Decodes an update. Output that is not base64 is malformed, and a malformed member is absent.
pub(super) fn update(update: v2::TerminalUpdate) -> Event {
    let read = TerminalUpdate {
        command: update.command,
        cwd: map(update.cwd, |path| Some(path.to_string())),
        output: map(update.output, |output| base64::decode(&output.data)),
        exit: map(update.exit_status, |exit| Some(TerminalExit::new(exit.exit_code, exit.signal))),
        size: map(update.size, |size| Some(TerminalSize::new(size.cols, size.rows))),
        meta: update.meta,
    };
    Event::Terminal { id: update.terminal_id, change: Box::new(TerminalChange::Updated(read)) }
}

/// Decodes a piece of output.
///
/// # Errors
/// It is not base64. Each piece is encoded by itself.
pub(super) fn chunk(chunk: v2::TerminalOutputChunk) -> Result<Event, ReadError> {
    let bytes = base64::decode(&chunk.data).ok_or_else(|| {
        let at = At::root();
        let (update, problem) = (at.member("update"), Problem::Other("is not base64".to_owned()));
        ReadError::new(&update.member("data"), problem)
    })?;
    let change = Box::new(TerminalChange::Output { bytes, meta: chunk.meta });
    Ok(Event::Terminal { id: chunk.terminal_id, change })
}

fn map<T, V>(member: Maybe<T>, read: impl FnOnce(T) -> Option<V>) -> Maybe<V> {
    match member {
        Maybe::Absent => Maybe::Absent,
        Maybe::Null => Maybe::Null,
        Maybe::Value(value) => read(value).map_or(Maybe::Absent, Maybe::Value),
    }
}
