//! `acp call`: one request to an agent.

use acp_client::v1::{ErrorCode, SessionId};
use acp_client::{Agent, CallError, Connect, Error, Session, Value};
use tokio::io::AsyncReadExt;

use crate::args::call::{CallArgs, SessionChoice};
use crate::args::connection::ConnectionArgs;
use crate::commands::start::{folder, with_agent};
use crate::outcome::{Failure, exit, tell};
use crate::output::Output;
use crate::render::advice::advised;
use crate::render::inert::inert;
use crate::schema::{Call, Kind};

/// The most bytes of params on stdin.
const MOST: u64 = 64 * 1024 * 1024;

/// Sends the call, shows the answer and returns the exit code.
pub(crate) async fn run(args: CallArgs) -> Result<u8, Failure> {
    let text = if args.params == "-" { stdin().await? } else { args.params.clone() };
    let params: serde_json::Value = match serde_json::from_str(&text) {
        Ok(params @ serde_json::Value::Object(_)) => params,
        Ok(_) => return Ok(refuse(&["the params must be a JSON object".to_owned()])),
        Err(error) => return Ok(refuse(&[format!("the params are not JSON: {error}")])),
    };
    let (args, verbose) = (&args, args.verbose);
    let prepare = |connect: Connect| {
        connect.on_update(move |update| async move {
            if verbose {
                tell(&inert(&serde_json::to_string(&update).unwrap_or_default()));
            }
        })
    };
    with_agent(&args.connection, prepare, async |agent: &Agent, output: &mut Output| {
        call(agent, args, params, output).await
    })
    .await
}

async fn call(
    agent: &Agent,
    args: &CallArgs,
    mut params: serde_json::Value,
    output: &mut Output,
) -> Result<u8, Failure> {
    // What cannot be sent needs no session.
    let known = match (Call::find(agent.protocol_version(), &args.method), args.is_raw) {
        (Ok(known), _) => known,
        (Err(_), true) => Call::unknown(),
        (Err(problem), false) => return Ok(refuse(&[problem])),
    };
    let needs_session = !matches!(args.session, SessionChoice::None);
    if needs_session && params.get("sessionId").is_none() {
        set_session(&mut params, "");
    }
    if !args.is_raw {
        let faults = known.faults(&params);
        if !faults.is_empty() {
            let faults = faults.iter().map(|fault| format!("the params of `{}`: {fault}", args.method));
            return Ok(refuse(&faults.collect::<Vec<_>>()));
        }
    }
    // The session stays open until the answer is there.
    let session = match &args.session {
        SessionChoice::None => None,
        SessionChoice::New => Some(agent.new_session(folder(&args.connection)?).await?),
        SessionChoice::Earlier(id) => Some(take_up(agent, id, &args.connection).await?),
    };
    if let Some(session) = &session {
        set_session(&mut params, session.id());
    }
    if known.kind == Kind::Notification {
        agent.peer().notify(&args.method, &params).await.map_err(|error| failed(args, &error))?;
        return Ok(exit::DONE);
    }
    match agent.peer().request::<_, Value>(&args.method, &params).await {
        Ok(result) => {
            let shown = inert(&serde_json::to_string_pretty(&result)?);
            output.add(&mut format!("{shown}\n").into_bytes());
            output.flush().await?;
            Ok(exit::DONE)
        }
        Err(CallError::Remote(error)) => {
            let shown = inert(&serde_json::to_string(&error)?);
            tell(&format!("acp: the agent answered `{}` with an error: {shown}", args.method));
            Ok(exit::REFUSED)
        }
        Err(error) => Err(failed(args, &error)),
    }
}

fn failed(args: &CallArgs, error: &CallError) -> Failure {
    format!("`{}` has no answer: {error}", args.method).into()
}

fn set_session(params: &mut serde_json::Value, id: impl AsRef<str>) {
    if let Some(members) = params.as_object_mut() {
        members.insert("sessionId".to_owned(), id.as_ref().into());
    }
}

/// Takes a session up again, by resuming it if the agent can do that.
async fn take_up(agent: &Agent, id: &str, args: &ConnectionArgs) -> Result<Session, Failure> {
    let (id, cwd) = (SessionId::from(id), folder(args)?);
    let offered = agent.capabilities();
    if offered.session_capabilities.resume.is_some() {
        match agent.resume_session(id.clone(), &cwd).await {
            // Some agents announce it and do not know the method.
            Err(Error::Agent { error, .. })
                if offered.load_session && error.code == ErrorCode::METHOD_NOT_FOUND.0 => {}
            resumed => return resumed.map_err(advised),
        }
    }
    agent.load_session(id, &cwd).await.map_err(advised)
}

/// Reports a call that was not sent.
fn refuse(problems: &[String]) -> u8 {
    problems.iter().for_each(|problem| tell(&format!("acp: {problem}")));
    exit::USAGE
}

async fn stdin() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let count = tokio::io::stdin().take(MOST + 1).read_to_end(&mut bytes).await?;
    if count as u64 > MOST {
        return Err(format!("the params on stdin have more than {MOST} bytes").into());
    }
    String::from_utf8(bytes).map_err(|_| "the params on stdin are not UTF-8".into())
}
