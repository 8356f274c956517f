//! A browser whose user agrees to everything: it goes where it is sent.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const MOST_REDIRECTS: usize = 5;

/// Opens a page, and follows to where it leads.
pub(crate) async fn visit(url: &str) -> io::Result<()> {
    let mut url = url.to_owned();
    for _ in 0..MOST_REDIRECTS {
        match get(&url).await? {
            Some(next) => url = next,
            None => return Ok(()),
        }
    }
    Err(io::Error::other("the page leads nowhere"))
}

/// Where a page leads, or nothing when it is one to look at.
async fn get(url: &str) -> io::Result<Option<String>> {
    let unknown = || io::Error::other(format!("`{url}` is no page"));
    let (place, target) =
        url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).ok_or_else(unknown)?;
    let mut socket = TcpStream::connect(place).await?;
    let request = format!("GET /{target} HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    let head = answer.split("\r\n\r\n").next().unwrap_or_default();
    let location = head.lines().filter_map(|line| line.split_once(':'));
    let mut location = location.filter(|(name, _)| name.eq_ignore_ascii_case("location"));
    match head.split(' ').nth(1) {
        Some("200") => Ok(None),
        Some(status) if status.starts_with('3') => {
            let (_, location) = location.next().ok_or_else(unknown)?;
            Ok(Some(location.trim().to_owned()))
        }
        status => Err(io::Error::other(format!("status {}", status.unwrap_or("unknown")))),
    }
}
