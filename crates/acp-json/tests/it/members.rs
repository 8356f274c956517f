//! Taking members out of an object: order, repeats and number do not matter.

use acp_json::{Fields, FromNode, NoteKind, ReadError, Record, Report, from_str, parse, read_reporting};

/// Takes `b`, `d` and `b` again, looks for `a` and `b`, and takes the rest.
#[derive(Debug, PartialEq)]
struct Taken {
    b: Option<u32>,
    d: Option<u32>,
    b_again: Option<u32>,
    has: [bool; 2],
    rest: Vec<String>,
}

impl Record for Taken {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        Ok(Taken {
            b: fields.optional("b", u32::from_node)?,
            d: fields.optional("d", u32::from_node)?,
            b_again: fields.optional("b", u32::from_node)?,
            has: ["a", "b"].map(|name| fields.has(name)),
            rest: fields.rest().into_iter().map(|(name, _)| name.into_owned()).collect(),
        })
    }

    fn write<M: serde_core::ser::SerializeMap>(&self, _: &mut M) -> Result<(), M::Error> {
        Ok(())
    }
}

acp_json::record!(Taken);

/// Returns `{"m0":0,…}` with this number of members, followed by `more`.
fn wide(count: usize, more: &str) -> String {
    let members: Vec<String> = (0..count).map(|index| format!(r#""m{index}":0"#)).collect();
    format!("{{{},{more}}}", members.join(","))
}

/// An object, its `b` and `d`, the presence of `a`, and the names that are left.
type Case = (&'static str, Option<u32>, Option<u32>, bool, &'static [&'static str]);

#[test]
fn members_are_taken_whatever_their_order() {
    let cases: [Case; 8] = [
        ("{}", None, None, false, &[]),
        (r#"{"a":1}"#, None, None, true, &["a"]),
        (r#"{"b":2,"d":4}"#, Some(2), Some(4), false, &[]),
        (r#"{"d":4,"b":2}"#, Some(2), Some(4), false, &[]),
        (r#"{"c":3,"d":4,"a":1,"b":2,"e":5}"#, Some(2), Some(4), true, &["c", "a", "e"]),
        // Of a name that occurs twice the last one counts, and nothing is left of the first.
        (r#"{"b":1,"a":1,"b":2,"c":3}"#, Some(2), None, true, &["a", "c"]),
        (r#"{"d":1,"d":2,"d":4}"#, None, Some(4), false, &[]),
        (r#"{"\u0062":2,"c":3}"#, Some(2), None, false, &["c"]),
    ];
    for (json, b, d, has_a, rest) in cases {
        let rest = rest.iter().map(|&name| name.to_owned()).collect();
        let expected = Taken { b, d, b_again: None, has: [has_a, false], rest };
        assert_eq!(from_str::<Taken>(json), Ok(expected), "{json}");
    }
}

#[test]
fn wide_objects_are_no_different() {
    for count in [13, 14, 15, 16, 17, 100] {
        let rest: Vec<String> = (0..count).map(|index| format!("m{index}")).collect();
        for (more, b) in [(r#""d":4,"b":2"#, 2), (r#""b":2,"d":4,"b":3"#, 3)] {
            let expected =
                Taken { b: Some(b), d: Some(4), b_again: None, has: [false, false], rest: rest.clone() };
            assert_eq!(from_str::<Taken>(&wide(count, more)), Ok(expected), "{count} members and {more}");
        }
    }
}

/// Takes `b` and leaves the rest to be noted.
#[derive(Debug)]
struct Only;

impl Record for Only {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        fields.required("b", u32::from_node)?;
        Ok(Only)
    }

    fn write<M: serde_core::ser::SerializeMap>(&self, _: &mut M) -> Result<(), M::Error> {
        Ok(())
    }
}

acp_json::record!(Only);

#[test]
fn only_what_was_not_taken_is_noted() {
    for json in [r#"{"a":1,"b":2,"c":3}"#, r#"{"b":1,"a":1,"b":2,"c":3}"#] {
        let mut report = Report::default();
        read_reporting::<Only>(parse(json).unwrap(), &mut report).unwrap();
        let notes: Vec<_> = report.notes().iter().map(|note| (note.path.as_str(), &note.kind)).collect();
        assert_eq!(notes, [("a", &NoteKind::Ignored), ("c", &NoteKind::Ignored)], "{json}");
    }
}
