//! A server of files on loopback.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

#[cfg(all(target_os = "linux", feature = "ring"))]
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// An answer, from its status line on.
type Answers = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// A server. What it does not have is 404. Its thread ends with the test.
pub(super) struct Server {
    scheme: &'static str,
    address: SocketAddr,
    answers: Answers,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(super) fn start() -> Self {
        Self::of("http", |stream| stream)
    }

    /// Starts a server that speaks TLS, and returns its certificate in PEM.
    #[cfg(all(target_os = "linux", feature = "ring"))]
    pub(super) fn start_secure() -> (Self, String) {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()])
            .expect("made");
        let key = rustls::pki_types::PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key.into())
            .expect("a certificate");
        let config = Arc::new(config);
        let secure = move |stream| {
            StreamOwned::new(ServerConnection::new(config.clone()).expect("a connection"), stream)
        };
        (Self::of("https", secure), made.cert.pem())
    }

    fn of<S: Read + Write>(
        scheme: &'static str,
        wrap: impl Fn(TcpStream) -> S + Clone + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = Self { scheme, address, answers: Answers::default(), asked: Arc::default() };
        let (answers, asked) = (server.answers.clone(), server.asked.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answers, asked, wrap) = (answers.clone(), asked.clone(), wrap.clone());
                // A client that goes away is not a failure.
                thread::spawn(move || serve(wrap(stream), &answers, &asked));
            }
        });
        server
    }

    pub(super) fn address(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
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

fn serve(stream: impl Read + Write, answers: &Answers, asked: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut first = String::new();
    stream.read_line(&mut first)?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut line = String::new();
    while stream.read_line(&mut line)? > 2 {
        line.clear();
    }
    asked.lock().expect("no panic").push(path.clone());
    let none = || b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec();
    let answer = answers.lock().expect("no panic").get(&path).cloned().unwrap_or_else(none);
    stream.get_mut().write_all(&answer)?;
    stream.get_mut().flush()?;
    let is_whole = !answer.windows(4).any(|bytes| bytes == b"HOLD");
    if !is_whole {
        // The rest never comes. It ends when the client goes away.
        stream.read_to_end(&mut Vec::new())?;
    }
    Ok(())
}
