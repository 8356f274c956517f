//! A server of files on loopback.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// An answer, from its status line on.
type Answers = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// A server. What it does not have is 404. Its thread ends with the test.
pub(super) struct Server {
    address: SocketAddr,
    answers: Answers,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = Self { address, answers: Answers::default(), asked: Arc::default() };
        let (answers, asked) = (server.answers.clone(), server.asked.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answers, asked) = (answers.clone(), asked.clone());
                // A client that goes away is not a failure.
                thread::spawn(move || serve(stream, &answers, &asked));
            }
        });
        server
    }

    pub(super) fn address(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn give(&self, path: &str, content: impl Into<Vec<u8>>) {
        let content = content.into();
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", content.len());
        self.answer(path, [head.into_bytes(), content].concat());
    }

    /// Gives an answer as it is.
    pub(super) fn answer(&self, path: &str, answer: impl Into<Vec<u8>>) {
        self.answers.lock().expect("no panic").insert(path.to_owned(), answer.into());
    }

    /// Answers with a status.
    pub(super) fn fail(&self, path: &str, status: &str) {
        self.answer(path, format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
    }

    /// Returns how often a path was asked for.
    pub(super) fn asked(&self, path: &str) -> usize {
        self.asked.lock().expect("no panic").iter().filter(|asked| *asked == path).count()
    }
}

fn serve(mut stream: TcpStream, answers: &Answers, asked: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    asked.lock().expect("no panic").push(path.clone());
    let none = || b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec();
    let answer = answers.lock().expect("no panic").get(&path).cloned().unwrap_or_else(none);
    stream.write_all(&answer)?;
    let is_whole = !answer.windows(4).any(|bytes| bytes == b"HOLD");
    if !is_whole {
        // The rest never comes. It ends when the client goes away.
        while lines.next().transpose()?.is_some() {}
    }
    Ok(())
}
