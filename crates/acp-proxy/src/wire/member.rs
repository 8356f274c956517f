//! Members of an object that is JSON text: where they are, and how one is replaced.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde_core::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::message::{Name, text_of};

/// Returns the text of a member's value. Of two equal names the last one counts.
pub(crate) fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    serde_json::Deserializer::from_str(object).deserialize_map(Finder(name)).ok()?
}

/// Returns the text of the value at the end of a path.
pub(crate) fn at<'a>(object: &'a str, path: &[&str]) -> Option<&'a str> {
    path.iter().try_fold(object, |object, name| member(object, name))
}

/// Returns the string that is the value of a member.
pub(crate) fn text<'a>(object: &'a str, name: &str) -> Option<Cow<'a, str>> {
    text_of(member(object, name)?)
}

/// Returns the session that params or a result name.
pub(crate) fn session_of(params: Option<&str>) -> Option<Cow<'_, str>> {
    text(params?, "sessionId")
}

/// Returns the object with `value`, a JSON text, as the value of a member. All else stays as it is.
/// Returns `None` if the text is not an object.
pub(crate) fn with(object: &str, name: &str, value: &str) -> Option<String> {
    if let Some(old) = member(object, name) {
        let place = place_of(object, old)?;
        return Some([object.get(..place.start)?, value, object.get(place.end..)?].concat());
    }
    let body = object.trim_start().strip_prefix('{')?;
    let comma = if body.trim_start().starts_with('}') { "" } else { "," };
    Some(["{\"", name, "\":", value, comma, body].concat())
}

/// Sets the value at the end of a path, and makes the objects on the way.
pub(crate) fn with_at(object: &str, path: &[&str], value: &str) -> Option<String> {
    let (name, rest) = path.split_first()?;
    if rest.is_empty() {
        return with(object, name, value);
    }
    let inner = member(object, name).filter(|inner| inner.starts_with('{')).unwrap_or("{}");
    with(object, name, &with_at(inner, rest, value)?)
}

/// Returns the place of a part of a text, which must be borrowed from it.
fn place_of(whole: &str, part: &str) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    (start + part.len() <= whole.len()).then_some(start..start + part.len())
}

struct Finder<'n>(&'n str);

impl<'de> Visitor<'de> for Finder<'_> {
    type Value = Option<&'de str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(Name(name)) = map.next_key()? {
            let value = map.next_value::<&'de RawValue>()?;
            if name == self.0 {
                found = Some(value.get());
            }
        }
        Ok(found)
    }
}
