//! Scenes as a client sees them.

use std::future::{pending, ready};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use acp_client::v1::{
    ElicitationContentValue, RequestPermissionRequest, SessionConfigOptionCategory, StopReason,
};
use acp_client::{
    Agent, Elicitation, ElicitationAnswer, Entry, Error, Event, Map, PermissionAnswer, Result, Router,
    Session, Transcript, Transport, Turn, Updates, Value, op,
};
use serde_json::json;
use tokio::sync::Notify;

const CWD: &str = "/w";

/// A person who answers questions, or leaves them open.
#[derive(Default)]
struct Person {
    answer: Mutex<Option<PermissionAnswer>>,
    asked: Notify,
}

struct Desk(Arc<Person>);

impl Desk {
    async fn permission(&self, _: RequestPermissionRequest) -> Result<PermissionAnswer> {
        let answer = self.0.answer.lock().expect("is not poisoned").clone();
        match answer {
            Some(answer) => Ok(answer),
            None => {
                self.0.asked.notify_one();
                pending().await
            }
        }
    }
}

/// A client of version 1 and what it has seen.
pub(super) struct Client {
    pub(super) agent: Agent,
    person: Arc<Person>,
}

impl Client {
    pub(super) async fn connect(transport: Transport) -> Self {
        let person = Arc::new(Person::default());
        let desk = Router::new(Desk(Arc::clone(&person))).on::<op::RequestPermission, _>(Desk::permission);
        let form =
            Elicitation::new().form(async |form: acp_client::FormElicitation| match form.message.as_str() {
                "Who?" => {
                    let ada = ElicitationContentValue::String("Ada".into());
                    ElicitationAnswer::Accept(Map::from([("name", ada)]))
                }
                _ => ElicitationAnswer::Decline,
            });
        let agent = acp_client::connect(transport).info("plays", "1").client(desk).elicitation(form).await;
        Self { agent: agent.expect("the agent answers"), person }
    }

    fn answers(&self, answer: Option<PermissionAnswer>) {
        *self.person.answer.lock().expect("is not poisoned") = answer;
    }

    async fn open(&self) -> Session {
        self.agent.new_session(CWD).await.expect("it is opened")
    }

