//! The page says what was found, and the recorder shows what was refused.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

use super::browser::Found;
use super::exchanges::Recorder;
use super::known;
use super::page;
use super::pairs::Outcome;
use super::peers::{Sdk, Way};
use crate::interop::http_messages::HttpMessages;

fn outcome(client: Sdk, failed: Option<&str>) -> Outcome {
    let cases = vec![("turn", None), ("permission", failed.map(str::to_owned))];
    Outcome {
        client, server: Sdk::TypeScript, way: Way::Http, cases, refused: vec!["POST → 400".to_owned()]
    }
}

#[test]
fn a_failure_never_looks_like_a_success() {
    let outcomes = [outcome(Sdk::Ours, None), outcome(Sdk::Python, Some("it | hangs"))];
    let page = page::section(&outcomes, &Found::not_run());
    assert!(page.contains("| ours | not tried | not tried | not tried | yes |"), "{page}");
    assert!(
        page.contains("| Python 0.12.1 | not tried | not tried | not tried | **permission** |"),
        "{page}"
    );
    assert!(page.contains("Python 0.12.1 -> TypeScript 2.4.0, HTTP:"), "{page}");
    assert!(page.contains("* permission: it \\| hangs\n* on the wire: `POST → 400`"), "{page}");
    assert!(!page.contains("ours -> TypeScript"), "what works is not listed: {page}");
    assert!(page.contains("A page in Chromium was not tried"), "{page}");
}

#[test]
fn a_failure_that_is_not_known_is_told() {
    assert_eq!(known::compare(&outcome(Sdk::Ours, None)), Vec::<String>::new());
    let told = known::compare(&outcome(Sdk::Ours, Some("it hangs")));
    assert_eq!(told, ["ours -> TypeScript 2.4.0, HTTP: permission: it hangs"]);
}

#[test]
fn messages_are_told_apart_by_length_and_by_chunks() {
    let answers = "HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n\
                   HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\nno\
                   HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nHTTP/1.1 500 made up\r\n\r\n";
    for size in [1, 5, answers.len()] {
        let mut messages = HttpMessages::default();
        let read = answers.as_bytes().chunks(size).flat_map(|bytes| messages.read(bytes));
        let bodies: Vec<_> = read.map(|(_, body)| String::from_utf8(body).unwrap()).collect();
        assert_eq!(bodies, ["abcde", "no", ""], "{size}");
    }
}

#[test]
fn a_refused_request_is_kept_with_its_status() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let recorder = Recorder::before(server.local_addr().unwrap()).unwrap();
    let server = thread::spawn(move || {
        let (mut client, _) = server.accept().unwrap();
        let mut heard = Vec::new();
        client.read_to_end(&mut heard).unwrap();
        client.write_all(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n").unwrap();
        client.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\ngone").unwrap();
    });
    let mut client = TcpStream::connect(recorder.address()).unwrap();
    client.write_all(b"POST /acp HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}").unwrap();
    client.write_all(b"GET /acp HTTP/1.1\r\nAcp-Session-Id: s7\r\n\r\n").unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    client.read_to_end(&mut Vec::new()).unwrap();
    server.join().unwrap();
    assert_eq!(recorder.refused(), ["GET with Acp-Session-Id → 404 gone"]);
}
