//! The last record of each kind of a session's state.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use acp_types::v1::SessionId;

use super::damage::Reporter;
use super::facts::StatePlaces;
use super::files;
use super::line::Kind;
use super::read::Reader;
use crate::store::{Record, RecordKind, StoreError};

/// Reads the records at these places. If the places are unknown, or damaged, it reads the whole
/// file. Returns the places, too.
pub(super) fn read_state(
    path: &Path,
    session: &SessionId,
    places: Option<StatePlaces>,
) -> Result<(Vec<Record>, StatePlaces), StoreError> {
    let mut places = match places {
        Some(places) => match read_places(path, session, &places)? {
            Some(records) => return Ok((records, places)),
            None => places,
        },
        None => StatePlaces::new(),
    };
    let mut last = HashMap::new();
    let mut reader = reader(files::open_to_read(path, session)?, 0, path)?;
    while let Some((at, kind, json)) = reader.next_at()? {
        if let Kind::Record(kind) = kind
            && kind.is_state()
        {
            last.insert(kind.name(), (at, kind, json.to_owned()));
        }
    }
    // Nothing but the places tells which of the unknown kinds are state.
    places.retain(|name, _| RecordKind::of_name(name).is_none());
    places.extend(last.iter().map(|(name, (at, ..))| (Cow::Borrowed(*name), *at)));
    let records = last.into_values().map(|(_, kind, json)| record(kind, json)).collect::<Result<_, _>>();
    Ok((records?, places))
}

/// Returns `None` if another record stands at one of the places, or damage. Passes over kinds of a
/// later version.
fn read_places(
    path: &Path,
    session: &SessionId,
    places: &StatePlaces,
) -> Result<Option<Vec<Record>>, StoreError> {
    let mut records = Vec::new();
    for (name, at) in places.iter().filter(|(name, _)| RecordKind::of_name(name).is_some()) {
        let mut reader = reader(files::open_to_read(path, session)?, *at, path)?;
        match reader.next_at()? {
            Some((found, Kind::Record(kind), json)) if found == *at && kind.name() == *name => {
                records.push(record(kind, json.to_owned())?);
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(records))
}

/// Reads a file from this offset. A replay reports damage.
fn reader(file: File, from: u64, path: &Path) -> Result<Reader, StoreError> {
    Reader::new(file, from, path.to_owned(), Reporter::default())
}

/// Makes a record of the text of a line: the writer wrote JSON, and its checksum is right.
fn record(kind: RecordKind, json: Vec<u8>) -> Result<Record, StoreError> {
    let json = String::from_utf8(json).map_err(StoreError::other)?;
    let at = 0..json.len();
    Ok(Record::within(kind, json.into(), at))
}
