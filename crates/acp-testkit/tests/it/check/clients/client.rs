//! Correct clients: one that does everything, and one that does the least.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acp_client::types::{AuthMethod, ContentBlock, McpServer};
use acp_client::{
    Agent, Connect, Elicitation, ElicitationAnswer, LocalFs, LocalTerminals, PermissionAnswer,
    PermissionPolicy, Session,
};
use acp_json::{FromNode, from_str, to_string};
use acp_testkit::check::Version;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::starts::Starts;

/// The client that a mutant is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// It does everything but run commands.
    Full,
    /// It only prompts.
    Plain,
    /// It prompts in a session that the agent has stored, and sets nothing.
    Taker,
    /// Its user takes time to answer.
    Patient,
    /// It runs commands.
    #[cfg_attr(not(unix), allow(dead_code, reason = "the commands are for a Unix shell"))]
    Machine,
    /// It does everything, and has a bad habit.
    With(Habit),
}

/// Bad habits that no filter of lines could make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Habit {
    /// Ends the agent before it has closed its stdin.
    Kills,
    /// Starts a login without its arguments.
    NoWords,
    /// Takes a login that has failed for one that has not.
    Careless,
    /// Does not connect again after a login.
    Idle,
}

pub(super) type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

fn read<T: FromNode>(json: &Value) -> T {
    from_str(&json.to_string()).unwrap()
}

/// A client's surroundings: its folder, its prompt, and the wish to cancel.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) version: Version,
    pub(super) base: Base,
    pub(super) folder: PathBuf,
    pub(super) prompt: String,
    pub(super) cancel: Arc<Notify>,
}

impl Place {
    fn habit(&self, habit: Habit) -> bool {
        self.base == Base::With(habit)
    }

    fn connect(&self, connect: Connect) -> Connect {
        #[cfg(feature = "v2")]
        let connect = match self.version {
            Version::V2 => connect.versions([acp_client::ProtocolVersion::V2]),
            _ => connect,
        };
        let allow = PermissionPolicy::allow_once();
        match self.base {
            Base::Plain | Base::Taker => connect.permissions(allow),
            Base::Patient => connect.permissions(PermissionPolicy::ask(|_| async {
                std::future::pending::<PermissionAnswer>().await
            })),
            Base::Machine => connect.permissions(allow).terminals(LocalTerminals::new()),
            Base::Full | Base::With(_) => connect
                .permissions(allow)
                .fs(LocalFs::session_roots())
                .elicitation(Elicitation::new().form(|form| async move {
                    let mut values = form.defaults();
                    values.insert("name", "Ada".to_owned().into());
                    match form.check(&values) {
                        Ok(()) => ElicitationAnswer::Accept(values),
                        Err(_) => ElicitationAnswer::Decline,
                    }
                }))
                .terminal_logins(),
        }
    }
}

/// Runs a client to its end.
pub(super) async fn run(place: Place, starts: Starts) -> Outcome {
    loop {
        let agent = place.connect(acp_client::connect(starts.agent())).info("full", "1").await?;
        match work(&agent, &place).await {
            Err(error) if needs_login(error.as_ref()) => {
                if !log_in(&agent, &place, &starts).await? {
                    return Ok(());
                }
            }
            ended => return ended,
        }
        agent.close().await;
    }
}

