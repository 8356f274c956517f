//! Counts the messages of a session, also over restarts of the process.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CloseSessionRequest, CloseSessionResponse, ContentBlock, ContentChunk,
    DeleteSessionRequest, DeleteSessionResponse, Implementation, InitializeRequest, InitializeResponse,
    ListSessionsRequest, ListSessionsResponse, LoadSessionRequest, LoadSessionResponse, NewSessionRequest,
    NewSessionResponse, PromptRequest, PromptResponse, ResumeSessionRequest, ResumeSessionResponse,
    SessionCapabilities, SessionCloseCapabilities, SessionDeleteCapabilities, SessionId, SessionInfo,
    SessionListCapabilities, SessionNotification, SessionResumeCapabilities, SessionUpdate, StopReason,
    TextContent,
};
use agent_client_protocol::{Agent, Client, Error, ErrorCode, Result, Stdio, on_receive_request};
use serde::{Deserialize, Serialize};
use serde_json::json;

const PAGE: usize = 50;

/// A line of a session's file.
#[derive(Serialize, Deserialize)]
enum Record {
    Cwd(PathBuf),
    Prompt(Vec<ContentBlock>),
    Update(Box<SessionUpdate>),
}

/// A session that is open here, and locked against other processes.
struct Session {
    file: File,
    prompts: usize,
}

#[derive(Clone)]
struct Counter {
    folder: PathBuf,
    open: Arc<Mutex<HashMap<SessionId, Session>>>,
}

impl Counter {
    fn new() -> Result<Self> {
        let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
        let state = state.or_else(|| Some(std::env::home_dir()?.join(".local/state")));
        let folder = state.ok_or_else(|| Error::internal_error().data("set HOME"))?.join("counter/sessions");
        std::fs::create_dir_all(&folder).map_err(Error::into_internal_error)?;
        Ok(Counter { folder, open: Arc::default() })
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the file of a session. Ids come from the client, and must not lead out of the
    /// folder.
    fn path(&self, id: &SessionId) -> Result<PathBuf> {
        if id.0.is_empty() || !id.0.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return Err(unknown(id));
        }
        Ok(self.folder.join(format!("{id}.ndjson")))
    }

    fn create(&self, cwd: &Path) -> Result<SessionId> {
        check_absolute(cwd)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(Error::into_internal_error)?;
        let id = SessionId::new(format!("{:x}-{:x}", now.as_nanos(), std::process::id()));
        let file = OpenOptions::new().read(true).append(true).create_new(true).open(self.path(&id)?);
        let mut file = file.map_err(Error::into_internal_error)?;
        file.lock().map_err(Error::into_internal_error)?;
        append(&mut file, &Record::Cwd(cwd.to_owned()))?;
        file.sync_data().map_err(Error::into_internal_error)?;
        // The name of the file has to survive as well.
        let folder = File::open(&self.folder).and_then(|folder| folder.sync_all());
        folder.map_err(Error::into_internal_error)?;
        self.sessions().insert(id.clone(), Session { file, prompts: 0 });
        Ok(id)
    }

