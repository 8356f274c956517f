//! The recorder hears what is sent, however the bytes come, and passes it on.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

use serde_json::json;

use super::recorder::{Recorder, Requests};

const TWO: &str = "POST /mcp HTTP/1.1\r\nMCP-Protocol-Version: 2026-07-28\r\nContent-Length: 14\r\n\r\n{\"method\":\"a\"}\
                   GET /mcp HTTP/1.1\r\n\r\n\
                   POST /mcp HTTP/1.1\r\ncontent-length: 14\r\n\r\n{\"method\":\"b\"}";

#[test]
fn requests_are_told_apart_in_pieces_of_any_size() {
    for size in [1, 7, TWO.len()] {
        let mut requests = Requests::default();
        let sent = TWO.as_bytes().chunks(size).flat_map(|bytes| requests.read(bytes));
        let sent: Vec<_> = sent.map(|sent| (sent.message, sent.version_header)).collect();
        let version = |text: &str| Some(text.to_owned());
        let wanted =
            [(json!({ "method": "a" }), version("2026-07-28")), (json!({ "method": "b" }), version(""))];
        assert_eq!(sent, wanted, "{size}");
    }
}

#[test]
fn bytes_reach_the_other_end_and_come_back() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let recorder = Recorder::before(server.local_addr().unwrap()).unwrap();
    let echo = thread::spawn(move || {
        let (mut client, _) = server.accept().unwrap();
        let mut heard = Vec::new();
        client.read_to_end(&mut heard).unwrap();
        client.write_all(&heard).unwrap();
    });
    let mut client = TcpStream::connect(recorder.address()).unwrap();
    client.write_all(TWO.as_bytes()).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut heard = String::new();
    client.read_to_string(&mut heard).unwrap();
    echo.join().unwrap();
    assert_eq!(heard, TWO);
    assert_eq!(recorder.sent().len(), 2);
}
