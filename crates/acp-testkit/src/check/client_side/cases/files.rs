//! Files that the client reads and writes for the agent.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v1-fs-03", "a read with a malformed `line`, and with `null`", strict),
    case!("v1-fs-04", "a file that does not exist is written", creates),
    case!("v1-fs-06", "a file that does not exist is read", missing),
    case!("v1-fs-08", "a file below the folder of another session is read", other_root),
    case!("v1-rpc-25", "the second line of a file is read", second_line),
];

const TEXT: &str = "one\ntwo\nthree\n";

/// Returns a path below the folder of the open session, which nobody else has.
async fn path(t: &mut Stage, name: &str) -> Step<PathBuf> {
    let session = t.turn().await?;
    let folder = t.agent.folder_of(&session).map(PathBuf::from);
    let folder = folder.ok_or_else(|| Stop::Inconclusive("the session has no folder".to_owned()))?;
    Ok(folder.join(format!("acp-check-{}-{name}.txt", std::process::id())))
}

/// Writes a file through the client and returns its path.
async fn written(t: &mut Stage, name: &str) -> Step<PathBuf> {
    t.needs("fs.writeTextFile").await?;
    let path = path(t, name).await?;
    t.files.push(path.clone());
    let reply = t.ask("fs/write_text_file", json!({"path": path, "content": TEXT})).await?;
    reply.result("the write of a new file").map(drop)?;
    Ok(path)
}

/// Reads a file through the client.
async fn read(t: &mut Stage, params: Value) -> Step<String> {
    let reply = t.ask("fs/read_text_file", params).await?;
    let result = reply.result("the read of a file that was written")?;
    Ok(result.get("content").and_then(Value::as_str).unwrap_or_default().to_owned())
}

async fn strict(t: &mut Stage) -> Step {
    t.needs("fs.readTextFile").await?;
    let path = path(t, "none").await?;
    for member in ["line", "limit"] {
        let reply = t.ask("fs/read_text_file", json!({"path": path, member: "1"})).await?;
        reply.refused(&[-32602], &format!("a read with a text as `{member}`"))?;
    }
    if t.needs("fs.writeTextFile").await.is_ok() {
        let path = written(t, "strict").await?;
        read(t, json!({"path": path, "line": null, "limit": null})).await?;
    }
    Ok(())
}

async fn creates(t: &mut Stage) -> Step {
    let path = written(t, "new").await?;
    let text = match t.needs("fs.readTextFile").await {
        Ok(()) => read(t, json!({"path": path})).await?,
        Err(_) => std::fs::read_to_string(&path).unwrap_or_default(),
    };
    if text == TEXT {
        Ok(())
    } else {
        Err(Stop::Fail("the file has another text than was written".to_owned()))
    }
}

async fn missing(t: &mut Stage) -> Step {
    t.needs("fs.readTextFile").await?;
    let path = path(t, "none").await?;
    let reply = t.ask("fs/read_text_file", json!({"path": path})).await?;
    reply.refused(&[-32002], "the read of a file that does not exist")
}

async fn second_line(t: &mut Stage) -> Step {
    t.needs("fs.readTextFile").await?;
    let path = written(t, "lines").await?;
    let text = read(t, json!({"path": path, "line": 2, "limit": 1})).await?;
    match text.trim_end() {
        "two" => Ok(()),
        "three" => Err(Stop::Fail("the lines of a file are counted from 0".to_owned())),
        _ => Err(Stop::Fail("the second line of a file is not what was read".to_owned())),
    }
}

async fn other_root(t: &mut Stage) -> Step {
    t.needs("fs.readTextFile").await?;
    t.needs("fs.writeTextFile").await?;
    let session = t.turn().await?;
    let folders = t.agent.folders.iter().map(|(id, folder)| (id.clone(), PathBuf::from(folder)));
    let (ours, others): (Vec<_>, Vec<_>) = folders.partition(|(id, _)| *id == session);
    let apart = |folder: &PathBuf| {
        ours.iter().all(|(_, ours)| !folder.starts_with(ours) && !ours.starts_with(folder))
    };
    let open = |id: &String| t.agent.sessions.contains(id);
    let Some((other, folder)) = others.into_iter().find(|(id, folder)| open(id) && apart(folder)) else {
        let reason = "the client has no other session with a folder of its own";
        return Err(Stop::NotApplicable(reason.to_owned()));
    };
    let path = folder.join(format!("acp-check-{}-other.txt", std::process::id()));
    t.files.push(path.clone());
    let params = json!({"sessionId": other, "path": path, "content": TEXT});
    let reply = t.call("fs/write_text_file", params).await?;
    reply.result("the write of a file of another session").map(drop)?;
    t.ask("fs/read_text_file", json!({"path": path})).await?.fails("the read of another session's file")
}
