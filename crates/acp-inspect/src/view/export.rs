//! A part of the connection as a file.

use std::io;

use acp_rpc::tap::{Record, Recording, Redaction};
use acp_testkit::mock::{Mock, Side};
use acp_testkit::recordings::Direction;

use crate::store::Store;
use crate::store::entry::Marks;

/// The most bytes of an exported file's lines.
const MOST: u64 = 64 * 1024 * 1024;

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A recording whose secrets are hidden.
    Redacted,
    /// A script that plays the agent.
    Mock,
}

/// Returns the messages from one number to another as a file. The error of a script is a sentence
/// for the user.
pub(crate) fn export(store: &Store, form: Form, from: u64, to: u64) -> io::Result<Result<Vec<u8>, String>> {
    let redaction = Redaction::default();
    let redaction = (form == Form::Redacted).then_some(&redaction);
    let (mut file, mut bytes) = (Vec::new(), 0);
    for seq in from.max(1)..=to.min(store.seen().messages) {
        let (entry, time) = {
            let state = store.lock();
            let Some(entry) = state.entry(seq).copied() else { break };
            // Of a chain the export has the client and what is an agent to it.
            if !state.is_in_front(&entry) {
                continue;
            }
            (entry, state.time(&entry))
        };
        bytes += u64::from(entry.length);
        if bytes > MOST {
            return Ok(Err("the part has more than 64 MiB: choose a smaller one".to_owned()));
        }
        if file.is_empty() {
            Record::Start { time, version: Record::VERSION }.write(&mut file);
        }
        let direction = if entry.marks.has(Marks::OUT) { Direction::Out } else { Direction::In };
        Record::write_line(&mut file, time, direction, &store.line(&entry, usize::MAX)?, redaction);
    }
    Ok(match form {
        Form::Redacted => Ok(file),
        Form::Mock => {
            let script = Mock::script_from(Recording::new(file.as_slice()), Side::Agent);
            script.map(String::into_bytes).map_err(|error| error.to_string())
        }
    })
}
