//! The end of connections.

use std::time::Duration;

use acp_http::server::Options;

use super::lab::{INITIALIZE, Lab};

#[tokio::test]
async fn rm_life_05_delete_ends_the_input_of_the_agent() {
    let mut lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let mut stream = lab.get(&[&id]).await;
    // rm-life-02, rm-del-01
    let answer = lab.exchange("DELETE /acp", &[&id], "").await;
    assert_eq!((answer.status, answer.body.as_str()), (202, ""));
    lab.until("closed").await;
    // rm-sse-08: the end of the body, and then 404.
    assert!(stream.next().await.is_none());
    assert_eq!(lab.get(&[&id]).await.answer.status, 404);
}

#[tokio::test]
async fn rm_life_03_an_idle_connection_ends() {
    // Nobody opens a first stream.
    let mut lab = Lab::start(Options::new().first_stream_time(Duration::ZERO)).await;
    let id = lab.initialize().await;
    lab.until("closed").await;
    assert_eq!(lab.get(&[&id]).await.answer.status, 404);
    // The only reader goes away.
    let mut lab = Lab::start(Options::new().idle_time(Duration::ZERO)).await;
    let id = lab.initialize().await;
    drop(lab.get(&[&id]).await);
    lab.until("closed").await;
}

#[tokio::test]
async fn rm_life_04_a_dropped_stream_cancels_nothing() {
    let mut lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    drop(lab.get(&[&id]).await);
    let answer = lab.post(&[&id], r#"{"jsonrpc":"2.0","id":1,"method":"_echo"}"#).await;
    assert_eq!(answer.status, 202);
    lab.until("_echo ").await;
    // The server learns of the loss only when it writes: until then the stream is taken.
    let other = lab.get(&[&id, "acp-session-id: s"]).await;
    assert_eq!(other.answer.status, 200);
}

#[tokio::test]
async fn rm_life_07_a_server_that_shuts_down_refuses_and_ends_all() {
    let mut lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let mut stream = lab.get(&[&id]).await;
    lab.server.shutdown(Duration::ZERO).await;
    assert!(stream.next().await.is_none());
    lab.until("closed").await;
    let refused = lab.post(&[], INITIALIZE).await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
}

#[tokio::test]
async fn rm_sse_03_a_silent_stream_gets_comments() {
    let lab = Lab::start(Options::new().keep_alive(Duration::from_millis(1))).await;
    let id = lab.initialize().await;
    let mut stream = lab.get(&[&id]).await;
    for _ in 0..3 {
        assert_eq!(stream.line().await.unwrap(), ":");
    }
}
