//! A record of everything that passes, which shows if it was changed.

mod log;
mod verify;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acp_rpc::Error;
use acp_rpc::tap::Redaction;

use self::log::{Log, Member};
pub use self::verify::{AuditError, Verified};
use crate::flow::route::Toward;
use crate::proxy::{Observed, Proxy};

/// A record of the messages that pass a place of a chain: one file for each run, one JSON object a
/// line, and in each line the hash of the line before. [`Audit::verify`] finds lines that were
/// changed, added, removed or moved, and tells if the end is missing.
///
/// A message is in the file before it goes on. If it cannot be written, requests are refused with
/// `-32603` from then on, and notifications and cancellations go no further.
///
/// Secrets that are found by their names are not written: see [`Redaction`]. Text is not searched.
/// Whoever can write to the file can also write another one as a whole. Only a copy of the last
/// hash in another place shows that.
///
/// ```no_run
/// use acp_proxy::{Audit, Command, Conductor};
///
/// # async fn conduct() -> Result<(), Box<dyn std::error::Error>> {
/// let audit = Audit::in_folder("/var/log/agents".as_ref())?;
/// Conductor::new().proxy(audit.proxy()).agent(Command::new("agent")).serve_stdio().await?;
/// let verified = Audit::verify(audit.path())?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Audit {
    log: Arc<Log>,
    path: PathBuf,
    redaction: Redaction,
}

impl Audit {
    /// Makes a new file in a folder, which is made if it is missing. The name has the time of the
    /// start and the number of the process.
    ///
    /// # Errors
    /// The file cannot be made or written.
    pub fn in_folder(folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let name = |number: u32| format!("{}-{}-{number}.jsonl", log::now(), std::process::id());
        let mut number = 0;
        loop {
            match Self::create(&folder.join(name(number))) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                made => return made,
            }
        }
    }

    /// Makes a new file, which must not exist.
    ///
    /// # Errors
    /// The file exists, or cannot be made or written.
    pub fn create(path: &Path) -> io::Result<Self> {
        let log = Arc::new(Log::create(path)?);
        Ok(Self { log, path: path.to_owned(), redaction: Redaction::default() })
    }

    /// Sets the rules by which secrets are left out.
    #[must_use]
    pub fn redaction(mut self, redaction: Redaction) -> Self {
        self.redaction = redaction;
        self
    }

    /// Returns the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the proxy that records the messages at its place in a chain.
    #[must_use]
    pub fn proxy(&self) -> Proxy {
        let audit = self.clone();
        Proxy::new("audit").guard(move |message| audit.record(&message))
    }

    /// Adds a record of a program's own, such as a decision, with a value that is JSON text.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn note(&self, kind: &str, value: &crate::Json) -> Result<(), Error> {
        self.log
            .add(&[Member::Text("kind", kind), Member::Json("value", value.as_str())])
            .map_err(|error| refused(&error))
    }

    fn record(&self, message: &Observed<'_>) -> Result<(), Error> {
        let (kind, number, value) = match message {
            Observed::Request { number, params, .. } => ("request", Some(*number), *params),
            Observed::Notification { params, .. } => ("notification", None, *params),
            Observed::Cancellation { number, .. } => ("cancellation", Some(*number), None),
            Observed::Result { number, result, .. } => ("result", Some(*number), Some(*result)),
            Observed::Error { number, error, .. } => ("error", Some(*number), Some(*error)),
        };
        let toward = match message.toward() {
            Toward::Agent => "agent",
            Toward::Client => "client",
        };
        let mut members = vec![
            Member::Text("kind", kind),
            Member::Text("toward", toward),
            Member::Text("method", message.method()),
        ];
        members.extend(number.map(|number| Member::Number("request", number)));
        let value = value.map(|value| self.without_secrets(value));
        members.extend(value.as_deref().map(|value| Member::Json("value", value)));
        self.log.add(&members).map_err(|error| refused(&error))
    }

    fn without_secrets(&self, value: &str) -> String {
        let mut node = match acp_json::parse(value) {
            Ok(node) => node,
            // It cannot be searched for secrets.
            Err(_) => return "\"[not recorded: it cannot be read]\"".to_owned(),
        };
        self.redaction.apply(&mut node);
        acp_json::to_string(&node)
    }
}

fn refused(error: &io::Error) -> Error {
    Error::internal(format!("the audit log cannot be written, so nothing passes: {error}"))
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit").field("path", &self.path).finish_non_exhaustive()
    }
}
