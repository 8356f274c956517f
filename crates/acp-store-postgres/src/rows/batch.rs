//! Records as the bytes of a row, several in one.
//!
//! Each record is its kind and its length, a line end, its text, and a line end:
//!
//! ```text
//! update 37
//! {"sessionUpdate":"plan","entries":[]}
//! ```

use std::io::Write as _;

use acp_agent::store::{Record, RecordKind, StoreError};

use crate::error::PostgresError;

/// The number of bytes of a row, unless one record is longer.
const PIECE: usize = 64 * 1024;
/// About as many bytes as stand around the text of a record.
const HEAD: usize = 24;
/// The longest record. A value of the database has at most a gigabyte.
const LONGEST: usize = 512 * 1024 * 1024;

/// Returns the records as the bytes of one or more rows.
pub(crate) fn write(records: &[Record]) -> Result<Vec<Vec<u8>>, StoreError> {
    let mut rest: usize = records.iter().map(|record| HEAD + record.json().len()).sum();
    let mut pieces = Vec::new();
    let mut piece = Vec::new();
    for record in records {
        let text = record.json();
        if text.len() > LONGEST {
            return Err(StoreError::TooLong { bytes: text.len() });
        }
        if !piece.is_empty() && piece.len() + text.len() > PIECE {
            pieces.push(std::mem::take(&mut piece));
        }
        if piece.is_empty() {
            piece.reserve_exact(rest.min(PIECE));
        }
        rest -= HEAD + text.len();
        piece.extend_from_slice(record.kind().name().as_bytes());
        let _ = writeln!(piece, " {}", text.len());
        piece.extend_from_slice(text.as_bytes());
        piece.push(b'\n');
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    Ok(pieces)
}

/// Adds the records of a row. Records of kinds that this version does not know are left out: a
/// later one has written them.
pub(crate) fn read(row: &[u8], records: &mut Vec<Record>) -> Result<(), StoreError> {
    let mut rest = row;
    while !rest.is_empty() {
        let (kind, text, next) = split(rest).ok_or(PostgresError::Damaged { column: "records" })?;
        if let Some(kind) = RecordKind::of_name(kind) {
            records.push(Record::new(kind, text)?);
        }
        rest = next;
    }
    Ok(())
}

/// Returns the kind and the text of the first record, and the rest.
fn split(row: &[u8]) -> Option<(&str, &str, &[u8])> {
    let end = row.iter().position(|byte| *byte == b'\n')?;
    let (kind, length) = std::str::from_utf8(row.get(..end)?).ok()?.split_once(' ')?;
    let text_end = (end + 1).checked_add(length.parse().ok()?)?;
    let text = std::str::from_utf8(row.get(end + 1..text_end)?).ok()?;
    let rest = row.get(text_end..)?.strip_prefix(b"\n")?;
    Some((kind, text, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(texts: &[&str]) -> Vec<Record> {
        let kinds = [RecordKind::Prompt, RecordKind::Update, RecordKind::UpdateV2, RecordKind::Saved];
        let kinds = kinds.into_iter().cycle();
        texts.iter().zip(kinds).map(|(text, kind)| Record::new(kind, *text).unwrap()).collect()
    }

    #[test]
    fn records_come_back_from_rows_of_a_bounded_length() {
        let long = format!("\"{}\"", "x".repeat(3 * PIECE));
        let half = format!("\"{}\"", "y".repeat(PIECE / 2));
        let all = records(&["1", "\"\u{1f980}\"", &half, &half, &long, "[ ]", "null"]);
        let pieces = write(&all).unwrap();
        assert!(pieces.len() > 3);
        let (mut found, mut most) = (Vec::new(), 0);
        for piece in &pieces {
            let before = found.len();
            read(piece, &mut found).unwrap();
            most = most.max(if found.len() - before > 1 { piece.len() } else { 0 });
        }
        assert_eq!(found, all);
        assert!(most <= PIECE + 1024, "{most}");
        assert_eq!(write(&[]).unwrap().len(), 0);
    }

    #[test]
    fn a_kind_of_a_later_version_is_left_out() {
        let mut found = Vec::new();
        read(b"update 1\n1\nsomething_new 4\n{\n\n}\nupdate 1\n2\n", &mut found).unwrap();
        assert_eq!(found.iter().map(Record::json).collect::<Vec<_>>(), ["1", "2"]);
    }

    #[test]
    fn a_row_that_is_not_ours_is_an_error() {
        for row in [
            "x",
            "update\n1\n",
            "update 2\n1\n",
            "update 1\n1",
            "update 99999999999999999999\n1\n",
            "update 1\n{\n",
        ] {
            assert!(read(row.as_bytes(), &mut Vec::new()).is_err(), "{row:?}");
        }
    }
}
