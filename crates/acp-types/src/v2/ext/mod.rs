//! Hand-written additions to the generated types.

mod content;
