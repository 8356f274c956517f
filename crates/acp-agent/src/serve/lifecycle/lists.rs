//! Sessions, whether they are open or not.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::{ListSessionsRequest, ListSessionsResponse};

use crate::error::Result;
use crate::handler::call::Scope;
use crate::handler::operation::ServeOperation;
use crate::op;
use crate::open::checks::check_path;
use crate::serve::lifecycle::answer::{answer, answered};

impl ServeOperation for op::ListSessions {
    type Admission<S: Send + Sync + 'static> = ();
    answered!(ListSessionsResponse);

    fn admit<S: Send + Sync + 'static>(
        _: &Scope<S>,
        params: &Arc<ListSessionsRequest>,
    ) -> Result<(), RpcError> {
        params.cwd.as_ref().map_or(Ok(()), |cwd| check_path("cwd", cwd))
    }
}
