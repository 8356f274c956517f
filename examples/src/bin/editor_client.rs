//! A dry run: lets an agent work on the files of this folder, and shows what it would have written.
//! `editor_client "notes.txt: bread -> cake" -- editor_agent`

use std::collections::BTreeMap;
use std::io::{Write, stdout};
use std::sync::{Arc, Mutex, PoisonError};

use acp_client::sanitize::{line, text};
use acp_client::v1::{ReadTextFileRequest, ReadTextFileResponse, WriteTextFileRequest};
use acp_client::{Command, Context, Event, LocalFs, PermissionAnswer, Result, RpcError, client};

/// An editor that saves nothing.
struct DryRun {
    folder: LocalFs,
    written: Mutex<BTreeMap<String, String>>,
}

#[client]
impl DryRun {
    async fn update(&self, event: Event) {
        let mut out = stdout().lock();
        let _ = write!(out, "{}", text(event.text().unwrap_or_default())).and_then(|()| out.flush());
    }

    /// Nothing can be lost, so everything is allowed.
    async fn request_permission(&self) -> Result<PermissionAnswer> {
        Ok(PermissionAnswer::AllowOnce)
    }

    async fn read_text_file(
        &self,
        file: ReadTextFileRequest,
        context: Context,
    ) -> Result<ReadTextFileResponse, RpcError> {
        let Some(text) = self.written(|written| written.get(&file.path).cloned()) else {
            return self.folder.read_text_file(file, &context).await;
        };
        let (from, most) =
            (file.line.map_or(0, |line| line.saturating_sub(1)), file.limit.unwrap_or(u32::MAX));
        let lines = text.split_inclusive('\n').skip(from as usize).take(most as usize);
        Ok(ReadTextFileResponse::new(lines.collect::<String>()))
    }

    async fn write_text_file(&self, file: WriteTextFileRequest) -> Result<()> {
        self.written(|written| written.insert(file.path, file.content));
        Ok(())
    }
}

impl DryRun {
    fn written<T>(&self, work: impl FnOnce(&mut BTreeMap<String, String>) -> T) -> T {
        work(&mut self.written.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), examples::Failure> {
    let mut args = std::env::args().skip(1);
    let given = args.next().zip(args.nth(1));
    let (prompt, program) = given.ok_or("usage: editor_client PROMPT -- AGENT [ARGS…]")?;
    let cwd = std::env::current_dir()?;
    let editor = Arc::new(DryRun { folder: LocalFs::rooted(&cwd)?, written: Mutex::default() });
    let connect = examples::in_version(acp_client::spawn(Command::new(program).args(args)));
    let agent = connect.client(Arc::clone(&editor)).await?;
    agent.new_session(&cwd).await?.prompt(prompt).await?.finish().await?;
    agent.close().await;
    for (path, written) in editor.written(std::mem::take) {
        write!(stdout(), "\n--- {}\n{}", line(&path), text(&written))?;
    }
    Ok(())
}
