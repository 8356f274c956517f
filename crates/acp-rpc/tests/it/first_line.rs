//! The first line of a transport: it is looked at, and delivered again.

use acp_rpc::Transport;
use tokio::io::AsyncWriteExt;

async fn first(sent: &[u8], limit: usize) -> Vec<u8> {
    let (mut near, far) = tokio::io::duplex(1024);
    near.write_all(sent).await.expect("there is room");
    near.shutdown().await.expect("it is open");
    Transport::from_stream(far).first_line(limit).await.expect("it is readable").0
}

#[tokio::test]
async fn blank_lines_are_passed_over_and_long_ones_are_cut() {
    for (sent, limit, expected) in [
        (&b"one\ntwo\n"[..], 100, &b"one"[..]),
        (b"\n \r\none\r\ntwo", 100, b"one"),
        (b"one", 100, b"one"),
        (b"", 100, b""),
        (b"\n\n", 100, b""),
        (b"abcdef\n", 4, b"abcd"),
    ] {
        assert_eq!(first(sent, limit).await, expected, "{:?}", String::from_utf8_lossy(sent));
    }
}

#[tokio::test]
async fn everything_is_delivered_again() {
    let (mut near, far) = tokio::io::duplex(1024);
    near.write_all(b"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\n{\"js").await.expect("there is room");
    let (line, far) = Transport::from_stream(far).first_line(100).await.expect("it is readable");
    assert!(line.starts_with(b"{") && line.ends_with(b"}"));
    near.write_all(b"onrpc\":\"2.0\",\"id\":2,\"method\":\"y\"}\n").await.expect("there is room");
    let (line, _) = far.first_line(100).await.expect("it is readable");
    assert!(line.windows(7).any(|part| part == b"\"id\":1,"));
}
