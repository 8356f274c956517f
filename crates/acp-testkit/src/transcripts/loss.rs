//! Differences between a payload as it came and as it is written again.

use acp_json::{Node, Note, NoteKind};
use acp_types::v1::{ElicitationSchemaType, ToolCallStatus, ToolKind};

/// A part that did not come back, without a note of the reader.
pub(super) enum Loss {
    /// The value means the same as its absence, so it is not written. Holds the value.
    EqualToAbsence(String),
    /// It came back as something else, or not at all: a bug in a reader or writer.
    Changed,
}

/// Compares a payload with the text that was written for it. `found` gets the path and the kind of
/// each difference that the reader's notes do not explain.
pub(super) fn compare(
    sent: &Node<'_>,
    written: &Node<'_>,
    notes: &[Note],
    found: &mut impl FnMut(String, Loss),
) {
    if let (Node::Null, Node::Map(members)) = (sent, written)
        && members.is_empty()
    {
        return found(String::new(), Loss::EqualToAbsence("null".to_owned()));
    }
    Comparison { notes, found }.nodes(sent, written, "");
}

struct Comparison<'n, F> {
    notes: &'n [Note],
    found: &'n mut F,
}

impl<F: FnMut(String, Loss)> Comparison<'_, F> {
    fn nodes(&mut self, sent: &Node<'_>, written: &Node<'_>, path: &str) {
        if self.notes.iter().any(|note| note.path == path) {
            return;
        }
        match (sent, written) {
            (Node::Map(_), Node::Map(_)) => self.members(sent, written, path),
            (Node::Seq(sent), Node::Seq(written)) => self.items(sent, written, path),
            _ if same_scalar(sent, written) => {}
            _ => (self.found)(path.to_owned(), Loss::Changed),
        }
    }

    fn members(&mut self, sent: &Node<'_>, written: &Node<'_>, path: &str) {
        for name in names(sent) {
            let path = member(path, name);
            match (sent.get(name), written.get(name)) {
                (Some(sent), Some(written)) => self.nodes(sent, written, &path),
                (Some(sent), None) if !self.notes.iter().any(|note| note.path == path) => {
                    let loss = like_absence(sent).map_or(Loss::Changed, Loss::EqualToAbsence);
                    (self.found)(path, loss);
                }
                _ => {}
            }
        }
        for name in names(written).filter(|name| sent.get(name).is_none()) {
            (self.found)(member(path, name), Loss::Changed);
        }
    }

    fn items(&mut self, sent: &[Node<'_>], written: &[Node<'_>], path: &str) {
        let is_skipped = |index: usize| {
            let path = item(path, index);
            self.notes.iter().any(|note| note.path == path && matches!(note.kind, NoteKind::Skipped(_)))
        };
        let kept: Vec<_> = sent.iter().enumerate().filter(|(index, _)| !is_skipped(*index)).collect();
        if kept.len() != written.len() {
            return (self.found)(path.to_owned(), Loss::Changed);
        }
        for ((index, sent), written) in kept.into_iter().zip(written) {
            self.nodes(sent, written, &item(path, index));
        }
    }
}

fn names<'n>(node: &'n Node<'_>) -> impl Iterator<Item = &'n str> {
    let members = if let Node::Map(members) = node { members.as_slice() } else { &[] };
    members.iter().map(|(name, _)| &**name)
}

/// Paths are spelled like the paths of the reader's notes.
fn member(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn item(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}

fn same_scalar(sent: &Node<'_>, written: &Node<'_>) -> bool {
    // `1` for a double is written `1.0`.
    sent == written || sent.as_f64().is_some_and(|sent| Some(sent) == written.as_f64())
}

/// Returns the value that a writer may leave out, where there is such a value.
fn like_absence(node: &Node<'_>) -> Option<String> {
    let defaults = [
        ToolKind::default().to_string(),
        ToolCallStatus::default().to_string(),
        ElicitationSchemaType::default().to_string(),
    ];
    match node {
        Node::Null | Node::Bool(false) => Some(acp_json::to_string(node)),
        Node::Str(text) if defaults.iter().any(|default| default == text) => Some(format!("\"{text}\"")),
        Node::Seq(items) if items.is_empty() => Some("[]".to_owned()),
        Node::Map(members) if members.is_empty() => Some("{}".to_owned()),
        Node::Map(members) if members.iter().all(|(_, node)| like_absence(node).is_some()) => {
            Some("an object of nothing else".to_owned())
        }
        _ => None,
    }
}
