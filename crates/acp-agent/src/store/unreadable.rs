//! Records that this version cannot read.

use acp_rpc::Fault;
use acp_types::v1::SessionId;

use super::StoreError;
use crate::error::OnFault;

/// Reports the records of a session that cannot be read. Another version wrote them, or something
/// else did. They are passed over, because the rest is of more use than nothing.
#[derive(Clone)]
pub(crate) struct Unreadable {
    on_fault: Option<OnFault>,
    session: SessionId,
}

impl Unreadable {
    pub(super) const fn new(on_fault: Option<OnFault>, session: SessionId) -> Self {
        Unreadable { on_fault, session }
    }

    /// Reports a record. `number` counts the session's records from 1.
    pub(super) fn report(&self, number: usize, error: &StoreError) {
        if let Some(on_fault) = &self.on_fault {
            let (what, reason) =
                (format!("record {number} of session `{}`", self.session), error.to_string());
            on_fault(&Fault::Unreadable { what: &what, reason: &reason });
        }
    }

    /// Reports the settings.
    pub(super) fn report_state(&self, error: &StoreError) {
        if let Some(on_fault) = &self.on_fault {
            let (what, reason) = (format!("the settings of session `{}`", self.session), error.to_string());
            on_fault(&Fault::Unreadable { what: &what, reason: &reason });
        }
    }
}
