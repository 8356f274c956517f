//! Numbers that a double cannot represent: their text is kept.
//!
//! A parser hands numbers on as integers of 64 bits or as doubles. Almost all texts hold no other
//! number, and pay nothing for this: a reader that meets a double makes a note of it, and only then
//! the text is searched for numbers that differ from their doubles.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use serde_core::de::IgnoredAny;
use serde_core::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::node::Node;

thread_local! {
    /// True if a double was met since the flag was last cleared.
    static MET: Cell<bool> = const { Cell::new(false) };
    /// The text of the number that one tree is handing to another.
    static HANDED: RefCell<Option<Box<str>>> = const { RefCell::new(None) };
}

/// Runs `parse`, which parses `text`, and returns true if its tree has lost digits of a number.
#[doc(hidden)]
pub fn watch_numbers<T>(text: &[u8], parse: impl FnOnce() -> T) -> (T, bool) {
    MET.set(false);
    let value = parse();
    (value, MET.get() && Numbers::of(text).any(|number| !is_double(number)))
}

/// Parses a text into a tree that keeps every number exactly.
pub(crate) fn from_str(text: &str) -> Result<Node<'_>, serde_json::Error> {
    restored(text.as_bytes(), || serde_json::from_str(text))
}

/// Parses bytes into a tree that keeps every number exactly.
pub(crate) fn from_slice(bytes: &[u8]) -> Result<Node<'_>, serde_json::Error> {
    restored(bytes, || serde_json::from_slice(bytes))
}

fn restored<'a>(
    text: &'a [u8],
    parse: impl FnOnce() -> Result<Node<'a>, serde_json::Error>,
) -> Result<Node<'a>, serde_json::Error> {
    let (parsed, lost) = watch_numbers(text, parse);
    let mut node = match parsed {
        Ok(node) => node,
        Err(error) => return beyond_doubles(text).ok_or(error),
    };
    if lost {
        restore(&mut node, &mut Numbers::of(text));
    }
    Ok(node)
}

/// Parses a text that has numbers above the largest double, at which the parser fails. Zeros stand
/// in their places meanwhile.
fn beyond_doubles(text: &[u8]) -> Option<Node<'static>> {
    let mut with_zeros = text.to_vec();
    let mut numbers = Numbers::of(text);
    let mut found = false;
    while let Some(number) = numbers.next() {
        if nearest(number).is_infinite() && serde_json::from_str::<IgnoredAny>(number).is_ok() {
            let place = with_zeros.get_mut(numbers.at.checked_sub(number.len())?..numbers.at)?;
            place.fill(b'0');
            // A number of this kind has at least three bytes: `0.0` is a double, and `000` is not
            // JSON.
            *place.get_mut(1)? = b'.';
            found = true;
        }
    }
    let mut node: Node<'_> = found.then(|| serde_json::from_slice(&with_zeros).ok())??;
    restore(&mut node, &mut Numbers::of(text));
    Some(node.into_owned())
}

/// Puts the exact numbers of the text into its tree, in their order.
fn restore<'a>(node: &mut Node<'a>, numbers: &mut Numbers<'a>) {
    match node {
        Node::U64(_) | Node::I64(_) => drop(numbers.next()),
        Node::F64(_) => {
            if let Some(number) = numbers.next().filter(|number| !is_double(number)) {
                *node = Node::Exact(Cow::Borrowed(number));
            }
        }
        Node::Seq(items) => items.iter_mut().for_each(|item| restore(item, numbers)),
        Node::Map(members) => members.iter_mut().for_each(|(_, member)| restore(member, numbers)),
        Node::Null | Node::Bool(_) | Node::Exact(_) | Node::Str(_) => {}
    }
}

/// Notes that a reader has met a double.
pub(crate) fn met<'a>(number: f64) -> Node<'a> {
    MET.set(true);
    match HANDED.take() {
        Some(text) => Node::Exact(Cow::Owned(text.into())),
        None => Node::F64(number),
    }
}

/// Runs `visit` with the nearest double. A tree that comes of it keeps the text. For any other
/// result, a number above all doubles is an error.
pub(crate) fn hand_on<T, E: serde_core::de::Error>(
    text: &str,
    visit: impl FnOnce(f64) -> Result<T, E>,
) -> Result<T, E> {
    let number = nearest(text);
    HANDED.set(Some(text.into()));
    let visited = visit(number);
    let is_kept = HANDED.take().is_none();
    if number.is_finite() || is_kept { visited } else { Err(E::custom("the number does not fit a double")) }
}

/// Returns the nearest double, or an infinity.
pub(crate) fn nearest(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

pub(crate) fn serialize<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let number =
        Some(text).filter(|text| text.starts_with(|first: char| first == '-' || first.is_ascii_digit()));
    let raw = number.and_then(|text| serde_json::from_str::<&RawValue>(text).ok());
    raw.ok_or_else(|| S::Error::custom("a number is none: its text is not that of a JSON number"))?
        .serialize(serializer)
}

/// Returns true if the double that a number is read as equals that number, and is written as it.
fn is_double(number: &str) -> bool {
    /// Any double that is neither huge nor tiny keeps so many digits.
    const DIGITS: usize = 15;
    if number.len() <= DIGITS && !number.contains(['e', 'E']) {
        return true;
    }
    Decimal::of(number) == Decimal::of(&format!("{:e}", nearest(number)))
}

/// A decimal number in a normal form, `0.digits` times ten to a power: equal numbers are equal
/// here.
#[derive(PartialEq)]
struct Decimal {
    negative: bool,
    /// The digits, without zeros at either end.
    digits: String,
    power: i64,
}

impl Decimal {
    fn of(number: &str) -> Self {
        let (negative, number) = match number.strip_prefix('-') {
            Some(number) => (true, number),
            None => (false, number),
        };
        let (mantissa, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [whole, fraction].concat();
        let digits = all.trim_start_matches('0');
        if digits.is_empty() {
            return Decimal { negative, digits: String::new(), power: 0 };
        }
        let limit = if power.starts_with('-') { i64::MIN } else { i64::MAX };
        let point = i64::try_from(whole.len()).unwrap_or(i64::MAX);
        let zeros = i64::try_from(all.len() - digits.len()).unwrap_or(i64::MAX);
        let power = power.parse().unwrap_or(limit).saturating_add(point).saturating_sub(zeros);
        Decimal { negative, digits: digits.trim_end_matches('0').to_owned(), power }
    }
}

/// Iterates over the numbers in a JSON text, as they are written there.
struct Numbers<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Numbers<'a> {
    const fn of(text: &'a [u8]) -> Self {
        Numbers { text, at: 0 }
    }

    /// Moves behind the string that has just begun.
    fn skip_string(&mut self) {
        while let Some(byte) = self.text.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => return,
                b'\\' => self.at += 1,
                _ => {}
            }
        }
    }
}

impl<'a> Iterator for Numbers<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let start = self.at;
            self.at += 1;
            match self.text.get(start)? {
                b'"' => self.skip_string(),
                b'-' | b'0'..=b'9' => {
                    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                    let rest = self.text.get(start..)?;
                    let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
                    self.at = start + length;
                    return std::str::from_utf8(rest.get(..length)?).ok();
                }
                _ => {}
            }
        }
    }
}
