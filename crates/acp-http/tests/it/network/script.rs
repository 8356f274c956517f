//! A scripted session through a network, and the judgment of everything that came of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_client::{Error, PermissionAnswer, PermissionPolicy, Reconnect, ReconnectingAgent};
use acp_client::{ReconnectingSession, Restart};
use acp_http::{Remote, Undelivered};
use acp_testkit::Dice;
use tokio::time::sleep;

use super::agent::{Agents, piece};

/// The attempts for each step. A plan has fewer faults.
const ATTEMPTS: u64 = 25;

/// The end of a prompt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Outcome {
    Done,
    /// The agent may have done it.
    Unknown,
    NotDone,
}

/// The questions of the agents, each by the name of its prompt.
#[derive(Clone, Default)]
pub(super) struct Asked(Arc<Mutex<HashMap<String, usize>>>);

impl Asked {
    fn policy(&self) -> PermissionPolicy {
        let asked = self.clone();
        PermissionPolicy::ask(move |request| {
            let title = request.tool_call.title.unwrap_or_default();
            *asked.0.lock().unwrap().entry(title).or_default() += 1;
            std::future::ready(PermissionAnswer::AllowOnce)
        })
    }
}

/// The client of a script.
pub(super) struct Script {
    pub(super) agents: Agents,
    pub(super) dice: Dice,
    pub(super) asked: Asked,
    /// Nothing may fail, because nothing is lost.
    pub(super) is_sound: bool,
}

/// A conversation so far: each prompt and its outcome.
#[derive(Default)]
pub(super) struct Said(Vec<(String, usize, Outcome)>);

impl Said {
    pub(super) fn outcomes(&self) -> impl Iterator<Item = Outcome> {
        self.0.iter().map(|(_, _, outcome)| *outcome)
    }
}

impl Script {
    fn reach(&self, remote: &Remote) -> Reconnect {
        let (remote, asked) = (remote.clone(), self.asked.clone());
        acp_client::reconnecting(move || acp_client::connect(remote.clone()).permissions(asked.policy()))
            .restart(Restart::times(100))
    }

    /// Connects, in several attempts if it must.
    pub(super) async fn connect(&self, remote: &Remote) -> Result<ReconnectingAgent, String> {
        for attempt in 0..ATTEMPTS {
            match self.reach(remote).await {
                Ok(agent) => return Ok(agent),
                Err(error) => self.may_fail("connect", &error)?,
            }
            pause(attempt).await;
        }
        Err("it cannot connect".to_owned())
    }

    /// Opens a session and has a conversation in it.
    pub(super) async fn converse(
        &self,
        agent: &ReconnectingAgent,
        name: &str,
    ) -> Result<(ReconnectingSession, Said), String> {
        let session = self.open(agent).await?;
        let mut said = Said::default();
        for (place, word) in ["count", "ask", "wait", "count"].into_iter().enumerate() {
            self.turn(&session, word, &format!("{name}{place}"), &mut said).await?;
        }
        Ok((session, said))
    }

    async fn open(&self, agent: &ReconnectingAgent) -> Result<ReconnectingSession, String> {
        for attempt in 0..ATTEMPTS {
            match agent.new_session("/work").await {
                Ok(session) => return Ok(session),
                Err(error) => self.may_fail("session/new", &error)?,
            }
            pause(attempt).await;
        }
        Err("it cannot open a session".to_owned())
    }

    /// Prompts until a turn is complete. Each prompt has a name of its own.
    async fn turn(
        &self,
        session: &ReconnectingSession,
        word: &str,
        name: &str,
        said: &mut Said,
    ) -> Result<(), String> {
        for attempt in 0..ATTEMPTS {
            let name = format!("{name}-{attempt}");
            let count = 3 + self.dice.index(10);
            let outcome = self.prompt(session, word, &name, count).await?;
            let begun = self.agents.begun(&name);
            let is_right = match outcome {
                Outcome::Done => begun == 1,
                Outcome::Unknown => begun <= 1,
                Outcome::NotDone => begun == 0,
            };
            if !is_right {
                return Err(format!("{word} {name} is {outcome:?} and was begun {begun} times"));
            }
            let count = if word == "wait" { 2 } else { count };
            said.0.push((name, count, outcome));
            match outcome {
                Outcome::Done => return Ok(()),
                // It may still run.
                Outcome::Unknown => drop(session.cancel()),
                Outcome::NotDone => {}
            }
            pause(attempt).await;
        }
        Err(format!("{word} {name} is never done"))
    }

