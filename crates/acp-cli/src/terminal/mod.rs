//! Questions of an agent, asked on the user's terminal: what `acp prompt` and `repl_client` have in common.
//!
//! Read it in this order:
//!
//! * [`Desk`]: takes the questions and asks them one at a time. [`Asker`] brings them there.
//! * [`Screen`]: where they are shown.
//! * [`Keyboard`]: lines that were typed after a question was shown.
//! * [`about`] says what a tool call is about, and `permission`, `form` and `page` how each kind of question is asked.

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