    /// Plays one scene in a session of its own, and returns what was seen.
    pub(super) async fn play(&self, scene: &str) -> Vec<String> {
        let session = self.open().await;
        let mut seen = Seen::default();
        match scene {
            "ask: allowed" | "ask: rejected" => {
                let is_allowed = scene.ends_with("allowed");
                let answer =
                    if is_allowed { PermissionAnswer::AllowOnce } else { PermissionAnswer::RejectOnce };
                self.answers(Some(answer));
                seen.turn(&session, "ask").await;
            }
            "cancel while asking" => {
                self.answers(None);
                let mut turn = session.prompt("ask").await.expect("it is sent");
                loop {
                    tokio::select! {
                        event = turn.next() => seen.event(event.expect("the turn runs")),
                        () = self.person.asked.notified() => break,
                    }
                }
                turn.cancel().expect("it is sent");
                seen.rest(turn).await;
            }
            "cancel" => {
                let turn = seen.until_text(&session, "wait").await;
                turn.cancel().expect("it is sent");
                seen.rest(turn).await;
            }
            "queue" => self.queue(&session, &mut seen, "say", false).await,
            "cancel while queued" => self.queue(&session, &mut seen, "wait", true).await,
            "close" => {
                let turn = seen.until_text(&session, "wait").await;
                let closed = session.close().await;
                seen.line(format!("closed: {closed:?}"));
                seen.rest(turn).await;
                let again = session.prompt("say").await.map(drop);
                seen.line(format!("is closed: {}", matches!(again, Err(Error::SessionClosed { .. }))));
            }
            "modes" => {
                seen.line(format!("{:?}", session.modes()));
                session.set_mode("do").await.expect("it is set");
                seen.turn(&session, "mode").await;
                let unknown = session.set_mode("fly").await.is_err();
                seen.line(format!("unknown mode is refused: {unknown}"));
            }
            "mode of the agent" => {
                seen.turn(&session, "switch").await;
                seen.turn(&session, "mode").await;
            }
            "options" => {
                seen.options(&session);
                session.set_config_option("pace", "fast").await.expect("it is set");
                seen.options(&session);
                seen.turn(&session, "pace").await;
            }
            "options of the agent" => {
                seen.turn(&session, "faster").await;
                seen.options(&session);
            }
            "list, load, resume" => self.again(&session, &mut seen).await,
            "background" => {
                seen.turn(&session, "background").await;
                let mut updates = session.updates();
                while !seen.lines.iter().any(|line| line.contains("Later")) {
                    seen.event(updates.next().await.expect("the title comes"));
                    seen.settle();
                }
                seen.lines.sort();
            }
            "login" => {
                seen.line(format!("{:?}", self.agent.auth_methods()));
                seen.line(format!("{:?}", self.agent.authenticate("key").await));
                seen.line(format!("{:?}", self.agent.authenticate("face").await.is_err()));
                seen.line(format!("{:?}", self.agent.logout().await));
            }
            "delete" => {
                seen.turn(&session, "say").await;
                seen.line(format!("{:?}", self.agent.delete_session(session.id().clone()).await));
                let again = self.agent.load_session(session.id().clone(), CWD).await;
                seen.line(format!(
                    "{:?}",
                    again.map(drop).map_err(|error| error.agent_error().map(|error| error.code))
                ));
            }
            scene => seen.turn(&session, scene).await,
        }
        seen.lines
    }

    /// Sends a second prompt while a turn runs.
    async fn queue(&self, session: &Session, seen: &mut Seen, first: &str, cancels: bool) {
        let turn = if cancels {
            seen.until_text(session, first).await
        } else {
            session.prompt(first).await.expect("it is sent")
        };
        let params =
            json!({"sessionId": session.id().as_str(), "prompt": [{"type": "text", "text": "thought"}]});
        let params: Value = serde_json::to_string(&params).expect("is JSON").parse().expect("is JSON");
        let mut second = pin!(self.agent.peer().request::<_, Value>("session/prompt", &params));
        tokio::select! {
            biased;
            early = &mut second => panic!("the first turn is not over: {early:?}"),
            // It is on its way.
            () = ready(()) => {}
        }
        if cancels {
            turn.cancel().expect("it is sent");
        }
        seen.rest(turn).await;
        let answer = second.await.expect("it is answered");
        seen.line(format!("second: {:?}", answer.get("stopReason").and_then(|reason| reason.as_str())));
        let mut updates = session.updates();
        while let Some(event) = at_once(&mut updates) {
            seen.event(event);
        }
        seen.settle();
    }

    /// Opens a session again.
    async fn again(&self, session: &Session, seen: &mut Seen) {
        seen.turn(session, "say").await;
        seen.turn(session, "tools").await;
        let mut list = self.agent.list_sessions();
        let mut is_listed = false;
        while let Some(listed) = list.next().await {
            let listed = listed.expect("the page is readable");
            is_listed |= listed.session_id == *session.id() && listed.cwd == CWD;
        }
        seen.line(format!("listed: {is_listed}"));
        seen.line(format!("closed: {:?}", session.close().await));
        let load = self.agent.load_session(session.id().clone(), CWD);
        let mut replay = load.replay().await.expect("it is sent");
        while let Some(event) = replay.next().await {
            seen.event(event);
        }
        let loaded = replay.finish().await.expect("it is loaded");
        seen.settle();
        seen.line(format!(
            "modes of the loaded one: {:?}",
            loaded.modes().map(|modes| &modes.current_mode_id)
        ));
        seen.turn(&loaded, "say").await;
        let resumed = self.agent.resume_session(session.id().clone(), CWD).await.expect("it is resumed");
        seen.turn(&resumed, "say").await;
        let unknown = self.agent.load_session("unknown", CWD).await.map(drop);
        seen.line(format!(
            "unknown: {:?}",
            unknown.map_err(|error| error.agent_error().map(|error| error.code))
        ));
    }
}

