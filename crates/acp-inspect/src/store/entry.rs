//! A message as the index in memory knows it.

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Request,
    Response,
    Notification,
    /// A line that is no message, or whose text was not recorded.
    Other,
}

impl Kind {
    /// Returns its name in the API.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
            Self::Notification => "notification",
            Self::Other => "other",
        }
    }
}

/// An entry of the index: 32 bytes a message. Names are numbers of [`Names`](super::names::Names).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The place of its line in the file.
    pub(crate) offset: u64,
    /// Microseconds since the first message.
    pub(crate) micros: u64,
    /// The bytes of its line.
    pub(crate) length: u32,
    /// The number of the other half of a request and its response, or 0.
    pub(crate) pair: u32,
    pub(crate) method: u16,
    pub(crate) session: u16,
    /// The kind of an update of a session.
    pub(crate) update: u16,
    pub(crate) kind: Kind,
    pub(crate) marks: Marks,
}

/// Facts of a message that are yes or no, and the number of its link.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks(u8);

impl Marks {
    /// The side that recorded has sent it.
    pub(crate) const OUT: u8 = 1;
    /// It is an error.
    pub(crate) const ERROR: u8 = 2;
    /// It is JSON.
    pub(crate) const JSON: u8 = 4;
    /// The bits before those of the link.
    const LINK: u32 = 3;
    /// The greatest number of a link.
    pub(crate) const MOST_LINKS: u8 = u8::MAX >> Self::LINK;

    pub(crate) const fn with(self, mark: u8, is_set: bool) -> Self {
        if is_set { Self(self.0 | mark) } else { self }
    }

    pub(crate) const fn has(self, mark: u8) -> bool {
        self.0 & mark != 0
    }

    /// Sets the number of the link.
    pub(crate) const fn on(self, link: u8) -> Self {
        Self(self.0 | (link << Self::LINK))
    }

    /// Returns the number of the connection within a chain: 1 is that of the client. Without a
    /// chain it is that of the MCP server that a message is for, or 0.
    pub(crate) const fn link(self) -> u8 {
        self.0 >> Self::LINK
    }
}
