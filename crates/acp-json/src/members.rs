//! The members of one object while readers take them out, by name.

use std::borrow::Cow;

use crate::node::{Node, take_member};

/// The members that are left of an object.
///
/// A taken member stays in the list as an empty one. To close the gap, and to look for repeats of
/// the name each time, would cost more than the rest of reading a small object.
#[derive(Clone, Debug)]
pub(crate) struct Members<'n> {
    list: Vec<(Cow<'n, str>, Node<'n>)>,
    /// The place where the next search starts. Most writers order members as the schema does, and
    /// so do readers.
    next: usize,
    /// A bit for each member that has been taken.
    taken: u16,
    /// The number of members that are left.
    left: usize,
    /// True while the bits are in use. An object with more members than bits, or with a repeated
    /// name, goes without them: its members are removed from the list.
    marks: bool,
}

impl<'n> Members<'n> {
    pub(crate) fn new(list: Vec<(Cow<'n, str>, Node<'n>)>) -> Self {
        let marks = list.len() <= u16::BITS as usize && !repeats(&list);
        Members { next: 0, taken: 0, left: list.len(), list, marks }
    }

    /// Takes the member with this name, and drops earlier ones of the same name.
    pub(crate) fn take(&mut self, name: &str) -> Option<Node<'n>> {
        if !self.marks {
            return take_member(&mut self.list, name);
        }
        // Readers ask for many optional members that most objects do not have.
        if self.left == 0 {
            return None;
        }
        let index = self.find(name)?;
        let (_, node) = self.list.get_mut(index)?;
        self.taken |= 1 << index;
        self.left -= 1;
        self.next = index + 1;
        Some(std::mem::take(node))
    }

    /// Returns true if a member of this name is left.
    pub(crate) fn has(&self, name: &str) -> bool {
        if self.marks { self.find(name).is_some() } else { position(&self.list, name).is_some() }
    }

    /// Returns the names that are left, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let left = self.list.iter().enumerate().filter(|(index, _)| !self.is_taken(*index));
        left.map(|(_, (key, _))| &**key)
    }

    /// Takes every member that is left, in order.
    pub(crate) fn rest(&mut self) -> Vec<(Cow<'n, str>, Node<'n>)> {
        let Members { mut list, taken, marks, .. } = std::mem::replace(self, Members::new(Vec::new()));
        if marks && taken != 0 {
            let mut bits = taken;
            list.retain(|_| {
                let left = bits & 1 == 0;
                bits >>= 1;
                left
            });
        }
        list
    }

    /// Returns the place of a member that is left, when the bits are in use.
    fn find(&self, name: &str) -> Option<usize> {
        let (before, after) = self.list.split_at_checked(self.next)?;
        let index = match position(after, name) {
            Some(index) => self.next + index,
            None => position(before, name)?,
        };
        (!self.is_taken(index)).then_some(index)
    }

    fn is_taken(&self, index: usize) -> bool {
        self.marks && self.taken & (1 << index) != 0
    }
}

fn position(members: &[(Cow<'_, str>, Node<'_>)], name: &str) -> Option<usize> {
    members.iter().position(|(key, _)| key == name)
}

/// Returns true if a name occurs twice.
fn repeats(mut members: &[(Cow<'_, str>, Node<'_>)]) -> bool {
    while let [(name, _), later @ ..] = members {
        if position(later, name).is_some() {
            return true;
        }
        members = later;
    }
    false
}
