//! Sessions that are being opened.

use std::fmt;

use crate::op::Op;
use crate::open::opening::Opening;
use crate::session::table::Claim;

/// A session that is being opened. Until the answer, nobody else opens or closes a session of its
/// id. Its drop fails the opening if the session is not open by then.
pub struct OpenGuard<O: Op, S> {
    pub(crate) opening: Opening<O>,
    /// The claim to the id, if the client named it.
    _claim: Option<Claim<S>>,
}

impl<O: Op, S> Drop for OpenGuard<O, S> {
    fn drop(&mut self) {
        if !self.opening.is_opened() {
            self.opening.fail();
            if let Some(mcp) = self.opening.mcp() {
                mcp.end_soon();
            }
        }
    }
}

impl<O: Op, S> OpenGuard<O, S> {
    pub(crate) const fn new(opening: Opening<O>, claim: Option<Claim<S>>) -> Self {
        OpenGuard { opening, _claim: claim }
    }
}

impl<O: Op, S> fmt::Debug for OpenGuard<O, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenGuard").field("opening", &self.opening).finish_non_exhaustive()
    }
}
