//! WebSocket: the upgrade, the socket as a transport, and the life of its agent.

mod incoming;
mod life;
mod socket;
pub(super) mod upgrade;
mod wakers;
