//! Members added to the `_meta` of params while they are written.

use std::ops::Range;

use acp_json::Value;

use crate::wire::encode::Encode;

/// Params with more members in their `_meta`.
pub(crate) struct WithMeta<'a, P: ?Sized> {
    pub(crate) params: &'a P,
    pub(crate) meta: &'a [(String, Value)],
}

impl<P: Encode + ?Sized> Encode for WithMeta<'_, P> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        let start = buffer.len();
        self.params.encode(buffer)?;
        for (name, value) in self.meta {
            let json = buffer.get(start..).unwrap_or_default();
            if let Some(Edit { at, text }) = addition(json, name, value)? {
                buffer.splice(start + at.start..start + at.end, text);
            }
        }
        Ok(())
    }

    fn leaves(&self, json: &[u8]) -> Result<(), serde_json::Error> {
        self.params.leaves(json)
    }
}

/// A text, and the part of an object's JSON text that it replaces.
struct Edit {
    at: Range<usize>,
    text: Vec<u8>,
}

/// Returns the edit that adds a member to the `_meta` of an object. It is `None` if `_meta` has
/// that member, or the object cannot have a `_meta`.
fn addition(json: &[u8], name: &str, value: &Value) -> Result<Option<Edit>, serde_json::Error> {
    let mut member = serde_json::to_vec(name)?;
    member.push(b':');
    value.encode(&mut member)?;
    let Some(open) = opening(json) else { return Ok(None) };
    let Some(meta) = member_of(json, "_meta") else {
        let text = [br#""_meta":{"#, member.as_slice(), b"}"].concat();
        return Ok(Some(insertion(json, open, text)));
    };
    let text = json.get(meta.clone()).unwrap_or_default();
    if text.trim_ascii() == b"null" {
        return Ok(Some(Edit { at: meta, text: [b"{", member.as_slice(), b"}"].concat() }));
    }
    let has_it = member_of(text, name).is_some();
    let open = opening(text).filter(|_| !has_it);
    Ok(open.map(|open| insertion(json, meta.start + open, member)))
}

/// Returns the edit that puts a member in front of all others of the object that opens right before
/// `at`.
fn insertion(json: &[u8], at: usize, mut member: Vec<u8>) -> Edit {
    let rest = json.get(at..).unwrap_or_default().trim_ascii_start();
    if rest.first() != Some(&b'}') {
        member.push(b',');
    }
    Edit { at: at..at, text: member }
}

/// Returns the place of an object's first member, or `None` if it is not an object.
fn opening(json: &[u8]) -> Option<usize> {
    let brace = json.iter().position(|byte| !byte.is_ascii_whitespace())?;
    (json.get(brace) == Some(&b'{')).then_some(brace + 1)
}

/// Returns the place of a member's value in the JSON text of an object, which must be valid. If the
/// member is there twice, the first one counts. Names are compared as they are written.
pub(crate) fn member_of(json: &[u8], name: &str) -> Option<Range<usize>> {
    let mut at = opening(json)?;
    let (mut depth, mut key, mut value) = (1, None, None);
    loop {
        match json.get(at)? {
            b'"' => {
                let end = end_of_text(json, at + 1)?;
                if depth == 1 && value.is_none() && key.is_none() {
                    key = Some(at + 1..end);
                }
                at = end;
            }
            b':' if depth == 1 => {
                let text = json.get(key.clone()?)?;
                value = Some((text == name.as_bytes(), at + 1));
            }
            b'{' | b'[' => depth += 1,
            end @ (b',' | b'}') if depth == 1 => match value {
                Some((true, start)) => return Some(start..at),
                _ if *end == b'}' => return None,
                _ => (key, value) = (None, None),
            },
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
}

/// Returns the place of the quote that ends a string.
fn end_of_text(json: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr::memchr2(b'"', b'\\', json.get(at..)?)?;
        if json.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn members_are_added_where_there_is_room_for_them() {
        for (params, expected) in [
            ("{}", r#"{"_meta":{"t":1}}"#),
            ("{ }", r#"{"_meta":{"t":1} }"#),
            (r#"{"a":{"_meta":2}}"#, r#"{"_meta":{"t":1},"a":{"_meta":2}}"#),
            (r#"{"a":"\"_meta\":{}","b":[1]}"#, r#"{"_meta":{"t":1},"a":"\"_meta\":{}","b":[1]}"#),
            (r#"{"a":1,"_meta":{}}"#, r#"{"a":1,"_meta":{"t":1}}"#),
            (r#"{"_meta": {"x":{"t":2}},"a":1}"#, r#"{"_meta": {"t":1,"x":{"t":2}},"a":1}"#),
            (r#"{"_meta":null,"a":1}"#, r#"{"_meta":{"t":1},"a":1}"#),
            (r#"{"_meta":{"a":"b","t":0}}"#, r#"{"_meta":{"a":"b","t":0}}"#),
            (r#"{"_meta":7}"#, r#"{"_meta":7}"#),
            ("[{}]", "[{}]"),
            ("null", "null"),
        ] {
            let raw: Box<serde_json::value::RawValue> = serde_json::from_str(params).unwrap();
            let mut written = b"before".to_vec();
            let meta = [("t".to_owned(), Value::from(1))];
            WithMeta { params: &raw, meta: &meta }.encode(&mut written).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), format!("before{expected}"));
        }
    }

    #[test]
    fn members_are_found_at_the_top_only() {
        let json = br#"{"a":[{"b":1,"c":","}],"b" : {"a":"}"},"c":"\\"}"#;
        let found = |name| member_of(json, name).map(|at| std::str::from_utf8(&json[at]).unwrap());
        assert_eq!(found("a"), Some(r#"[{"b":1,"c":","}]"#));
        assert_eq!(found("b"), Some(r#" {"a":"}"}"#));
        assert_eq!(found("c"), Some(r#""\\""#));
        assert_eq!(found("d"), None);
        assert_eq!(member_of(b"[]", "a"), None);
    }
}
