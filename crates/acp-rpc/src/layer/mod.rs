#![doc = include_str!("layer.md")]

mod concurrency;
mod gated;
mod observe;
mod only;
mod rate_limit;
mod relay;
mod timeout;

use std::fmt;
use std::sync::Arc;

pub use tower_layer::{Layer, LayerFn, layer_fn};

pub use self::concurrency::Concurrency;
pub use self::observe::{Observe, Observed, Outcome, Step};
pub use self::only::Only;
pub use self::rate_limit::RateLimit;
pub use self::relay::{Origins, Relay};
pub use self::timeout::Timeout;
pub use crate::peer::outgoing::{Exchange, Outbound, Outgoing};
pub use crate::peer::progress::Progress;

use crate::peer::outgoing::Wire;
use crate::service::Service;

/// The layers of a connection: see [`Options::layer_in`](crate::Options::layer_in) and
/// [`Options::layer_out`](crate::Options::layer_out).
#[derive(Clone, Default)]
pub struct Layers {
    incoming: Vec<Wrap<dyn Service>>,
    outgoing: Vec<Wrap<dyn Outbound>>,
}

type Wrap<T> = Arc<dyn Fn(Arc<T>) -> Arc<T> + Send + Sync>;

impl Layers {
    pub(crate) fn push_in<L>(&mut self, layer: L)
    where
        L: Layer<Arc<dyn Service>> + Send + Sync + 'static,
        L::Service: Service,
    {
        self.incoming.push(Arc::new(move |inner| Arc::new(layer.layer(inner))));
    }

    pub(crate) fn push_out<L>(&mut self, layer: L)
    where
        L: Layer<Arc<dyn Outbound>> + Send + Sync + 'static,
        L::Service: Outbound,
    {
        self.outgoing.push(Arc::new(move |inner| Arc::new(layer.layer(inner))));
    }

    /// Returns the service behind its layers.
    pub(crate) fn inbound(&self, service: Arc<dyn Service>) -> Arc<dyn Service> {
        self.incoming.iter().rev().fold(service, |inner, wrap| wrap(inner))
    }

    /// Returns the way out through the layers, unless there are none.
    pub(crate) fn outbound(&self) -> Option<Arc<dyn Outbound>> {
        let wire: Arc<dyn Outbound> = Arc::new(Wire);
        let wrapped = self.outgoing.iter().rev().fold(wire, |inner, wrap| wrap(inner));
        (!self.outgoing.is_empty()).then_some(wrapped)
    }
}

impl fmt::Debug for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Layers")
            .field("incoming", &self.incoming.len())
            .field("outgoing", &self.outgoing.len())
            .finish()
    }
}
