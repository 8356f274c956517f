//! The last record of each kind of a session's state.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use acp_types::v1::SessionId;

use super::damage::Reporter;
use super::facts::StatePlaces;
use super::files;
use super::line::Kind;
use super::read::Reader;
use crate::store::{Record, StoreError};

/// Reads the records at these places. If the places are unknown, or damaged, it reads the whole
/// file. Returns the places, too.
pub(super) fn read_state(
    path: &Path,
    session: &SessionId,
    places: Option<StatePlaces>,
) -> Result<(Vec<Record>, StatePlaces), StoreError> {
    if let Some(places) = places
        && let Some(records) = read_places(path, session, &places)?
    {
        return Ok((records, places));
    }
    let mut last = HashMap::new();
    let mut reader = reader(files::open_to_read(path, session)?, 0, path)?;
    while let Some((at, kind, json)) = reader.next_at()? {
        if let Kind::Record(kind) = kind
            && kind.is_state()
        {
            last.insert(kind.name(), (at, kind, json.to_owned()));
        }
    }
    let places = last.iter().map(|(name, (at, ..))| ((*name).into(), *at)).collect();
    let records = last.into_values().map(|(_, kind, json)| record(kind, json)).collect::<Result<_, _>>();
    Ok((records?, places))
}

/// Returns `None` if another record stands at one of the places, or damage.
fn read_places(
    path: &Path,
    session: &SessionId,
    places: &StatePlaces,
) -> Result<Option<Vec<Record>>, StoreError> {
    let mut records = Vec::new();
    for (name, at) in places {
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
fn record(kind: crate::store::RecordKind, json: Vec<u8>) -> Result<Record, StoreError> {
    let json = String::from_utf8(json).map_err(StoreError::other)?;
    let at = 0..json.len();
    Ok(Record::within(kind, json.into(), at))
}