fn needs_login(error: &(dyn Error + Send + Sync + 'static)) -> bool {
    error.downcast_ref::<acp_client::Error>().is_some_and(acp_client::Error::is_auth_required)
}

/// Logs in by a program. Returns true if the client is to connect again.
async fn log_in(agent: &Agent, place: &Place, starts: &Starts) -> Outcome<bool> {
    let terminal = |method: &AuthMethod| {
        let json: Value = serde_json::from_str(&to_string(method)).unwrap();
        (json["type"] == "terminal").then_some(json)
    };
    let Some(method) = agent.auth_methods().iter().find_map(terminal) else { return Ok(false) };
    let words = method["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let words = if place.habit(Habit::NoWords) {
        vec!["login".to_owned()]
    } else {
        words.map(str::to_owned).collect()
    };
    let code = starts.login(words, method["env"]["ACP_CHECK_LOGIN"].as_str().map(str::to_owned)).await?;
    let succeeded = code == 0 || place.habit(Habit::Careless);
    Ok(succeeded && !place.habit(Habit::Idle))
}

async fn work(agent: &Agent, place: &Place) -> Outcome {
    let (session, _other) = match place.base {
        Base::Full | Base::With(_) => {
            let (session, other) = everything(agent, place).await?;
            (session, Some(other))
        }
        Base::Taker if agent.capabilities().load_session => {
            (agent.load_session("acp-check-stored", &place.folder).await?, None)
        }
        _ => (agent.new_session(&place.folder).await?, None),
    };
    prompt(agent, &session, place).await?;
    if agent.capabilities().session_capabilities.close.is_some() {
        session.close().await?;
    }
    if agent.capabilities().auth.logout.is_some() {
        agent.logout().await?;
    }
    agent.close().await;
    Ok(())
}

/// Opens two sessions, and does before what the agent offers.
async fn everything(agent: &Agent, place: &Place) -> Outcome<(Session, Session)> {
    let offered = &agent.capabilities().session_capabilities;
    let folder = place.folder.join("a");
    if offered.list.is_some() {
        let mut sessions = agent.list_sessions().cwd(&place.folder);
        while let Some(session) = sessions.next().await {
            drop(session?);
        }
    }
    if agent.capabilities().load_session {
        let stored = log_in_for(agent, agent.load_session("acp-check-stored", &place.folder).await).await?;
        let stored = match stored {
            Some(stored) => stored,
            None => agent.load_session("acp-check-stored", &place.folder).await?,
        };
        if offered.close.is_some() {
            stored.close().await?;
        }
    }
    if offered.resume.is_some() {
        // Version 2 says that a session has a directory of its own.
        let own = if place.version == Version::V1 { &folder } else { &place.folder };
        drop(agent.resume_session("acp-check-stored-2", own).await?);
    }
    let mut opening = agent.new_session(&folder);
    if offered.additional_directories.is_some() {
        opening = opening.directory(place.folder.join("c"));
    }
    for server in servers(agent, place.version) {
        opening = opening.mcp_server(server);
    }
    let session = match log_in_for(agent, opening.await).await? {
        Some(session) => session,
        None => agent.new_session(&folder).await?,
    };
    let other = agent.new_session(place.folder.join("b")).await?;
    settings(&session).await?;
    // An agent that does not know it refuses it.
    let _ = agent.ext_request::<bool>("_acme/notes", &()).await;
    Ok((session, other))
}

/// Logs in by `authenticate` if that is what a refused session needs. `None` means that the session
/// is to be opened again.
async fn log_in_for(
    agent: &Agent,
    opened: Result<Session, acp_client::Error>,
) -> Result<Option<Session>, acp_client::Error> {
    match opened {
        Err(error) if error.is_auth_required() => {
            let methods = agent.auth_methods().iter();
            let Some(AuthMethod::Agent(method)) =
                methods.into_iter().find(|method| matches!(method, AuthMethod::Agent(_)))
            else {
                return Err(error);
            };
            agent.authenticate(method.id.clone()).await?;
            Ok(None)
        }
        opened => opened.map(Some),
    }
}

fn servers(agent: &Agent, version: Version) -> Vec<McpServer> {
    let offered = &agent.capabilities().mcp_capabilities;
    let mut servers = vec![json!({"name": "one", "command": "/bin/one", "args": [], "env": []})];
    // The agents of the checker offer both kinds in version 2, or none.
    if version != Version::V1 && !offered.http {
        servers.clear();
    }
    for (kind, is_offered) in [("http", offered.http), ("sse", offered.sse)] {
        if is_offered {
            servers.push(json!({"type": kind, "name": kind, "url": "https://example.com/", "headers": []}));
        }
    }
    servers.iter().map(read).collect()
}

/// Sets a mode, or an option in its place.
async fn settings(session: &Session) -> Outcome {
    let options: Vec<Value> = session
        .config_options()
        .iter()
        .map(|option| serde_json::from_str(&to_string(option)).unwrap())
        .collect();
    let has_mode = options.iter().any(|option| option["category"] == "mode");
    if session.modes().is_some() && !has_mode {
        session.set_mode("do").await?;
    }
    if options.iter().any(|option| option["id"] == "pace") {
        session.set_config_option("pace", "fast").await?;
    }
    if options.iter().any(|option| option["id"] == "on") {
        session.set_config_option("on", true).await?;
    }
    Ok(())
}

async fn prompt(agent: &Agent, session: &Session, place: &Place) -> Outcome {
    let offered = &agent.capabilities().prompt_capabilities;
    let mut blocks = vec![json!({"type": "text", "text": place.prompt})];
    if matches!(place.base, Base::Full | Base::With(_)) {
        blocks.push(json!({"type": "resource_link", "uri": "file:///a", "name": "a", "size": 3}));
        if offered.image {
            blocks.push(json!({"type": "image", "data": "aGk=", "mimeType": "image/png"}));
        }
        if offered.audio {
            blocks.push(json!({"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}));
        }
        if offered.embedded_context {
            blocks.push(json!({"type": "resource", "resource": {"uri": "file:///a", "text": "hi"}}));
        }
    }
    let blocks: Vec<ContentBlock> = blocks.iter().map(read).collect();
    let mut turn = session.prompt(blocks).await?;
    loop {
        tokio::select! {
            event = turn.next() => if event.is_none() { break },
            () = place.cancel.notified() => session.cancel()?,
        }
    }
    turn.finish().await?;
    Ok(())
}

/// Makes the folders that a client needs.
pub(super) fn folders(folder: &Path) {
    for name in ["a", "b", "c"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
}
