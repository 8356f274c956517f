//! The coding agent in the page of the inspector, in headless Chromium.

#[path = "../../../crates/acp-inspect/tests/it/browser/chromium.rs"]
mod chromium;

use std::process::Stdio;

use acp_inspect::{Driver, Inspector, Source, Store};
use acp_testkit::recordings::{Tape, TapeOptions};
use serde_json::json;
use tokio::process::Command;

use self::chromium::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_prompts_the_agent_allows_the_edit_and_sees_it() {
    let Some(mut browser) = Browser::start().await else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "milk\nbread\neggs\n").expect("it is written");
    let mut agent = Command::new(env!("CARGO_BIN_EXE_coding_agent"))
        .env_remove("OPENAI_BASE_URL")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it starts");
    let (input, output) = (agent.stdin.take().unwrap(), agent.stdout.take().unwrap());
    let store = Store::new().expect("a file");
    let driver = Driver::new(folder.path().to_owned());
    let inspector =
        Inspector::listen(([127, 0, 0, 1], 0).into(), store.clone(), Source::Live, "coding agent");
    let inspector = inspector.await.expect("a port").driven_by(&driver);
    let address = inspector.url();
    tokio::spawn(inspector.serve());
    tokio::spawn(async move {
        let tape = Tape::start_into(store.sink(), TapeOptions::default().redaction(None)).expect("a thread");
        driver.run(&tape, output, input).await
    });

    browser.size(1000, 700);
    browser.scheme("dark");
    browser.call("Page.navigate", json!({"url": address}));
    browser.until("document.getElementById('count')?.textContent === '2'");
    browser.click("#new-session");
    browser.until("document.querySelector('#session-list [aria-current]')");
    browser.click("#prompt");
    browser.enter("replace bread with cake in notes.txt");
    browser.press("Enter");
    browser.until("document.querySelector('#asks [data-kind=allow_once]')");
    // The question comes with the edit that it is about.
    browser.until("document.querySelector('#transcript figure [data-mark=left]')?.textContent === '−bread'");
    assert!(std::fs::read_to_string(&file).unwrap().contains("bread"), "nothing is done before the answer");
    browser.click("#asks [data-kind=allow_once]");
    browser.until("document.querySelector('#transcript [data-kind=end]')");
    assert_eq!(browser.text("#transcript [data-kind=tool] .badge"), "completed");
    browser.until("document.querySelector('#transcript figure [data-mark=right]')?.textContent === '+cake'");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "milk\ncake\neggs\n");
    // What was said is in the other views, too.
    browser.click("#tab-timeline");
    browser.click("#method");
    browser.enter("session/request_permission");
    browser.until("document.querySelectorAll('#rows .row').length === 2");
    browser.is_clean();
}
