//! The attempts without the feature `oauth`: there is only one.

use std::marker::PhantomData;

use crate::error::McpError;
use crate::session::state::entry::Entry;
use crate::values::timeouts::Timeouts;

/// The only attempt at a request, or at a connection.
pub(in crate::session) struct Attempts<'a>(PhantomData<&'a Entry>);

impl<'a> Attempts<'a> {
    pub(in crate::session) const fn new(_: &'a Entry, _: &Timeouts) -> Self {
        Self(PhantomData)
    }

    pub(in crate::session) const fn may_be_more(&self) -> bool {
        false
    }

    pub(in crate::session) async fn get_ready(&self) {}

    pub(in crate::session) async fn after(&mut self, error: McpError) -> Result<(), McpError> {
        Err(error)
    }
}
