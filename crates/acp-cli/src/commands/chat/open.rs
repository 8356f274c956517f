//! The opening of a chat's sessions: new ones, and those of an earlier time.

use acp_client::sanitize::line;
use acp_client::{Error, Event, MessageKind, Session};

use crate::commands::chat::Chat;
use crate::commands::chat::known::Known;
use crate::commands::prompt::open::{new_session, not_opened};
use crate::commands::prompt::run::Halt;
use crate::commands::prompt::session_folder;
use crate::render::text::block_text;
use crate::style::Look;

impl Chat<'_> {
    /// Opens another session, and goes on with it.
    pub(super) async fn open_new(&mut self) -> Result<(), Halt> {
        let cwd = session_folder(self.args).map_err(|error| Halt::Failed(error.into()))?;
        let opened = new_session(&mut self.run, &self.agent, &cwd, &self.args.mcp).await?;
        self.enter(opened, Known::default())
    }

    /// Takes a session up again. Its conversation is shown if the agent tells it.
    pub(super) async fn open_again(&mut self, id: &str) -> Result<(), Halt> {
        let cwd = session_folder(self.args).map_err(|error| Halt::Failed(error.into()))?;
        let capabilities = self.agent.capabilities();
        if !capabilities.load_session && capabilities.session_capabilities.resume.is_some() {
            let resumed = self.agent.resume_session(id, cwd);
            let servers = self.args.mcp.iter().cloned();
            let resumed = servers.fold(resumed, |resumed, server| resumed.mcp_server(server));
            let opened = self.run.attend(resumed.into_future(), None).await?;
            return self.enter(opened, Known::default());
        }
        let loaded = self.agent.load_session(id, cwd);
        let servers = self.args.mcp.iter().cloned();
        let loaded = servers.fold(loaded, |loaded, server| loaded.mcp_server(server));
        let mut replay = match self.run.attend(loaded.replay(), None).await? {
            Ok(replay) => replay,
            Err(error) => return self.enter(Err(error), Known::default()),
        };
        let mut known = Known::default();
        let mut said = String::new();
        while let Some(event) = self.run.attend(replay.next(), None).await? {
            known.note(&event);
            match user_text(&event) {
                Some(text) => said.push_str(&text),
                None => {
                    self.show_user(&mut said)?;
                    self.run.screen.event(&event)?;
                }
            }
        }
        self.show_user(&mut said)?;
        let opened = self.run.attend(replay.finish(), None).await?;
        self.enter(opened, known)
    }

    /// Shows a message of the user, as it stood behind the prompt.
    fn show_user(&mut self, said: &mut String) -> Result<(), Halt> {
        for (number, line) in std::mem::take(said).lines().enumerate() {
            let sign = if number == 0 { ">" } else { " " };
            self.run.screen.line(Look::Cyan, &format!("{sign} {line}"))?;
        }
        Ok(())
    }

    /// Goes on with a session that was opened.
    fn enter(&mut self, opened: Result<Session, Error>, known: Known) -> Result<(), Halt> {
        let session = opened.map_err(|error| Halt::Failed(not_opened(&self.agent, error)))?;
        self.known.open(&session, known);
        self.run.screen.end_line()?;
        self.run.screen.line(Look::Dim, &format!("session: {}", line(session.id().as_str())))?;
        self.session = Some(session);
        Ok(())
    }
}

fn user_text(event: &Event) -> Option<String> {
    match event {
        Event::UserMessage(chunk) => Some(block_text(&chunk.content)),
        Event::MessageReplaced { kind: MessageKind::User, content, .. } => {
            Some(content.iter().flatten().map(block_text).collect())
        }
        _ => None,
    }
}
