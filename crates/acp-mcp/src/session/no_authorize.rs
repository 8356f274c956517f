//! Without the feature `oauth`: nobody is asked.

use std::marker::PhantomData;

use super::entry::Entry;
use crate::error::McpError;
use crate::timeouts::Timeouts;

/// The only attempt at a request, or at a connection.
pub(super) struct Attempts<'a>(PhantomData<&'a Entry>);

impl<'a> Attempts<'a> {
    pub(super) const fn new(_: &'a Entry, _: &Timeouts) -> Self {
        Self(PhantomData)
    }

    pub(super) const fn may_be_more(&self) -> bool {
        false
    }

    pub(super) async fn get_ready(&self) {}

    pub(super) async fn after(&mut self, error: McpError) -> Result<(), McpError> {
        Err(error)
    }
}
