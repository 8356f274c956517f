//! Jobs of lanes, and the names of lanes.

use std::pin::Pin;
use std::sync::Arc;

/// A future without a result: the handler of a notification, or a job of a lane.
pub type BoxFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The name of a lane. Jobs of one lane run one at a time, in the order of the wire.
pub type LaneKey = Arc<str>;
