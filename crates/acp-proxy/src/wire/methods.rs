//! The table of methods of a version.

use acp_types::method::MethodInfo;
use acp_types::v1;

/// Returns the methods of the version whose number is this JSON text, or of version 1.
pub(crate) fn methods(version: Option<&str>) -> &'static [MethodInfo] {
    #[cfg(feature = "v2")]
    if version == Some("2") {
        return acp_types::v2::methods::METHODS;
    }
    let _ = version;
    v1::methods::METHODS
}