    async fn prompt(
        &self,
        session: &ReconnectingSession,
        word: &str,
        name: &str,
        count: usize,
    ) -> Result<Outcome, String> {
        let mut turn = match session.prompt(format!("{word} {count} {name}")).await {
            Ok(turn) => turn,
            Err(error) => return self.outcome(word, &error),
        };
        let mut text = String::new();
        while let Some(event) = turn.next().await {
            // A turn whose outcome was unknown may still be heard.
            let own = event.text().filter(|text| text.starts_with(&format!("{name}:")));
            if word == "wait" && own.is_some() && text.is_empty() {
                let _ = turn.cancel();
            }
            text.extend(own);
        }
        let whole: String = (0..if word == "wait" { 2 } else { count }).map(|at| piece(name, at)).collect();
        let ended = turn.finish().await;
        if !whole.starts_with(&text) {
            return Err(format!("{word} {count} {name}: {text}, {ended:?}"));
        }
        match ended {
            // A cancellation may come before the second piece.
            Ok(_) if text == whole || word == "wait" => Ok(Outcome::Done),
            Ok(response) => Err(format!("{word} {count} {name}: {text} and then {response:?}")),
            Err(error) => self.outcome(word, &error),
        }
    }

    /// Returns what an error says about a prompt.
    fn outcome(&self, word: &str, error: &Error) -> Result<Outcome, String> {
        self.may_fail(word, error)?;
        match error {
            Error::Closed { .. } | Error::CancelTimeout { .. } => Ok(Outcome::Unknown),
            Error::NotRestored { .. } | Error::Busy { .. } => Ok(Outcome::NotDone),
            Error::Agent { error: answer, .. } => match Undelivered::of(answer) {
                Some(Undelivered::OutcomeUnknown) => Ok(Outcome::Unknown),
                Some(_) => Ok(Outcome::NotDone),
                // The turn before it still runs. Its outcome was unknown.
                None if answer.code == -32600 => Ok(Outcome::NotDone),
                None => Err(format!("{word}: {error}")),
            },
            _ => Err(format!("{word}: {error}")),
        }
    }

    fn may_fail(&self, step: &str, error: &Error) -> Result<(), String> {
        match error {
            error if self.is_sound => Err(format!("{step}: {error}")),
            Error::GivenUp { .. } => Err(format!("{step}: {error}")),
            _ => Ok(()),
        }
    }

    /// Compares the stored conversation with the one that was had, by a connection without faults.
    pub(super) async fn check(&self, remote: &Remote, id: &str, said: &Said) -> Result<(), String> {
        let agent = acp_client::connect(remote.clone()).await.map_err(|error| error.to_string())?;
        let replay = agent.load_session(id.to_owned(), "/work").replay().await;
        let mut replay = replay.map_err(|error| error.to_string())?;
        let mut stored = String::new();
        while let Some(event) = replay.next().await {
            stored.extend(event.text());
        }
        replay.finish().await.map_err(|error| error.to_string())?;
        agent.close().await;
        for (name, count, outcome) in &said.0 {
            let pieces: Vec<String> = (0..*count).map(|number| piece(name, number)).collect();
            let times = |text: &str| stored.matches(text).count();
            if times(&pieces.concat()) == 0 && *outcome == Outcome::Done && *count > 2 {
                return Err(format!("{name} is done, and not stored: {stored}"));
            }
            if let Some(twice) = pieces.iter().find(|piece| times(piece) > 1) {
                return Err(format!("{twice} is stored twice: {stored}"));
            }
        }
        for (name, times) in self.asked.0.lock().unwrap().iter() {
            if *times > 1 {
                return Err(format!("permission for {name} was asked for {times} times"));
            }
        }
        Ok(())
    }
}

/// Waits before another attempt, on a clock that goes on by itself.
async fn pause(attempt: u64) {
    sleep(Duration::from_secs(attempt)).await;
}
