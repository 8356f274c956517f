//! Members of an object as their text, without the rest of it.

use std::fmt;

use serde_core::de::{Deserializer as _, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

/// The most elements of a list. More would take memory that no budget knows.
const MOST: usize = 256;

/// Returns the values of these members of an object. Fails for anything else, and if one of them is
/// there twice.
pub(super) fn pick<'a, const N: usize>(text: &'a str, names: [&str; N]) -> Option<[Option<&'a RawValue>; N]> {
    read(text, Pick(names))
}

/// Returns the elements of an array, if they are not too many.
pub(super) fn few(text: &str) -> Option<Vec<&RawValue>> {
    read(text, Few)
}

fn read<'a, V: Visitor<'a>>(text: &'a str, visitor: V) -> Option<V::Value> {
    let mut reader = Deserializer::from_str(text);
    let value = reader.deserialize_any(visitor).ok()?;
    reader.end().ok()?;
    Some(value)
}

struct Pick<'n, const N: usize>([&'n str; N]);

impl<'de, const N: usize> Visitor<'de> for Pick<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut picked = [None; N];
        while let Some(name) = map.next_key::<String>()? {
            let wanted = self.0.iter().zip(&mut picked).find(|(wanted, _)| **wanted == name);
            match wanted {
                Some((_, place)) if place.is_none() => *place = Some(map.next_value()?),
                Some(_) => return Err(A::Error::custom("a member is there twice")),
                None => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(picked)
    }
}

struct Few;

impl<'de> Visitor<'de> for Few {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element()? {
            elements.push(element);
            if elements.len() > MOST {
                return Err(A::Error::custom("there are too many elements"));
            }
        }
        Ok(elements)
    }
}
