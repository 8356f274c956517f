//! Hand-written sugar beside the generated types.

mod content;
