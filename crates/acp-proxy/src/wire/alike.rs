//! Proof that the typed handlers of both versions get what version 2 has: it does not compile
//! otherwise.

use acp_types::v1;
use acp_types::v2::{ReadsV2, WritesV2};

const fn alike<P: ReadsV2 + WritesV2>() {}

const _: () = {
    alike::<v1::ListSessionsRequest>();
    alike::<v1::CloseSessionRequest>();
    alike::<v1::DeleteSessionRequest>();
    // The params of `session/prompt` are these two and content. Version 2 only has bounds for the
    // numbers in content, and what came within them is written within them.
    alike::<v1::SessionId>();
};
