//! One case of the matrix, and what came of it.

use super::peers::Peer;
use super::rows::{Client, Row};

/// The result of a row of the matrix with a server.
pub(super) struct Outcome {
    pub(super) row: &'static Row,
    pub(super) peer: &'static Peer,
    /// Of each client of the row: what was spoken, or what is wrong.
    pub(super) clients: Vec<(Client, Result<String, String>)>,
}

impl Outcome {
    pub(super) fn has_passed(&self) -> bool {
        self.clients.iter().all(|(_, cell)| cell.is_ok())
    }
}
