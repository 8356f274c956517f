//! Records as the bytes of a row, several in one.
//!
//! Each record is its kind and its length, a line end, its text, and a line end:
//!
//! ```text
//! update 37
//! {"sessionUpdate":"plan","entries":[]}
//! ```

use std::error::Error;
use std::fmt::Write as _;

use acp_agent::store::{Record, RecordKind, StoreError};
use bytes::{BufMut as _, BytesMut};
use tokio_postgres::types::{IsNull, ToSql, Type, accepts, to_sql_checked};

use crate::error::PostgresError;
use crate::rows::facts::StateAt;

/// The number of bytes of a row, unless one record is longer.
const ROW: usize = 64 * 1024;
/// The number of bytes of the rows of a statement, unless one row is longer. A longer statement
/// would take the time of many attempts, and the database takes a gigabyte at most.
const PART: usize = 16 * 1024 * 1024;
/// The longest record. A value of the database has at most a gigabyte.
const LONGEST: usize = 512 * 1024 * 1024;

/// Records as one or more rows. As a parameter it is a list of their bytes, which are written where
/// the statement is put together and nowhere before.
#[derive(Debug)]
pub(crate) struct Rows<'r> {
    rows: Vec<Row<'r>>,
}

#[derive(Debug)]
struct Row<'r> {
    records: &'r [Record],
    /// The number of its bytes.
    bytes: usize,
}

impl<'r> Rows<'r> {
    pub(crate) fn of(records: &'r [Record]) -> Result<Self, StoreError> {
        let (mut rows, mut rest) = (Vec::new(), records);
        while !rest.is_empty() {
            let (mut count, mut bytes) = (0, 0);
            for record in rest {
                let length = record.json().len();
                if length > LONGEST {
                    return Err(StoreError::TooLong { bytes: length });
                }
                if count > 0 && bytes + length > ROW {
                    break;
                }
                (count, bytes) = (count + 1, bytes + length_of(record));
            }
            let (records, next) = rest.split_at_checked(count).unwrap_or((rest, &[]));
            rows.push(Row { records, bytes });
            rest = next;
        }
        Ok(Rows { rows })
    }

    /// Returns the rows in parts, one for each statement.
    pub(crate) fn into_parts(self) -> Vec<Self> {
        let mut parts: Vec<Self> = Vec::new();
        for row in self.rows {
            match parts.last_mut() {
                Some(part) if part.bytes() + row.bytes <= PART => part.rows.push(row),
                _ => parts.push(Rows { rows: vec![row] }),
            }
        }
        parts
    }

    pub(crate) const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of bytes of all rows.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.iter().map(|row| row.bytes).sum()
    }

    /// Returns the kinds of state in the records with the rows of their last records. The first row
    /// has place 1.
    pub(crate) fn states(&self) -> StateAt {
        let mut states = StateAt::new();
        for (place, row) in (1..).zip(&self.rows) {
            for record in row.records.iter().filter(|record| record.kind().is_state()) {
                states.insert(record.kind().name().to_owned(), place);
            }
        }
        states
    }
}

/// Returns the number of bytes of a record in a row.
fn length_of(record: &Record) -> usize {
    let length = record.json().len();
    let digits = length.checked_ilog10().map_or(1, |log| log as usize + 1);
    record.kind().name().len() + digits + length + " \n\n".len()
}

impl Row<'_> {
    fn write(&self, out: &mut BytesMut) -> Result<(), std::fmt::Error> {
        for record in self.records {
            let text = record.json();
            writeln!(out, "{} {}", record.kind().name(), text.len())?;
            out.put_slice(text.as_bytes());
            out.put_u8(b'\n');
        }
        Ok(())
    }
}

