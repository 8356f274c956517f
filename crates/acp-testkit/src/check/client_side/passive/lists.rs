//! The list of sessions, page by page, and sessions that are taken up from it.

use std::collections::HashMap;

use serde_json::Value;

use super::{Conversation, Findings};
use crate::check::passive::updates::is_absolute;

/// Judges the list. `takes_up` is the method that takes up a session of it.
pub(in crate::check::client_side) fn judge(
    conversation: &Conversation<'_>,
    takes_up: &str,
    f: &mut Findings,
) {
    let mut cursors: Vec<Value> = Vec::new();
    let mut folders: HashMap<String, Value> = HashMap::new();
    let mut ended = None;
    for (request, answer) in conversation.asked() {
        let params = request.params();
        match request.method() {
            "session/list" => {
                if let Some(cwd) = params["cwd"].as_str() {
                    for rule in ["v1-list-03", "v1-rpc-24"] {
                        f.check(rule, is_absolute(cwd), request.line, || {
                            "the `cwd` that the list is filtered by is not absolute".to_owned()
                        });
                    }
                }
                page(params, request.line, &cursors, ended, f);
                let result = &answer.json["result"];
                let next = &result["nextCursor"];
                ended = next.is_null().then_some(answer.line);
                cursors.push(next.clone());
                for entry in result["sessions"].as_array().into_iter().flatten() {
                    if let Some(id) = entry["sessionId"].as_str() {
                        folders.insert(id.to_owned(), entry["cwd"].clone());
                    }
                }
            }
            method if method == takes_up => {
                let listed = request.session().and_then(|session| folders.get(session));
                if let Some(cwd) = listed.filter(|cwd| cwd.is_string()) {
                    f.check("v1-load-07", is_same(cwd, &params["cwd"]), request.line, || {
                        "`cwd` is not the one that the list has for the session".to_owned()
                    });
                }
            }
            _ => {}
        }
    }
}

/// Returns true if two paths name one folder.
fn is_same(one: &Value, other: &Value) -> bool {
    let real = |path: &Value| path.as_str().and_then(|path| std::fs::canonicalize(path).ok());
    one == other || real(one).is_some_and(|folder| Some(folder) == real(other))
}

fn page(params: &Value, line: usize, cursors: &[Value], ended: Option<usize>, f: &mut Findings) {
    let cursor = &params["cursor"];
    if cursor.is_null() {
        return;
    }
    f.check("v1-list-05", cursors.contains(cursor), line, || {
        "the cursor is not one that the agent has given".to_owned()
    });
    let lines = || ended.into_iter().chain([line]).collect();
    f.check_lines("v1-list-04", ended.is_none(), lines, || {
        "the client asks for a page behind the last one".to_owned()
    });
}
