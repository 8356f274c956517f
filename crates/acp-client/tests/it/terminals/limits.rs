//! Limits of commands: output, number and time.

use std::time::Duration;

use acp_client::LocalTerminals;
use serde_json::{Value, json};

use super::{Place, code};

#[tokio::test]
async fn the_newest_output_is_kept_in_whole_characters() {
    let mut place = Place::with(LocalTerminals::new().max_output_bytes(7)).await;
    for (limit, printed, expected, truncated) in [
        (json!(0), "abc", "", true),
        (json!(0), "", "", false),
        (json!(1), "aä", "", true),
        (json!(2), "aä", "ä", true),
        (json!(3), "aä", "aä", false),
        (json!(3), "文c", "c", true),
        (json!(4), "文c", "文c", false),
        // The host has a limit, too.
        (json!(100), "abä文c", "bä文c", true),
        (Value::Null, "abä文c", "bä文c", true),
    ] {
        let params = json!({"command": "printf", "args": ["%s", printed], "outputByteLimit": limit});
        let output = place.run(params).await;
        assert_eq!(
            (&output["output"], &output["truncated"]),
            (&json!(expected), &json!(truncated)),
            "{printed}"
        );
    }
}

#[tokio::test]
async fn a_flood_is_held_in_bounds() {
    #[cfg(target_os = "linux")]
    if !crate::common::alone::is_alone("terminals::limits::a_flood_is_held_in_bounds") {
        return;
    }
    const LIMIT: usize = 100_000;
    let mut place = Place::new().await;
    let line = "yes 'a line of ten' | head -c 256000000; echo; echo done";
    let params = json!({"command": "sh", "args": ["-c", line], "outputByteLimit": LIMIT});
    let output = place.run(params).await;
    let text = output["output"].as_str().expect("text");
    assert_eq!((text.len(), &output["truncated"]), (LIMIT, &json!(true)));
    assert!(text.ends_with("\ndone\n"));
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("and this in it");
        let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
        assert!(kilobytes < 100_000, "{kilobytes} kB");
    }
}

#[tokio::test]
async fn no_more_than_so_many_at_a_time() {
    let mut place = Place::with(LocalTerminals::new().max_terminals(2)).await;
    let (first, _second) = (place.start("true").await, place.start("sleep 1000").await);
    place.of("terminal/wait_for_exit", &first).await;
    // It has ended, and still is there.
    let refused = place.create(json!({"command": "true"})).await;
    assert_eq!(code(&refused, "command"), -32602);
    assert!(refused["error"]["message"].as_str().expect("text").contains("release"), "{refused}");
    place.of("terminal/release", &first).await;
    // The slot is free once everything is cleared away.
    while place.create(json!({"command": "true"})).await.get("error").is_some() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn no_longer_than_so_long() {
    let mut place = Place::with(LocalTerminals::new().max_time(Duration::from_millis(20))).await;
    let output = place.shell("sleep 1000").await;
    assert_eq!(output["exitStatus"], json!({"signal": "SIGTERM"}));
}