impl ToSql for Rows<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.reserve(20 + 4 * self.rows.len() + self.bytes());
        // A list has one dimension, nothing in it is null, and its first place is 1.
        out.put_i32(1);
        out.put_i32(0);
        out.put_u32(Type::BYTEA.oid());
        out.put_i32(i32::try_from(self.rows.len())?);
        out.put_i32(1);
        for row in &self.rows {
            out.put_i32(i32::try_from(row.bytes)?);
            row.write(out)?;
        }
        Ok(IsNull::No)
    }

    accepts!(BYTEA_ARRAY);
    to_sql_checked!();
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
    use tokio_postgres::types::FromSql as _;

    use super::*;

    fn records(texts: &[&str]) -> Vec<Record> {
        let kinds = [RecordKind::Prompt, RecordKind::Update, RecordKind::UpdateV2, RecordKind::Saved];
        let kinds = kinds.into_iter().cycle();
        texts.iter().zip(kinds).map(|(text, kind)| Record::new(kind, *text).unwrap()).collect()
    }

    /// Returns the rows as the database gets them.
    fn written(records: &[Record]) -> Vec<Vec<u8>> {
        let rows = Rows::of(records).unwrap();
        let mut out = BytesMut::new();
        assert!(matches!(rows.to_sql_checked(&Type::BYTEA_ARRAY, &mut out), Ok(IsNull::No)));
        let list = Vec::<Vec<u8>>::from_sql(&Type::BYTEA_ARRAY, &out).unwrap();
        assert_eq!(list.len(), rows.len());
        list
    }

    #[test]
    fn lengths_are_those_of_the_bytes() {
        for length in [0, 1, 9, 10, 99, 100, 999, 1000, 12345] {
            for kind in [RecordKind::Prompt, RecordKind::Update, RecordKind::UpdateV2, RecordKind::Saved] {
                let record = Record::new(kind, format!("\"{}\"", "x".repeat(length))).unwrap();
                assert_eq!(written(std::slice::from_ref(&record)).concat().len(), length_of(&record));
            }
        }
    }

    #[test]
    fn the_last_state_of_a_kind_is_found_by_its_row() {
        let long = format!("\"{}\"", "x".repeat(ROW));
        let records =
            [("1", RecordKind::Saved), (long.as_str(), RecordKind::Update), ("2", RecordKind::Saved)];
        let records = records.map(|(text, kind)| Record::new(kind, text).unwrap());
        let rows = written(&records);
        let states = Rows::of(&records).unwrap().states();
        assert_eq!(states.into_iter().collect::<Vec<_>>(), [("saved".to_owned(), 3)]);
        assert_eq!(rows.len(), 3);
    }

    #[test]
    fn records_come_back_from_rows_of_a_bounded_length() {
        let long = format!("\"{}\"", "x".repeat(3 * ROW));
        let half = format!("\"{}\"", "y".repeat(ROW / 2));
        let all = records(&["1", "\"\u{1f980}\"", &half, &half, &long, "[ ]", "null"]);
        let rows = written(&all);
        assert!(rows.len() > 3);
        let (mut found, mut most) = (Vec::new(), 0);
        for row in &rows {
            let before = found.len();
            read(row, &mut found).unwrap();
            most = most.max(if found.len() - before > 1 { row.len() } else { 0 });
        }
        assert_eq!(found, all);
        assert!(most <= ROW + 1024, "{most}");
        assert_eq!(Rows::of(&[]).unwrap().len(), 0);
    }

    #[test]
    fn long_additions_are_made_in_parts() {
        let one = format!("\"{}\"", "x".repeat(ROW - 100));
        let long = format!("\"{}\"", "x".repeat(PART + 1));
        let mut texts = vec![one.as_str(); 2 * PART / ROW + 3];
        texts.insert(1, &long);
        let all = records(&texts);
        let rows = Rows::of(&all).unwrap();
        let count = rows.len();
        let parts = rows.into_parts();
        assert_eq!(parts.iter().map(Rows::len).sum::<usize>(), count);
        assert!(parts.iter().all(|part| part.bytes() <= PART || part.len() == 1));
        assert_eq!(parts.len(), 5);
        let found: Vec<_> =
            parts.iter().flat_map(|part| part.rows.iter().flat_map(|row| row.records)).collect();
        assert!(found.into_iter().eq(&all));
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
