//! The commands of the chat at work.

use acp_client::sanitize::{label, line};
use acp_client::{Error, Session};

use crate::commands::chat::Chat;
use crate::commands::chat::command::BUILT_IN;
use crate::commands::chat::known::{current, modes, values};
use crate::commands::prompt::run::Halt;
use crate::commands::prompt::settings::{set_config, set_mode};
use crate::commands::sessions::row;
use crate::nearest::nearest;
use crate::outcome::Failure;
use crate::render::text::usage;
use crate::style::Look;

/// The longest description in a list, in characters.
const ABOUT: usize = 100;
/// The most sessions in a list.
const SESSIONS: usize = 20;

const KEYS: [&str; 7] = [
    "Tab            complete a command, its argument, or a file after @",
    "Alt-Enter      another line; so does a backslash before Enter",
    "Up, Ctrl-R     earlier lines; a line that begins with a space is not kept",
    "Ctrl-C         drop the line, or cancel the turn that runs",
    "Ctrl-D         end the chat",
    "@path          add a file of the session's directory",
    "//             begin a text that starts with a slash",
];

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Another line is wanted.
    Line,
    /// The user ends the chat.
    End,
}

impl Chat<'_> {
    /// Does a command of the chat, or sends a command of the agent.
    pub(super) async fn command(&mut self, session: &Session, name: &str, rest: &str) -> Result<Next, Halt> {
        match (name, rest) {
            ("quit" | "exit", _) => return Ok(Next::End),
            ("help", _) => self.help()?,
            ("mode", "") => self.show_modes(session)?,
            ("mode", mode) => self.switch(session, mode).await?,
            ("config", "") => self.show_config(session)?,
            ("config", setting) => self.configure(session, setting).await?,
            ("cancel", _) => self.say(Look::Dim, "no turn is running")?,
            ("new", _) => self.open_new().await?,
            ("load", "") | ("sessions", _) => self.list().await?,
            ("load", id) => {
                let id = self.listed(id);
                self.open_again(&id).await?;
            }
            ("usage", _) => self.show_usage(session)?,
            _ if self.is_of_agent(name) => {
                let text = format!("/{name} {rest}").trim_end().to_owned();
                self.prompt(session, text).await?;
            }
            _ => self.refuse(name)?,
        }
        Ok(Next::Line)
    }

    pub(super) fn say(&mut self, look: Look, text: &str) -> Result<(), Halt> {
        Ok(self.run.screen.line(look, text)?)
    }

    fn is_of_agent(&self, name: &str) -> bool {
        self.known.words.lock().commands.iter().any(|(known, _)| known == name)
    }

    fn help(&mut self) -> Result<(), Halt> {
        let of_agent = self.known.words.lock().commands.clone();
        for (name, about) in BUILT_IN {
            self.say(Look::Plain, &format!("/{name:<14}{about}"))?;
        }
        if !of_agent.is_empty() {
            self.say(Look::Bold, "commands of the agent")?;
        }
        for (name, about) in &of_agent {
            let name = label(name, ABOUT);
            self.say(Look::Plain, &format!("/{name:<14}{}", label(about, ABOUT)))?;
        }
        self.say(Look::Bold, "keys")?;
        KEYS.iter().try_for_each(|key| self.say(Look::Plain, key))
    }

    fn refuse(&mut self, name: &str) -> Result<(), Halt> {
        let of_agent = self.known.words.lock().commands.clone();
        let names = BUILT_IN.iter().map(|(name, _)| *name);
        let names = names.chain(of_agent.iter().map(|(name, _)| name.as_str()));
        let near = nearest(name, names).map(|near| format!(": did you mean `/{near}`?")).unwrap_or_default();
        let text = format!("there is no command `/{name}`{near} (`/help` lists them; `//` begins a text)");
        self.say(Look::Yellow, &text)
    }

    fn show_modes(&mut self, session: &Session) -> Result<(), Halt> {
        let now = self.known.current_mode(session);
        let modes = modes(session);
        if modes.is_empty() {
            return self.say(Look::Dim, "the session has no modes");
        }
        for (id, name) in modes {
            let sign = if now.as_ref() == Some(&id) { "*" } else { " " };
            let (id, name) = (label(&id, ABOUT), label(&name, ABOUT));
            self.say(Look::Plain, &format!("{sign} {id:<14} {name}"))?;
        }
        Ok(())
    }

    async fn switch(&mut self, session: &Session, mode: &str) -> Result<(), Halt> {
        let modes = modes(session);
        let by_name = || modes.iter().find(|(_, name)| name.to_lowercase() == mode.to_lowercase());
        let id = match modes.iter().find(|(id, _)| id == mode).or_else(by_name) {
            Some((id, _)) => id.clone(),
            None => mode.to_owned(),
        };
        let set = self.run.attend(set_mode(session, &id), None).await?;
        set.map_err(|error: Error| Halt::Failed(error.into()))?;
        self.known.mode = Some(id.into());
        Ok(())
    }

    fn show_config(&mut self, session: &Session) -> Result<(), Halt> {
        let options = session.config_options();
        if options.is_empty() {
            return self.say(Look::Dim, "the session has no config options");
        }
        for option in options.iter() {
            let now = current(option).unwrap_or_default();
            let values = values(option).join(", ");
            let text = format!("{}={}  ({}: {values})", option.id.as_str(), now, option.name);
            self.say(Look::Plain, &text)?;
        }
        Ok(())
    }

    async fn configure(&mut self, session: &Session, setting: &str) -> Result<(), Halt> {
        let Some((name, value)) = setting.split_once('=') else {
            let text = format!("`/config {setting}`: it must be NAME=VALUE");
            return self.say(Look::Yellow, &text);
        };
        let set = set_config(session, "/config", name.trim(), value.trim());
        let set = self.run.attend(set, None).await?;
        set.map_err(Halt::Failed)?;
        let options = session.config_options();
        let option = options.iter().find(|option| option.id.as_str() == name.trim());
        let now = option.and_then(current).unwrap_or_default();
        self.say(Look::Dim, &format!("{}={now}", name.trim()))
    }

    /// Lists the newest sessions with numbers, for `/load`.
    async fn list(&mut self) -> Result<(), Halt> {
        let mut sessions = self.agent.list_sessions();
        let listed = async {
            let mut listed = Vec::new();
            while listed.len() < SESSIONS {
                match sessions.next().await {
                    Some(Ok(session)) => listed.push(session),
                    Some(Err(error)) => return Err(Failure::from(error)),
                    None => break,
                }
            }
            Ok(listed)
        };
        let listed = self.run.attend(listed, None).await?.map_err(Halt::Failed)?;
        if listed.is_empty() {
            self.say(Look::Dim, "the agent has no sessions")?;
        }
        for (number, session) in listed.iter().enumerate() {
            self.say(Look::Plain, &format!("{:>3}  {}", number + 1, row(session)))?;
        }
        let ids = listed.iter().map(|session| session.session_id.as_str().to_owned()).collect();
        self.known.words.lock().sessions = ids;
        Ok(())
    }

    /// Returns the id of a session, which may be given by its number in the list.
    fn listed(&self, given: &str) -> String {
        let words = self.known.words.lock();
        if words.sessions.iter().any(|id| id == given) {
            return given.to_owned();
        }
        let number = given.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let listed = number.and_then(|number| words.sessions.get(number));
        listed.cloned().unwrap_or_else(|| given.to_owned())
    }

    fn show_usage(&mut self, session: &Session) -> Result<(), Halt> {
        let sums = session.usage();
        match &self.known.usage {
            Some(update) => self.run.screen.line(Look::Plain, &usage(update))?,
            None => self.run.screen.line(Look::Dim, "the agent has not reported its context")?,
        }
        let tokens = [("input", sums.session.input_tokens), ("output", sums.session.output_tokens)];
        for (name, count) in tokens {
            if count > 0 {
                self.say(Look::Plain, &format!("{name} tokens: {count}"))?;
            }
        }
        Ok(())
    }

    /// Shows the reason why a command was not done.
    pub(super) fn complain(&mut self, failure: &Failure) -> Result<(), Halt> {
        let text = failure.to_string();
        text.lines().try_for_each(|text| self.say(Look::Red, &line(text)))
    }
}
