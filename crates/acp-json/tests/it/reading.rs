//! Reading typed values: the values that fit, and the position of an error.

use std::sync::Arc;

use acp_json::{
    Fields, FromNode, Map, NoteKind, Problem, ReadError, Record, Report, from_slice, from_str, parse,
    read_reporting, skip_invalid, to_string,
};

/// A member for each kind of rule.
#[derive(Debug, Default, PartialEq)]
struct Sample {
    required: u32,
    list: Vec<u16>,
    optional: Option<bool>,
    defaulted: Vec<String>,
    lenient: Option<f64>,
    patch: Option<Option<String>>,
    inner: Option<Box<Sample>>,
}

impl Record for Sample {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        Ok(Sample {
            required: fields.required("required", u32::from_node)?,
            list: fields.optional_lenient("list", skip_invalid::<u16>).unwrap_or_default(),
            optional: fields.optional("optional", bool::from_node)?,
            defaulted: fields.defaulted_or_null("defaulted", Vec::from_node, Vec::new)?,
            lenient: fields.optional_lenient("lenient", f64::from_node),
            patch: fields.patch("patch", String::from_node)?,
            inner: fields.optional("inner", Box::<Sample>::from_node)?,
        })
    }

    fn write<M: serde_core::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("required", &self.required)
    }
}

acp_json::record!(Sample, null => Default);

fn error<T: FromNode>(text: &str) -> String {
    match from_str::<T>(text) {
        Ok(_) => panic!("{text} was read"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn integers_fit_or_are_refused() {
    assert_eq!(from_str::<u16>("65535"), Ok(u16::MAX));
    assert_eq!(from_str::<u32>("4294967295"), Ok(u32::MAX));
    assert_eq!(from_str::<u64>("18446744073709551615"), Ok(u64::MAX));
    assert_eq!(from_str::<i32>("-2147483648"), Ok(i32::MIN));
    assert_eq!(from_str::<i64>("-9223372036854775808"), Ok(i64::MIN));
    // JSON Schema calls these integers.
    assert_eq!(from_str::<i64>("-2.0"), Ok(-2));
    assert_eq!(from_str::<u32>("1e3"), Ok(1000));
    assert_eq!(from_str::<f64>("3"), Ok(3.0));
    for refused in [
        error::<u16>("65536"),
        error::<u16>("-1"),
        error::<u32>("4294967296"),
        error::<u64>("18446744073709551616"),
        error::<i64>("9223372036854775808"),
        error::<i64>("0.5"),
        error::<i64>("1e17"),
    ] {
        assert!(refused.starts_with("the number does not fit a"), "{refused}");
    }
}

#[test]
fn errors_name_path_and_kind_but_no_payload() {
    for (found, expected) in [
        (error::<bool>("1"), "expected a boolean, found a number"),
        (error::<String>("null"), "expected a string, found null"),
        (error::<Arc<str>>("{}"), "expected a string, found an object"),
        (error::<()>("false"), "expected null, found a boolean"),
        (
            error::<Vec<Vec<u32>>>(r#"[[1],[2,"secret"]]"#),
            "`[1][1]`: expected an unsigned 32-bit integer, found a string",
        ),
        (error::<Map<Vec<i64>>>(r#"{"a b":[1.5]}"#), "`a b[0]`: the number does not fit a 64-bit integer"),
        (error::<Option<String>>("7"), "expected a string, found a number"),
        (error::<Sample>("[]"), "expected an object, found an array"),
        (error::<Sample>("{}"), "`required`: required, but missing"),
        (
            error::<Sample>(r#"{"required":1,"inner":{"required":2,"inner":{"required":"secret"}}}"#),
            "`inner.inner.required`: expected an unsigned 32-bit integer, found a string",
        ),
        (
            error::<Sample>(r#"{"required":1,"defaulted":["a",0]}"#),
            "`defaulted[1]`: expected a string, found a number",
        ),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn absence_null_and_values_by_rule() {
    let read = |text: &str| from_str::<Sample>(text).unwrap();
    let one = Sample { required: 1, ..Sample::default() };
    assert_eq!(read(r#"{"required":1}"#), one);
    assert_eq!(
        read(r#"{"required":1,"list":null,"optional":null,"defaulted":null,"lenient":null,"inner":null}"#),
        one
    );
    assert_eq!(read("null"), Sample::default());
    assert_eq!(read(r#"{"required":1,"patch":null}"#).patch, Some(None));
    assert_eq!(read(r#"{"required":1,"patch":"p"}"#).patch, Some(Some("p".to_owned())));
    assert_eq!(to_string(&one), r#"{"required":1}"#);
}

#[test]
fn reports_say_what_was_passed_over_and_where() {
    let text = r#"{"required":1,"later":0,"list":[1,"x",70000,4],"lenient":"no","inner":{"required":1,"more":0,"list":7}}"#;
    let mut report = Report::default();
    let sample: Sample = read_reporting(parse(text).unwrap(), &mut report).unwrap();
    assert_eq!((sample.list, sample.lenient), (vec![1, 4], None));
    let notes: Vec<String> = report.notes().iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "`list[1]`: left out: expected an unsigned 16-bit integer, found a string",
            "`list[2]`: left out: the number does not fit an unsigned 16-bit integer",
            "`lenient`: read as absent: expected a number, found a string",
            "`inner.list`: read as absent: expected an array, found a number",
            "`inner.more`: unknown member, not kept",
            "`later`: unknown member, not kept",
        ]
    );
    let NoteKind::Defaulted(error) = &report.notes()[2].kind else { panic!("{:?}", report.notes()) };
    assert_eq!(error.path(), "lenient");
    assert!(matches!(error.problem(), Problem::Mismatch { expected: "a number", .. }));
}

#[test]
fn a_value_that_is_kept_whole_leaves_no_note() {
    let mut report = Report::default();
    let _: Sample = read_reporting(parse(r#"{"required":1,"list":[2]}"#).unwrap(), &mut report).unwrap();
    assert!(report.is_empty());
}

#[test]
fn bytes_must_be_utf_8() {
    assert_eq!(from_slice::<String>("\"\u{e9}\"".as_bytes()).unwrap(), "\u{e9}");
    assert!(from_slice::<String>(b"\"\xff\"").is_err());
}
