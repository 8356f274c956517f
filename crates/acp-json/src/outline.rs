//! Single members of an object that is too long to be kept, or broken somewhere.

use std::fmt;

use crate::node::Node;

/// How many bytes of a name or of a value are kept.
const LONGEST: usize = 1024;

/// Finds members of an object while its bytes go by. It serves texts that are too long to be kept,
/// or that are broken somewhere.
///
/// Only members of the object itself count, in any order; members of inner objects and text in
/// strings do not. A value is found when it is a string, a number, a boolean or `null` of up to 1
/// KiB, and its end has come. Of a name that is given twice the last one counts. Bytes come in
/// pieces of any size, and at most 1 KiB of them is kept.
///
/// ```
/// use acp_json::{Node, Outline};
///
/// let mut outline = Outline::of(["id", "method"]);
/// outline.push(br#"{"result":{"id":1,"text":"\"id\":2 "#);
/// outline.push(br#" and very much more"},"id":7}"#);
/// assert_eq!(outline.value("id"), Some(Node::U64(7)));
/// assert!(!outline.has("method"));
/// ```
pub struct Outline<const N: usize> {
    names: [&'static str; N],
    found: [Found; N],
    /// The name or value that is going by.
    text: Vec<u8>,
    depth: u64,
    place: Place,
    in_string: bool,
    is_escaped: bool,
}

#[derive(Clone, Debug)]
enum Found {
    Absent,
    /// A member without a value that could be kept.
    Present,
    Value(String),
}

/// The part of the text that goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The text before the object.
    Before,
    /// The name of a member.
    Name,
    /// The value of a member, by the position of its name if it is wanted.
    Value(Option<usize>),
    /// Text after the object, or a text that has no object.
    Beyond,
}

impl<const N: usize> Outline<N> {
    /// Makes an outline that looks for members with these names.
    #[must_use]
    pub const fn of(names: [&'static str; N]) -> Self {
        let found = [const { Found::Absent }; N];
        Self {
            names,
            found,
            text: Vec::new(),
            depth: 0,
            place: Place::Before,
            in_string: false,
            is_escaped: false,
        }
    }

    /// Looks at the bytes that follow.
    pub fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match self.place {
                Place::Beyond => return,
                Place::Before => self.before(*byte),
                Place::Name | Place::Value(_) if self.in_string => self.inside(*byte),
                Place::Name | Place::Value(_) => self.between(*byte),
            }
        }
    }

    /// Returns true if the object has a member of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.found(name).is_some_and(|found| !matches!(found, Found::Absent))
    }

    /// Returns the value of a member, if it could be kept.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<Node<'_>> {
        match self.found(name)? {
            Found::Value(text) => crate::parse(text).ok(),
            Found::Absent | Found::Present => None,
        }
    }

    fn found(&self, name: &str) -> Option<&Found> {
        let position = self.names.iter().position(|wanted| *wanted == name)?;
        self.found.get(position)
    }

    fn before(&mut self, byte: u8) {
        match byte {
            b'{' => (self.depth, self.place) = (1, Place::Name),
            // A byte order mark.
            0xEF | 0xBB | 0xBF => {}
            byte if byte.is_ascii_whitespace() => {}
            _ => self.place = Place::Beyond,
        }
    }

    /// A byte of a string.
    fn inside(&mut self, byte: u8) {
        self.keep(byte);
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => self.in_string = false,
            _ => {}
        }
    }

    /// A byte outside of strings.
    fn between(&mut self, byte: u8) {
        match byte {
            b'"' => {
                self.keep(byte);
                self.in_string = true;
            }
            b'{' | b'[' => {
                // It stays part of the text, so the text is not a scalar.
                self.keep(byte);
                self.depth = self.depth.saturating_add(1);
            }
            b'}' | b']' if self.depth == 1 => {
                self.settle();
                self.place = Place::Beyond;
            }
            b'}' | b']' => self.depth -= 1,
            b':' if self.depth == 1 && self.place == Place::Name => self.named(),
            b',' if self.depth == 1 => {
                self.settle();
                self.place = Place::Name;
            }
            _ => self.keep(byte),
        }
    }

    /// Keeps a wanted byte, up to one byte above the limit: that byte shows that the text is too
    /// long.
    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.place != Place::Value(None) && self.text.len() <= LONGEST {
            self.text.push(byte);
        }
    }

    fn named(&mut self) {
        // A name may be written with escapes.
        let name = self.whole().and_then(|text| serde_json::from_str::<String>(text).ok());
        let position = name.and_then(|name| self.names.iter().position(|wanted| *wanted == name));
        if let Some(found) = position.and_then(|position| self.found.get_mut(position)) {
            *found = Found::Present;
        }
        self.text.clear();
        self.place = Place::Value(position);
    }

    /// The end of a member.
    fn settle(&mut self) {
        if let Place::Value(Some(position)) = self.place {
            let value = self.whole().map(str::to_owned);
            if let (Some(value), Some(found)) = (value, self.found.get_mut(position)) {
                *found = Found::Value(value);
            }
        }
        self.text.clear();
    }

    fn whole(&self) -> Option<&str> {
        let text = (self.text.len() <= LONGEST).then_some(&*self.text)?;
        let text = std::str::from_utf8(text).ok()?.trim_ascii();
        (!text.starts_with(['{', '['])).then_some(text)
    }
}

/// Values are left out: they belong to the peer.
impl<const N: usize> fmt::Debug for Outline<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let present = self.names.iter().filter(|name| self.has(name));
        f.debug_struct("Outline").field("present", &present.collect::<Vec<_>>()).finish_non_exhaustive()
    }
}
