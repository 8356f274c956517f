//! JSON text to a value, with duplicate keys reported: `serde_json` alone keeps the last one
//! silently.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::problem::{Pointer, Problem};

/// Reads `bytes` as one JSON document. Every duplicate key is a problem of its own.
pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Value, Vec<Problem>> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("not UTF-8 text (first bad byte at offset {})", error.valid_up_to());
        vec![Problem::of_file(file, message)]
    })?;
    let mut duplicates = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict { at: Pointer::root(), duplicates: &mut duplicates }
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value))
        .map_err(|error| vec![Problem::of_file(file, format!("not JSON: {error}"))])?;
    if duplicates.is_empty() {
        return Ok(value);
    }
    let message = "duplicate key; keep one of the two, a reader would drop the other silently";
    Err(duplicates.iter().map(|at| Problem::at(file, at, message)).collect())
}

struct Strict<'a> {
    at: Pointer,
    duplicates: &'a mut Vec<Pointer>,
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements
            .next_element_seed(Strict { at: self.at.child(list.len()), duplicates: self.duplicates })?
        {
            list.push(element);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let at = self.at.child(&key);
            if object.contains_key(&key) {
                self.duplicates.push(at.clone());
            }
            let value = members.next_value_seed(Strict { at, duplicates: self.duplicates })?;
            object.insert(key, value);
        }
        Ok(object.into())
    }
}
