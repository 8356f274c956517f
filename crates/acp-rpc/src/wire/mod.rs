//! Lines and messages: the way from bytes to messages and back.

pub mod codec;
pub(crate) mod encode;
pub(crate) mod envelope;
pub(crate) mod forms;
pub(crate) mod head;
pub(crate) mod message;
pub(crate) mod reading;
mod reason;
pub(crate) mod weight;
pub(crate) mod writer;
