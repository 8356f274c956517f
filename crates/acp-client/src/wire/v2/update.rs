//! Updates of a session.

use acp_json::{Node, ReadError};
use acp_types::v1;
use acp_types::v2::{SessionUpdate, UpdateSessionNotification};

use super::state;
use crate::Event;
use crate::wire::incoming::Update;

/// Reads an update. With `is_handled` it is also read as handlers of updates get it.
pub(in crate::wire) fn read(params: Node<'_>, is_handled: bool) -> Result<Update, ReadError> {
    let handled = params.clone();
    let notification: UpdateSessionNotification = acp_json::read(params)?;
    let event = match notification.update {
        SessionUpdate::StateUpdate(update) => Event::State(Box::new(state::state(*update))),
        _ => Event::from(acp_json::read::<v1::SessionNotification>(handled.clone())?.update),
    };
    let handled = if is_handled { Some(acp_json::read(handled)?) } else { None };
    Ok(Update { session_id: notification.session_id, event, handled })
}

/// Returns the event of an update that a handler gets.
pub(in crate::wire) fn event(update: v1::SessionUpdate) -> Event {
    Event::from(update)
}