/// The transcript of a scene, without ids and states.
#[derive(Default)]
struct Seen {
    lines: Vec<String>,
    /// The conversation since the last line.
    transcript: Transcript,
}

impl Seen {
    fn line(&mut self, line: String) {
        self.settle();
        self.lines.push(line);
    }

    async fn turn(&mut self, session: &Session, scene: &str) {
        let turn = session.prompt(scene).await.expect("it is sent");
        self.rest(turn).await;
    }

    /// Prompts, and reads up to the first text.
    async fn until_text(&mut self, session: &Session, scene: &str) -> Turn {
        let mut turn = session.prompt(scene).await.expect("it is sent");
        loop {
            let event = turn.next().await.expect("the turn runs");
            let is_text = event.text().is_some();
            self.event(event);
            if is_text {
                return turn;
            }
        }
    }

    async fn rest(&mut self, mut turn: Turn) {
        while let Some(event) = turn.next().await {
            self.event(event);
        }
        let end = match turn.finish().await {
            Ok(done) => format!("end: {:?}", done.stop_reason()),
            Err(error) => match error.agent_error() {
                Some(error) => format!("error: {} {} {:?}", error.code, error.message, error.data),
                None => format!("failure: {error}"),
            },
        };
        self.line(end);
    }

    fn event(&mut self, event: Event) {
        match event {
            // It comes by itself after the opening, at any time.
            Event::Commands(commands)
                if commands.available_commands.iter().any(|command| command.name == "web") => {}
            Event::Commands(commands) => self.lines.push(format!("{:?}", commands.available_commands)),
            Event::Mode(mode) => self.lines.push(format!("mode {}", mode.current_mode_id)),
            Event::Config(update) => self.lines.push(format!("options {:?}", update.config_options)),
            Event::Info(info) => self.lines.push(format!("title {:?}", info.title)),
            Event::Usage(usage) => self.lines.push(format!("usage {} {}", usage.used, usage.size)),
            Event::Plan(plan) => self.lines.push(format!("{:?}", plan.entries)),
            event => {
                self.transcript.fold(event);
            }
        }
    }

    fn options(&mut self, session: &Session) {
        let is_pace = |category: &Option<SessionConfigOptionCategory>| {
            *category != Some(SessionConfigOptionCategory::Mode)
        };
        let options = session.config_options();
        let options: Vec<_> = options.iter().filter(|option| is_pace(&option.category)).collect();
        self.line(format!("{options:?}"));
    }

    /// Writes the conversation down.
    fn settle(&mut self) {
        let transcript = std::mem::take(&mut self.transcript);
        for (_, entry) in transcript.entries() {
            self.lines.push(match entry {
                Entry::Message(message) => format!("{}: {:?}", message.kind.as_str(), message.content),
                Entry::ToolCall(run) => {
                    let call = &run.call;
                    format!(
                        "tool: {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                        call.title,
                        call.kind,
                        call.status,
                        call.content,
                        call.locations,
                        call.raw_input,
                        call.raw_output
                    )
                }
                other => format!("{other:?}"),
            });
        }
    }
}

/// Returns an event that has come already.
fn at_once(updates: &mut Updates) -> Option<Event> {
    match pin!(updates.next()).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(event) => event,
        Poll::Pending => None,
    }
}

/// Returns true for a transcript that shows an ordinary end.
pub(super) fn is_done(seen: &[String]) -> bool {
    seen.last().is_some_and(|line| *line == format!("end: {:?}", Some(StopReason::EndTurn)))
}
