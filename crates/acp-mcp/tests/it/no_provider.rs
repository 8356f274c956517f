//! rustls without a provider of cryptography. The test has a process of its own, because a provider
//! is installed for a whole process.

use acp_mcp::{Implementation, McpSession};
use acp_types::v1::McpServerHttp;

use crate::support::own_process::is_own;

#[tokio::test]
async fn a_program_that_has_to_install_one_is_told() {
    if !is_own("no_provider::a_program_that_has_to_install_one_is_told") {
        return;
    }
    let server = McpServerHttp::new("web", "https://127.0.0.1:1/mcp", []);
    let session = McpSession::builder(Implementation::new("tests", "0")).connect_all(&[server.into()]).await;
    let failures: Vec<String> =
        session.servers().iter().filter_map(|server| Some(server.status().failure()?.to_string())).collect();
    assert_eq!(failures.len(), 1);
    assert!(failures.concat().contains("`CryptoProvider::install_default`"), "{failures:?}");
}
