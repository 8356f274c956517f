//! Faults on their way to the service.

use super::Service;
use crate::core::fault::Fault;
use crate::core::panics::guarded;

impl Fault<'_> {
    /// Reports this to a service. If that panics, nobody is left to be told.
    pub(crate) fn report(self, service: &dyn Service) {
        let _ = guarded(|| service.fault(self));
    }
}
