//! Web pages that the agent wants the user to visit.

use std::io;
use std::task::{Context, Poll};

use acp_client::sanitize::{label, line};
use acp_client::{ElicitationAnswer, PermissionAnswer, UrlElicitation};

use super::asker::{Answer, Dialog, Step};
use super::screen::{Screen, Tone};

/// The longest message that is shown, in characters.
const MESSAGE: usize = 1000;

pub(super) struct PageDialog {
    page: UrlElicitation,
    answer: Answer<ElicitationAnswer>,
    is_known: bool,
}

impl PageDialog {
    pub(super) const fn new(page: UrlElicitation, answer: Answer<ElicitationAnswer>) -> Self {
        Self { page, answer, is_known: false }
    }

    fn give(&mut self, answer: ElicitationAnswer, said: &str, screen: &mut dyn Screen) -> io::Result<()> {
        screen.line(Tone::Question, &format!("page: {said}"))?;
        self.answer.give(answer);
        Ok(())
    }
}

impl Dialog for PageDialog {
    /// Shows the whole address and its host (rule v1-eli-11). The user opens it, where this program
    /// cannot read along.
    fn print(&mut self, screen: &mut dyn Screen) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_known, true) {
            let message = label(&self.page.message, MESSAGE);
            screen.line(Tone::Question, &format!("the agent asks you to visit a page: {message}"))?;
            screen.line(Tone::Plain, &format!("    host: {}", label(host(&self.page.url), MESSAGE)))?;
            screen.line(Tone::Plain, &format!("    {}", line(&self.page.url)))?;
        }
        Ok(())
    }

    fn prompt(&self) -> String {
        "will you? y or n:".to_owned()
    }

    fn take(&mut self, line: Option<&str>, screen: &mut dyn Screen) -> io::Result<Step> {
        let answer = line.map(|line| line.trim().to_lowercase());
        match answer.as_deref() {
            Some("y" | "yes") => {
                self.give(ElicitationAnswer::Accept(()), "open it in your browser", screen)?
            }
            None => self.give(ElicitationAnswer::Cancel, "cancelled", screen)?,
            Some("n" | "no" | "") => self.give(ElicitationAnswer::Decline, "declined", screen)?,
            Some(_) => {
                screen.line(Tone::Question, "that is not one of the answers")?;
                return Ok(Step::Again);
            }
        }
        Ok(Step::Done)
    }

    fn settle(&mut self, _: Option<PermissionAnswer>, screen: &mut dyn Screen) -> io::Result<()> {
        self.give(ElicitationAnswer::Decline, "declined, as there is nobody to ask", screen)
    }

    fn poll_withdrawn(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.answer.poll_withdrawn(cx)
    }
}

/// Returns the host of an address, without a user name that could pass for it.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    authority.rsplit('@').next().unwrap_or(authority)
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn the_host_is_what_is_visited() {
        for (url, wants) in [
            ("https://example.com/a?b", "example.com"),
            ("https://good.com@evil.com:8080/@x", "evil.com:8080"),
            ("https://evil.com\\@good.com/", "evil.com"),
            ("https://[::1]:80?x", "[::1]:80"),
            ("https://evil.com#@good.com", "evil.com"),
        ] {
            assert_eq!(host(url), wants, "{url}");
        }
    }
}
