//! Questions of an agent, asked on the user's terminal. `acp prompt` and the example `repl_client`
//! share it.
//!
//! Read it in this order:
//!
//! * [`Desk`] takes the questions and asks them one at a time. [`Asker`] brings them there.
//! * [`Screen`] shows them.
//! * [`Keyboard`] reads the lines that were typed after a question was shown.
//! * [`about`] describes a tool call. `permission`, `form` and `page` ask one kind of question
//!   each.

mod about;
mod asker;
mod desk;
mod form;
mod keyboard;
mod page;
mod permission;
mod screen;

pub use about::{about, subject};
pub use asker::Asker;
pub use desk::Desk;
pub use keyboard::Keyboard;
pub use screen::{Screen, Tone};
