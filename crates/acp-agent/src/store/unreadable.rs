//! Records that this version cannot read, which are passed over.

use acp_rpc::Fault;
use acp_types::v1::SessionId;

use super::StoreError;
use crate::error::OnFault;

/// Tells of the records of a session that cannot be read: another version wrote them, or something else did. All that
/// can be read is of more use than none of it.
#[derive(Clone)]
pub(crate) struct Unreadable {
    on_fault: Option<OnFault>,
    session: SessionId,
}

impl Unreadable {
    pub(super) const fn new(on_fault: Option<OnFault>, session: SessionId) -> Self {
        Unreadable { on_fault, session }
    }

    /// `number` counts the session's records from 1.
    pub(super) fn tell(&self, number: usize, error: &StoreError) {
        if let Some(on_fault) = &self.on_fault {
            let (what, reason) =
                (format!("record {number} of session `{}`", self.session), error.to_string());
            on_fault(&Fault::Unreadable { what: &what, reason: &reason });
        }
    }
}
