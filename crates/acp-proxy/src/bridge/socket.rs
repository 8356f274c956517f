//! The listener for shims: a socket that only this user may open, or one on the loopback device.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use acp_rpc::Transport;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::lines::serve;
use super::offers::{Offer, TOKEN_LENGTH};
use super::shared::Shared;
use crate::shim::ADMITTED;

/// The time in which a shim has to show its token.
const TOKEN_TIME: Duration = Duration::from_secs(10);
/// The most connections that have not shown a token, or that are open.
const MOST: usize = 1024;
/// The pause after an error such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// A listener that is bound.
pub(super) struct Listener {
    #[cfg(unix)]
    inner: tokio::net::UnixListener,
    #[cfg(not(unix))]
    inner: tokio::net::TcpListener,
    pub(super) address: String,
    #[cfg(unix)]
    _folder: Folder,
}

#[cfg(unix)]
type Stream = tokio::net::UnixStream;
#[cfg(not(unix))]
type Stream = tokio::net::TcpStream;

impl Listener {
    /// Binds a socket in a new folder that only this user may enter.
    #[cfg(unix)]
    pub(super) fn bind() -> io::Result<Self> {
        let folder = Folder::make()?;
        let path = folder.0.join("mcp");
        let inner = tokio::net::UnixListener::bind(&path)?;
        let path = path.to_str().ok_or_else(|| io::Error::other("the folder for sockets is not UTF-8"))?;
        Ok(Self { inner, address: format!("unix:{path}"), _folder: folder })
    }

    /// Binds a port of the loopback device.
    #[cfg(not(unix))]
    pub(super) fn bind() -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = format!("tcp:{}", listener.local_addr()?);
        Ok(Self { inner: tokio::net::TcpListener::from_std(listener)?, address })
    }

    /// Serves shims until the chain has ended.
    pub(super) async fn run(self, shared: Arc<Shared>) {
        let mut tasks = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = shared.bounds.closed.cancelled() => break,
                Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
                accepted = self.inner.accept(), if tasks.len() < MOST => match accepted {
                    Ok((stream, _)) => {
                        tasks.spawn(admit(stream, Arc::clone(&shared)));
                    }
                    Err(_) => tokio::time::sleep(PAUSE).await,
                },
            }
        }
        // Each of them ends by itself, because the chain has ended.
        while tasks.join_next().await.is_some() {}
    }
}

async fn admit(mut stream: Stream, shared: Arc<Shared>) {
    let closed = shared.bounds.closed.clone();
    let admitted = tokio::select! {
        biased;
        () = closed.cancelled() => None,
        admitted = timeout(TOKEN_TIME, admitted(&mut stream, &shared)) => admitted.ok().flatten(),
    };
    if let Some(offer) = admitted {
        serve(Transport::from_stream(stream), &shared, &offer).await;
    }
}

/// Reads the token. A wrong one is refused without a word.
async fn admitted(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), shared: &Shared) -> Option<Arc<Offer>> {
    let mut line = [0; TOKEN_LENGTH + 1];
    let mut length = 0;
    // A right one fills the line, so nothing behind it is read.
    while !line.contains(&b'\n') {
        let read = stream.read(line.get_mut(length..).filter(|rest| !rest.is_empty())?).await.ok()?;
        length += if read == 0 { return None } else { read };
    }
    let token = std::str::from_utf8(&line).ok()?.strip_suffix('\n')?;
    let offer = shared.offers.admitted(token)?;
    stream.write_all(&[ADMITTED]).await.ok()?;
    Some(offer)
}

/// A folder for one socket. It is removed when this is dropped.
#[cfg(unix)]
struct Folder(std::path::PathBuf);

#[cfg(unix)]
impl Folder {
    fn make() -> io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt as _;

        /// The longest path of a folder with which that of the socket fits into its address.
        const LONGEST: usize = 60;
        let name = crate::wire::random::hex::<8>().map_err(|error| io::Error::other(error.message))?;
        let temporary = std::env::temp_dir();
        let is_short = temporary.as_os_str().len() <= LONGEST;
        let temporary = if is_short { temporary } else { std::path::PathBuf::from("/tmp") };
        let path = std::path::absolute(temporary.join(format!("acp-mcp-{name}")))?;
        std::fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

#[cfg(unix)]
impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
