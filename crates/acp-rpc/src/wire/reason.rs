//! The reason in an error's `data`, for people.

use acp_json::{Node, Value};

use super::message::Error;

/// The most characters of a reason that are shown.
const LONGEST: usize = 1000;

impl Error {
    /// Returns the reason that `data` gives in addition to [`message`](Self::message), for the
    /// user. Many peers send a message such as `Internal error` and say in `data` what went wrong.
    ///
    /// It is `data` itself if that is text, else its member `message`, else `details`, else all of
    /// it as JSON, cut after 1000 characters. It is `None` if it adds nothing to the message.
    ///
    /// The reason is payload of the peer, so keep it out of logs: `Display` and `Debug` leave it
    /// out.
    ///
    /// ```
    /// use acp_rpc::Error;
    ///
    /// let error = Error::internal("Internal error").with_data("the model is overloaded");
    /// assert_eq!(error.reason().as_deref(), Some("the model is overloaded"));
    /// assert_eq!(error.to_string(), "Internal error (code -32603)");
    /// ```
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        let data = self.data.as_ref()?;
        if adds_nothing(data.as_node(), &self.message) {
            return None;
        }
        let named = [data.as_str(), member(data, "message"), member(data, "details")];
        let text = named.into_iter().flatten().map(str::trim).find(|text| !self.message.contains(text));
        Some(text.map_or_else(|| shortened(&data.to_string()), shortened))
    }
}

fn member<'a>(data: &'a Value, name: &str) -> Option<&'a str> {
    data.get(name).and_then(Node::as_str)
}

/// Tells whether the message says all of this already. Every message contains an empty text.
fn adds_nothing(data: &Node<'_>, message: &str) -> bool {
    match data {
        Node::Null => true,
        Node::Str(text) => message.contains(text.trim()),
        Node::Seq(items) => items.iter().all(|item| adds_nothing(item, message)),
        Node::Map(members) => members.iter().all(|(_, value)| adds_nothing(value, message)),
        _ => false,
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
