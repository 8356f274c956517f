//! The points that a client comes to by itself, and the way there.

use super::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;

/// A point that a client comes to by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Point {
    Initialized,
    Session,
    Prompt,
    Cancel,
}

impl Point {
    const fn of(self) -> &'static str {
        match self {
            Point::Initialized => "an `initialize`",
            Point::Session => "a request that opens a session",
            Point::Prompt => "a `session/prompt`",
            Point::Cancel => "a `session/cancel`",
        }
    }
}

impl Stage {
    fn is_at(&self, point: Point) -> bool {
        match point {
            Point::Initialized => self.agent.initialized,
            Point::Session => !self.agent.sessions.is_empty(),
            Point::Prompt => self.agent.prompt.is_some(),
            Point::Cancel => false,
        }
    }

    /// Notes that an ordinary start does not come to a point.
    pub(super) fn note_unreached(&mut self, point: Point, reason: String) {
        self.unreached.insert(point, reason);
    }

    /// Returns the reason of the first start if the client has not sent `initialize` at any.
    pub(super) fn never_greets(&self) -> Option<&str> {
        if self.greets { None } else { self.unreached.get(&Point::Initialized).map(String::as_str) }
    }

    /// Waits until the client comes to a point by itself.
    pub(super) async fn reach(&mut self, point: Point) -> Step {
        if let Some(reason) = self.unreached.get(&point) {
            return Err(Stop::Inconclusive(format!("the client does not send {}: {reason}", point.of())));
        }
        while !self.is_at(point) {
            let message = self.next(point.of()).await?;
            if point == Point::Cancel && message.method() == Some("session/cancel") {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Goes on with an agent that does not offer everything. A client that wants more may give up.
    pub(super) async fn ready_with_less(&mut self) -> Step {
        match self.ready().await {
            Err(Stop::Gone(_)) if self.wants_more => {
                let reason = "the client gives up: it may have been told to use what this agent lacks";
                Err(Stop::Inconclusive(reason.to_owned()))
            }
            ended => ended,
        }
    }

    /// Returns true if an ordinary start comes to a point.
    pub(super) fn comes_to(&self, point: Point) -> bool {
        !self.unreached.contains_key(&point)
    }

    /// Waits for a prompt, which stays open. Returns its session.
    pub(super) async fn turn(&mut self) -> Step<String> {
        self.reach(Point::Prompt).await?;
        let prompt = self.agent.prompt.as_ref();
        let session = prompt.and_then(|prompt| prompt.params().get("sessionId")?.as_str());
        Ok(session.unwrap_or_default().to_owned())
    }
}
