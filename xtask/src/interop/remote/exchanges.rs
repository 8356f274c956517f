//! The HTTP exchanges of a client with a server: a recorder between the two keeps the requests that
//! the server refuses.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::interop::between::{Between, Observer};
use crate::interop::http_messages::{HttpMessages, header};

/// The most characters of a body that are shown.
const SHOWN: usize = 110;

type Lines = Arc<Mutex<Vec<String>>>;

/// Listens in the place of a server until it is dropped.
pub(super) struct Recorder {
    between: Between,
    refused: Lines,
}

impl Recorder {
    pub(super) fn before(server: SocketAddr) -> anyhow::Result<Self> {
        let refused = Lines::default();
        let log = Arc::clone(&refused);
        let between = Between::start(server, move || observers(&log))?;
        Ok(Self { between, refused })
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.between.address()
    }

    /// Returns the requests that were refused so far, each with the status.
    pub(super) fn refused(&self) -> Vec<String> {
        lock(&self.refused).clone()
    }
}

fn observers(refused: &Lines) -> [Observer; 2] {
    let (log, refused) = (Lines::default(), Arc::clone(refused));
    let asked = Arc::clone(&log);
    let (mut requests, mut answers) = (HttpMessages::default(), HttpMessages::default());
    // Kept before it is passed on: an answer finds its request.
    let of_client = move |bytes: &[u8]| {
        let shown = requests.read(bytes).into_iter().map(|(head, body)| request(&head, &body));
        lock(&log).extend(shown);
    };
    let of_server = move |bytes: &[u8]| {
        for (head, body) in answers.read(bytes) {
            let mut asked = lock(&asked);
            let asked = if asked.is_empty() { String::new() } else { asked.remove(0) };
            let status = head.split_whitespace().nth(1).unwrap_or_default();
            if status.starts_with(['4', '5']) {
                let line = format!("{asked} → {status} {}", shown(&body));
                lock(&refused).push(line.trim_end().to_owned());
            }
        }
    };
    [Box::new(of_client), Box::new(of_server)]
}

fn lock(lines: &Lines) -> std::sync::MutexGuard<'_, Vec<String>> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows a request: its verb, whether it names a session, and its message. Ids are left out,
/// because they are others in each run.
fn request(head: &str, body: &[u8]) -> String {
    let verb = head.split_whitespace().next().unwrap_or_default();
    let session = match header(head, "acp-session-id") {
        Some(_) => "with Acp-Session-Id",
        None => "without Acp-Session-Id",
    };
    format!("{verb} {session} {}", shown(body)).trim_end().to_owned()
}

fn shown(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
