//! The providers of models.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply};

use crate::error::Result;
use crate::handler::call::Scope;
use crate::handler::operation::ServeOperation;
use crate::op;
use crate::serve::lifecycle::answer::{answer, answered, passed_on};

passed_on!(ListProviders, SetProvider, DisableProvider);
