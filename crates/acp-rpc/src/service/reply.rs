//! The answer to a request.

use std::fmt;
use std::pin::Pin;

use serde_core::Serialize;

use crate::peer::Peer;
use crate::wire::encode::Encode;
use crate::wire::message::Error;

/// The future that answers a request. It is dropped when its answer stands in the output buffer, or
/// before that by a layer.
pub type Task = Pin<Box<dyn Future<Output = Result<Reply, Error>> + Send>>;

/// The result of a request, on its way to the peer.
pub struct Reply {
    pub(crate) result: Box<dyn Encode + Send>,
    pub(crate) after: Option<After>,
    pub(crate) sent: Option<Sent>,
}

pub(crate) type After = Box<dyn FnOnce(&Peer) + Send>;
/// Takes the length of the answer once it stands in the output buffer. It must not panic.
pub(crate) type Sent = Box<dyn FnOnce(usize) + Send>;

impl Reply {
    /// Creates a reply with this `result`. It is serialised once, straight into the output buffer.
    pub fn new(result: impl Serialize + Send + 'static) -> Self {
        Self { result: Box::new(result), after: None, sent: None }
    }

    /// Creates a reply whose `result` is `{}`.
    #[must_use]
    pub fn empty() -> Self {
        Self { result: Box::new(Empty), after: None, sent: None }
    }

    /// Adds a hook that runs right after this reply stands in the output buffer: what it sends with
    /// [`Peer::notify_now`] follows the reply. It must not block.
    #[must_use]
    pub fn after(mut self, hook: impl FnOnce(&Peer) + Send + 'static) -> Self {
        self.after = Some(Box::new(hook));
        self
    }

    /// Returns the result, for code that looks at an answer before it leaves.
    #[must_use]
    pub fn result(&self) -> &dyn Encode {
        &*self.result
    }

    pub(crate) fn on_sent(mut self, hook: impl FnOnce(usize) + Send + 'static) -> Self {
        let inner = self.sent.take();
        self.sent = Some(Box::new(move |bytes| {
            inner.into_iter().for_each(|inner| inner(bytes));
            hook(bytes);
        }));
        self
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("after", &self.after.is_some()).finish_non_exhaustive()
    }
}

struct Empty;

impl Serialize for Empty {
    fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_core::ser::SerializeMap::end(serializer.serialize_map(Some(0))?)
    }
}
