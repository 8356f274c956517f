//! A journal that was written before records had versions.

use std::path::Path;
use std::sync::Arc;

use acp_agent::store::{Journal, SessionStore};
use serde_json::{Value, json};

use super::{Client, echo, is, replay};

const SESSION: &str = "sess_7bc825a011d966f92d7d86e4dab87a29";

#[tokio::test]
async fn a_journal_of_the_first_format_is_replayed_in_both_versions() {
    let folder = tempfile::tempdir().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/journal/files/first_format.journal");
    let copy = folder.path().join(format!("{SESSION}.journal"));
    std::fs::copy(&file, &copy).unwrap();
    let journal = Journal::at(folder.path()).on_damage(|damage| panic!("{damage}"));
    let store: Arc<dyn SessionStore> = Arc::new(journal);
    let agent = || echo(Arc::clone(&store));

    let text = std::fs::read_to_string(&file).unwrap();
    let updates: Vec<Value> = text
        .lines()
        .filter(|line| line[18..].starts_with("u "))
        .map(|line| serde_json::from_str(&line[20..]).unwrap())
        .collect();
    let of_agent = |replayed: Vec<Value>| -> Vec<Value> {
        replayed.into_iter().filter(|update| !is(update, "user_message_chunk")).collect()
    };
    assert_eq!(of_agent(replay(agent, 1, SESSION).await), updates);

    let replayed = replay(agent, 2, SESSION).await;
    let users: Vec<_> = replayed.iter().filter(|update| is(update, "user_message_chunk")).collect();
    let prompt = |text: &str, id: &str| json!({"sessionUpdate": "user_message_chunk", "messageId": id, "content": {"type": "text", "text": text}});
    assert_eq!(users, [&prompt("go", "prompt_1"), &prompt("again", "prompt_2")]);
    let shown = updates.iter().filter(|update| !is(update, "current_mode_update")).count();
    assert_eq!(of_agent(replayed.clone()).len(), shown);

    // It goes on in the other version, and what was written before stays as it was.
    let mut client = Client::connect(agent(), 2).await;
    client.replayed(SESSION).await;
    client.turn(SESSION, "more").await;
    client.close().await;
    assert!(std::fs::read_to_string(&copy).unwrap().starts_with(&text));
    assert_eq!(replay(agent, 2, SESSION).await[..replayed.len()], replayed);
    let all = of_agent(replay(agent, 1, SESSION).await);
    assert_eq!((&all[..updates.len()], &all[updates.len()]["content"]["text"]), (&*updates, &json!("more")));
}
