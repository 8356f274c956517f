//! A stand-in for the model of an agent under test (feature `model-stub`).
//!
//! A [`ModelStub`] is an HTTP server on loopback that speaks the usual model APIs: OpenAI chat
//! completions and responses, Anthropic messages, and Gemini, streaming and not. Directives in a
//! prompt, such as `[[text hello]]` or `[[shell ls]]`, say what the model does. A [`Profile`] has
//! the environment that leads an agent to the stub, the names of its tools, and prompts for a
//! check. The page
//! [model stub](https://github.com/acp-rs/acp/blob/main/docs/check/MODEL_STUB.md) lists them.

mod answer;
mod api;
mod arguments;
mod conversation;
mod directive;
mod event;
mod plan;
mod profile;
mod reply;
mod server;

pub use self::profile::{Profile, ProfileError, Prompts};
pub use self::server::ModelStub;
