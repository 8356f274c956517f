//! Names that many messages share, each kept once.

use std::collections::HashMap;

/// The most names of one kind. A peer that makes up more of them gets [`OTHER`] for the rest.
const MOST: usize = 4096;
/// The longest name, in bytes.
const LONGEST: usize = 256;
/// Stands for names that there is no room for.
const OTHER: &str = "(other)";

/// A bounded set of names. Number 0 is the absence of one, and number 1 is [`OTHER`].
#[derive(Debug)]
pub(crate) struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u16>,
}

impl Default for Names {
    fn default() -> Self {
        Self { names: vec![String::new(), OTHER.to_owned()], numbers: HashMap::new() }
    }
}

impl Names {
    /// Returns the number of a name.
    pub(crate) fn number(&mut self, name: Option<&str>) -> u16 {
        let Some(name) = name else { return 0 };
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let Some(number) = u16::try_from(self.names.len()).ok().filter(|_| self.names.len() < MOST) else {
            return 1;
        };
        if name.len() > LONGEST {
            return 1;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Returns the name of a number.
    pub(crate) fn name(&self, number: u16) -> Option<&str> {
        if number == 0 { None } else { self.names.get(usize::from(number)).map(String::as_str) }
    }

    /// Returns the bytes that the names take.
    pub(crate) fn bytes(&self) -> usize {
        self.names.iter().map(|name| 2 * (name.len() + size_of::<String>()) + size_of::<u16>()).sum()
    }
}