    /// Opens a stored session, and returns its records.
    fn reopen(&self, id: &SessionId, cwd: &Path) -> Result<Vec<Record>> {
        check_absolute(cwd)?;
        let path = self.path(id)?;
        let mut sessions = self.sessions();
        // A session that is open here already is opened anew.
        sessions.remove(id);
        let file = OpenOptions::new().read(true).append(true).open(&path).map_err(|_| unknown(id))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::invalid_request().data("the session is open elsewhere"));
            }
            Err(TryLockError::Error(error)) => return Err(Error::into_internal_error(error)),
        }
        let (records, whole) = read(&file)?;
        // A crash may have left half a record. The next one must not be appended to it.
        file.set_len(whole).map_err(Error::into_internal_error)?;
        if !matches!(records.first(), Some(Record::Cwd(known)) if known == cwd) {
            return Err(Error::invalid_params().data("`cwd`: the session has another working directory"));
        }
        let prompts = records.iter().filter(|record| matches!(record, Record::Prompt(_))).count();
        sessions.insert(id.clone(), Session { file, prompts });
        Ok(records)
    }

    fn load(
        &self,
        request: &LoadSessionRequest,
        client: &ConnectionTo<Client>,
    ) -> Result<LoadSessionResponse> {
        let send =
            |update| client.send_notification(SessionNotification::new(request.session_id.clone(), update));
        for record in self.reopen(&request.session_id, &request.cwd)? {
            match record {
                Record::Cwd(_) => {}
                Record::Prompt(blocks) => {
                    for block in blocks {
                        send(SessionUpdate::UserMessageChunk(ContentChunk::new(block)))?;
                    }
                }
                Record::Update(update) => send(*update)?,
            }
        }
        Ok(LoadSessionResponse::new())
    }

    fn list(&self, request: &ListSessionsRequest) -> Result<ListSessionsResponse> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.folder).map_err(Error::into_internal_error)?.flatten() {
            let path = entry.path();
            let Some(id) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            let Ok(file) = File::open(&path) else { continue };
            let Ok(changed) = file.metadata().and_then(|metadata| metadata.modified()) else { continue };
            let (records, _) = read(&file)?;
            let mut records = records.into_iter();
            let Some(Record::Cwd(cwd)) = records.next() else { continue };
            if request.cwd.as_ref().is_none_or(|wanted| *wanted == cwd) {
                let updated = jiff::Timestamp::try_from(changed).ok().map(|time| time.to_string());
                let title = records.find_map(|record| title(&record));
                found.push((changed, SessionInfo::new(id.to_owned(), cwd).title(title).updated_at(updated)));
            }
        }
        found.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
        let mut found: Vec<_> = found.into_iter().map(|(_, info)| info).collect();
        if let Some(cursor) = &request.cursor {
            let last = found.iter().position(|info| *info.session_id.0 == **cursor);
            let last = last.ok_or_else(|| Error::invalid_params().data("`cursor`: not from this list"))?;
            found.drain(..=last);
        }
        let more = found.len() > PAGE;
        found.truncate(PAGE);
        let next = found.last().filter(|_| more).map(|info| info.session_id.to_string());
        Ok(ListSessionsResponse::new(found).next_cursor(next))
    }

    fn close(&self, id: &SessionId) -> Result<CloseSessionResponse> {
        self.sessions().remove(id).map(|_| CloseSessionResponse::new()).ok_or_else(|| unknown(id))
    }

    fn delete(&self, id: &SessionId) -> Result<DeleteSessionResponse> {
        let mut sessions = self.sessions();
        // A session that does not exist has nothing to delete.
        let Ok(path) = self.path(id) else { return Ok(DeleteSessionResponse::new()) };
        if !sessions.contains_key(id)
            && File::open(&path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
        {
            return Err(Error::invalid_request().data("the session is open elsewhere"));
        }
        sessions.remove(id);
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::into_internal_error(error))
            }
            _ => Ok(DeleteSessionResponse::new()),
        }
    }

    fn prompt(&self, request: PromptRequest, client: &ConnectionTo<Client>) -> Result<PromptResponse> {
        let id = request.session_id;
        let mut sessions = self.sessions();
        let session = sessions.get_mut(&id).ok_or_else(|| unknown(&id))?;
        for block in &request.prompt {
            if !matches!(block, ContentBlock::Text(_) | ContentBlock::ResourceLink(_)) {
                return Err(Error::invalid_params().data("`prompt`: only text and links are taken"));
            }
        }
        append(&mut session.file, &Record::Prompt(request.prompt))?;
        session.prompts += 1;
        let text = TextContent::new(format!("This is message {}.", session.prompts));
        let update = SessionUpdate::AgentMessageChunk(ContentChunk::new(ContentBlock::Text(text)));
        append(&mut session.file, &Record::Update(Box::new(update.clone())))?;
        client.send_notification(SessionNotification::new(id, update))?;
        // An answered prompt survives a loss of power, too.
        session.file.sync_data().map_err(Error::into_internal_error)?;
        Ok(PromptResponse::new(StopReason::EndTurn))
    }
}

fn unknown(id: &SessionId) -> Error {
    Error::new(ErrorCode::RESOURCE_NOT_FOUND, "no such session").data(json!({ "sessionId": id }))
}

fn check_absolute(cwd: &Path) -> Result<()> {
    if cwd.is_absolute() {
        return Ok(());
    }
    Err(Error::invalid_params().data("`cwd`: expected an absolute path"))
}

/// Returns the title of a session that starts with this record.
fn title(record: &Record) -> Option<String> {
    let Record::Prompt(blocks) = record else { return None };
    blocks.iter().find_map(|block| match block {
        ContentBlock::Text(text) => text.text.lines().next().map(|line| line.chars().take(80).collect()),
        _ => None,
    })
}

fn append(file: &mut File, record: &Record) -> Result<()> {
    let mut line = serde_json::to_vec(record).map_err(Error::into_internal_error)?;
    line.push(b'\n');
    file.write_all(&line).map_err(Error::into_internal_error)
}

/// Returns the records of a file without the damaged ones, and the length of the whole part.
fn read(mut file: &File) -> Result<(Vec<Record>, u64)> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(Error::into_internal_error)?;
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    bytes.truncate(whole);
    let lines = bytes.split(|&byte| byte == b'\n');
    Ok((lines.filter_map(|line| serde_json::from_slice(line).ok()).collect(), whole as u64))
}

fn initialize() -> InitializeResponse {
    let sessions = SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .close(SessionCloseCapabilities::new())
        .delete(SessionDeleteCapabilities::new());
    InitializeResponse::new(ProtocolVersion::V1)
        .agent_info(Implementation::new("counter", "1.0.0"))
        .agent_capabilities(AgentCapabilities::new().load_session(true).session_capabilities(sessions))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let counter = Counter::new()?;
    let (for_new, for_load, for_resume) = (counter.clone(), counter.clone(), counter.clone());
    let (for_list, for_close, for_delete) = (counter.clone(), counter.clone(), counter.clone());
    Agent
        .v1()
        .name("counter")
        .on_receive_request(
            async move |_: InitializeRequest, responder, _client| responder.respond(initialize()),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, _client| {
                responder.respond_with_result(for_new.create(&request.cwd).map(NewSessionResponse::new))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoadSessionRequest, responder, client: ConnectionTo<Client>| {
                responder.respond_with_result(for_load.load(&request, &client))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ResumeSessionRequest, responder, _client| {
                let opened = for_resume.reopen(&request.session_id, &request.cwd);
                responder.respond_with_result(opened.map(|_| ResumeSessionResponse::new()))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ListSessionsRequest, responder, _client| {
                responder.respond_with_result(for_list.list(&request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CloseSessionRequest, responder, _client| {
                responder.respond_with_result(for_close.close(&request.session_id))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: DeleteSessionRequest, responder, _client| {
                responder.respond_with_result(for_delete.delete(&request.session_id))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                responder.respond_with_result(counter.prompt(request, &client))
            },
            on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await
}
