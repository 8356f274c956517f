//! Options at their extremes: each value works, or is refused with an error that says so. No value
//! panics, and none makes anybody wait silently.
//!
//! `cargo test -p xtask` compares the names in these tables with the setters in the sources.

use std::time::Duration;

use acp_mcp::{Builder, CallOptions, McpError, StdioOptions, Timeouts};
use serde_json::json;

use super::scene::{Scene, status};

const TIMES: [Duration; 3] = [Duration::ZERO, Duration::from_nanos(1), Duration::MAX];
const WORKS: [&str; 3] = ["3"; 3];
const LEGACY: &str = "legacy 2025-11-25";

/// Returns the outcome of a call with progress, to a server that is connected with these settings.
async fn played(builder: Builder, scene: &Scene) -> String {
    let session = builder.connect_all(&[scene.server("real-legacy")]).await;
    let status = status(&session);
    let (told, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let options = CallOptions::new().on_progress(move |progress| told.send(progress).unwrap());
    let outcome = session.call_tool("real-legacy__count", json!({}), options).await;
    session.shutdown().await;
    match outcome {
        Ok(outcome) => {
            assert!(reports.try_recv().is_ok(), "its progress is told");
            assert_eq!(status, LEGACY);
            outcome.text()
        }
        Err(error) => format!("{status}; {error}"),
    }
}

pub async fn times_at_their_extremes() {
    let unknown = "no connected MCP server has a tool `real-legacy__count`";
    let no_time = |waiting_for: &str, time: &str| {
        format!("failed: the server did not answer `{waiting_for}` within {time}; {unknown}")
    };
    let over = |waiting_for| [no_time(waiting_for, "0ns"), no_time(waiting_for, "1ns"), "3".to_owned()];
    let works = || WORKS.map(str::to_owned);
    type Set = fn(Timeouts, Duration) -> Timeouts;
    let rows: [(&str, Set, [String; 3]); 8] = [
        ("Timeouts::probe", Timeouts::probe, works()),
        ("Timeouts::initialize", Timeouts::initialize, over("initialize")),
        ("Timeouts::connect", Timeouts::connect, over("connect")),
        // The answer may arrive before anybody looks at the time.
        ("Timeouts::request", Timeouts::request, [String::new(), String::new(), "3".to_owned()]),
        ("Timeouts::request_max", Timeouts::request_max, works()),
        ("Timeouts::authorization", Timeouts::authorization, works()),
        ("Timeouts::consent", Timeouts::consent, works()),
        ("Timeouts::shutdown", Timeouts::shutdown, works()),
    ];
    for (name, set, outcomes) in rows {
        for (time, outcome) in TIMES.into_iter().zip(outcomes) {
            let scene = Scene::new();
            let builder = scene.builder().timeouts(set(scene.timeouts.clone(), time));
            let played = played(builder, &scene).await;
            let is_open = outcome.is_empty() && (played == "3" || played.starts_with(LEGACY));
            // Timers count milliseconds, and a server may answer within one. `quirks_of_time` has
            // servers that never answer.
            let is_quick = time != Duration::MAX && played == "3";
            assert!(played == outcome || is_open || is_quick, "{name}({time:?}): {played}");
        }
    }
    // "CallOptions::timeout": of a call that is answered, and of one that is not.
    let scene = Scene::new();
    let session = scene.connect("real-legacy").await;
    session.tools().await;
    for time in TIMES {
        let options = CallOptions::new().timeout(time);
        let (tool, has_time) = if time == Duration::MAX { ("count", true) } else { ("wait", false) };
        let options = options.on_progress(|_| {});
        let outcome = session.call_tool(&format!("real-legacy__{tool}"), json!({}), options).await;
        match outcome {
            Ok(outcome) => assert!(has_time && outcome.text() == "3", "{time:?}"),
            Err(error) => assert_eq!(error, McpError::Timeout { waiting_for: "tools/call", waited: time }),
        }
    }
}

pub async fn sizes_at_their_extremes() {
    let too_many = "failed: nothing was sent: the limit of 0 MCP servers is reached";
    let too_long = "failed: ";
    type Set = fn(Builder, usize) -> Builder;
    let tail = |builder: Builder, bytes| {
        let mut options = StdioOptions::default();
        options.stderr_tail = bytes;
        builder.stdio(options)
    };
    let rows: [(&str, Set, [&str; 3]); 5] = [
        ("Builder::at_once", Builder::at_once, WORKS),
        ("Builder::most_servers", Builder::most_servers, [too_many, "3", "3"]),
        (
            "Builder::restarts",
            |builder, times| builder.restarts(u32::try_from(times).unwrap_or(u32::MAX)),
            WORKS,
        ),
        (
            "StdioOptions::line_limit",
            |builder, bytes| builder.stdio(StdioOptions::default().line_limit(bytes)),
            [too_long, too_long, "3"],
        ),
        ("StdioOptions::stderr_tail", tail, WORKS),
    ];
    for (name, set, outcomes) in rows {
        for (size, outcome) in [0, 1, usize::MAX].into_iter().zip(outcomes) {
            let scene = Scene::new();
            let played = played(set(scene.builder(), size), &scene).await;
            assert!(played.starts_with(outcome), "{name}({size}): {played}");
        }
    }
}
