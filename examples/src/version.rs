//! The version of the protocol that the clients ask for.

use acp_client::Connect;

/// Sets the versions of the protocol to speak. With the feature `v2` the environment variable
/// `ACP_PROTOCOL` names them: `1`, `2`, or `auto` for version 2 and otherwise version 1. Without it
/// that is version 1.
pub fn in_version(connect: Connect) -> Connect {
    #[cfg(feature = "v2")]
    {
        use acp_client::ProtocolVersion as Version;
        match std::env::var("ACP_PROTOCOL").as_deref() {
            Ok("2") => return connect.versions([Version::V2]),
            Ok("auto") => return connect.versions([Version::V2, Version::V1]),
            _ => {}
        }
    }
    connect
}
