//! A proxy built on the official Rust SDK. It reads and writes each prompt and its answer, and adds
//! a member to the answer. All other messages pass as the SDK forwards them.

use agent_client_protocol::v1::schema::{PromptRequest, PromptResponse};
use agent_client_protocol::{Agent, Client, Proxy, Result, Stdio, on_receive_request};

#[tokio::main]
async fn main() -> Result<()> {
    Proxy
        .v1()
        .on_receive_request_from(
            Client,
            async |request: PromptRequest, responder, chain| {
                chain.send_request_to(Agent, request).on_receiving_result(
                    async move |answer: Result<PromptResponse>| {
                        responder.respond_with_result(answer.map(marked))
                    },
                )
            },
            on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await
}

/// Says in the answer that the proxy has seen it.
fn marked(mut answer: PromptResponse) -> PromptResponse {
    answer.meta.get_or_insert_default().insert("official_proxy".to_owned(), true.into());
    answer
}
