//! Terminals, plans, states, and the session as a whole.

use acp_client::{Event, TerminalChange};
use serde_json::{Value, json};

use super::{check, check_table, events, update};

#[tokio::test]
async fn terminals_are_shown_as_their_bytes() {
    let terminal = |members: Value| {
        let mut update = update("terminal_update", members);
        update["terminalId"] = json!("t");
        update
    };
    let chunk = |data: &str| update("terminal_output_chunk", json!({"terminalId": "t", "data": data}));
    let sent = [
        terminal(
            json!({"command": "ls", "cwd": "/work", "output": {"data": "YQ=="}, "size": {"cols": 80, "rows": 24}}),
        ),
        chunk("w6k="),
        // A character in two pieces, each encoded by itself.
        chunk("ww=="),
        chunk("qQ=="),
        terminal(json!({"output": null, "cwd": null, "exitStatus": {}})),
        terminal(json!({"exitStatus": {"exitCode": -1, "signal": "SIGKILL"}, "_meta": {"k": 1}})),
    ];
    sent.iter().for_each(check);
    let (events, faults) = events(&sent).await;
    assert_eq!(faults, 0);
    let changes: Vec<_> = events
        .iter()
        .map(|event| match event {
            Event::Terminal { id, change, .. } if id.as_str() == "t" => &**change,
            other => panic!("{other:?}"),
        })
        .collect();
    let [
        TerminalChange::Updated(first),
        TerminalChange::Output { bytes, .. },
        TerminalChange::Output { bytes: begin, .. },
        TerminalChange::Output { bytes: end, .. },
        TerminalChange::Updated(cleared),
        TerminalChange::Updated(ended),
    ] = changes.as_slice()
    else {
        panic!("{changes:?}")
    };
    assert_eq!(first.command.value().map(String::as_str), Some("ls"));
    assert_eq!(first.cwd.value().map(String::as_str), Some("/work"));
    assert_eq!(first.output.value().map(Vec::as_slice), Some(&b"a"[..]));
    assert_eq!(first.size.value().map(|size| (size.cols, size.rows)), Some((80, 24)));
    assert!(first.exit.is_absent() && first.meta.is_absent());
    assert_eq!([bytes.as_slice(), begin.as_slice(), end.as_slice()], ["é".as_bytes(), &[0xc3], &[0xa9]]);
    assert!(cleared.output == acp_client::Maybe::Null && cleared.cwd == acp_client::Maybe::Null);
    assert!(cleared.command.is_absent() && cleared.size.is_absent());
    assert_eq!(cleared.exit.value().map(|exit| (exit.code, exit.signal.as_deref())), Some((None, None)));
    assert_eq!(
        ended.exit.value().map(|exit| (exit.code, exit.signal.as_deref())),
        Some((Some(-1), Some("SIGKILL")))
    );
    assert!(ended.meta.value().is_some());
}

#[tokio::test]
async fn plans_are_told_apart_by_their_ids() {
    let entry = |status: &str| json!({"content": "look", "priority": "_top", "status": status});
    let plan = |id: &str, entries: Value| {
        update("plan_update", json!({"plan": {"type": "items", "planId": id, "entries": entries}}))
    };
    let other = |id: &str| update("plan_update", json!({"plan": {"type": "_tree", "planId": id, "root": 1}}));
    let steps = json!([entry("cancelled"), entry("_own")]);
    let rows = vec![
        (
            "one",
            vec![plan("p", steps.clone()), plan("p", json!([]))],
            vec![json!({"Plan": {"entries": steps}}), json!({"Plan": {"entries": []}})],
        ),
        (
            "several",
            vec![plan("p", json!([])), plan("q", steps.clone()), plan("p", steps.clone()), other("q")],
            vec![
                json!({"Plan": {"entries": []}}),
                json!({"NamedPlan": ["q", {"entries": steps}]}),
                json!({"Plan": {"entries": steps}}),
                json!({"NamedPlan": ["q", "_tree", {"root": 1}]}),
            ],
        ),
        (
            "other content takes the place of steps",
            vec![plan("p", steps.clone()), other("p"), plan("p", steps.clone())],
            vec![
                json!({"Plan": {"entries": steps}}),
                json!({"Plan": {"entries": []}}),
                json!({"NamedPlan": ["p", "_tree", {"root": 1}]}),
                json!({"Plan": {"entries": steps}}),
                json!({"PlanRemoved": "p"}),
            ],
        ),
    ];
    check_table(rows, true).await;
    let malformed = json!([{"content": 1}, entry("pending"), 5]);
    let wanted = json!({"Plan": {"entries": [entry("pending")]}});
    check_table(vec![("one by one", vec![plan("p", malformed)], vec![wanted])], false).await;
}

#[cfg(feature = "unstable")]
#[tokio::test]
async fn plans_of_the_unstable_schema_are_named() {
    let plan = |plan: Value| update("plan_update", json!({"plan": plan}));
    let removed = |id: &str| update("plan_removed", json!({"planId": id}));
    let steps = plan(json!({"type": "items", "planId": "p", "entries": []}));
    let rows = vec![(
        "files and text",
        vec![
            steps.clone(),
            plan(json!({"type": "markdown", "planId": "q", "content": "# A"})),
            plan(json!({"type": "file", "planId": "r", "uri": "file:///plan.md"})),
            removed("q"),
            removed("p"),
        ],
        vec![
            json!({"Plan": {"entries": []}}),
            json!({"NamedPlan": ["q", "markdown", {"content": "# A"}]}),
            json!({"NamedPlan": ["r", "file", {"uri": "file:///plan.md"}]}),
            json!({"PlanRemoved": "q"}),
            json!({"Plan": {"entries": []}}),
        ],
    )];
    check_table(rows, true).await;
}

#[tokio::test]
async fn what_concerns_the_session_is_patched() {
    let usage = |members: Value| {
        let mut update = update("usage_update", members);
        update["used"] = json!(1);
        update["size"] = json!(9);
        update
    };
    let cost = json!({"amount": 1.5, "currency": "USD"});
    let rows = vec![
        (
            "a cost",
            vec![usage(json!({"cost": cost}))],
            vec![json!({"Usage": {"used": 1, "size": 9, "cost": cost}})],
        ),
        ("no cost", vec![usage(json!({}))], vec![json!({"Usage": {"used": 1, "size": 9}})]),
        (
            "a cost that is gone",
            vec![usage(json!({"cost": null}))],
            vec![json!({"Usage": {"used": 1, "size": 9}}), json!({"Cleared": "Cost"})],
        ),
        (
            "a title",
            vec![update("session_info_update", json!({"title": null, "_meta": {"k": 1}}))],
            vec![json!({"Info": {"title": null, "_meta": {"k": 1}}})],
        ),
        (
            "no data of extensions",
            vec![update("session_info_update", json!({"_meta": null}))],
            vec![json!({"Info": {}}), json!({"Cleared": "SessionMeta"})],
        ),
    ];
    check_table(rows, true).await;
}

#[tokio::test]
async fn states_have_the_work_in_the_background() {
    let state = |members: Value| update("state_update", members);
    let background = json!([{"type": "terminal", "terminalId": "t"}, {"type": "tool_call", "toolCallId": "c"}, {"type": "_job", "n": 1}]);
    let running = state(json!({"state": "running", "background": background}));
    check(&running);
    let malformed =
        state(json!({"state": "running", "background": [{"type": "terminal"}, {"type": "_job"}]}));
    let table = [
        (running, Some(3)),
        (state(json!({"state": "requires_action", "background": []})), Some(0)),
        (state(json!({"state": "idle"})), None),
        // One that is malformed may hide any work, so that none is reported.
        (malformed, None),
        (state(json!({"state": "_dreams", "background": background})), None),
    ];
    for (sent, wanted) in table {
        let (events, _) = events(std::slice::from_ref(&sent)).await;
        let [Event::State(state)] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(state.background.as_ref().map(Vec::len), wanted, "{sent}");
    }
}

#[tokio::test]
async fn unknown_kinds_are_kept_and_malformed_known_ones_refused() {
    let kept = update("_own", json!({"x": [1, {"y": null}], "_meta": {"k": 1}}));
    let wanted = json!({"Unknown": ["_own", {"x": [1, {"y": null}], "_meta": {"k": 1}}]});
    check_table(vec![("unknown", vec![kept], vec![wanted])], true).await;
    let refused = [
        update("agent_message", json!({"content": []})),
        update("tool_call_update", json!({"title": "Work"})),
        update("tool_call_content_chunk", json!({"toolCallId": "c"})),
        update("terminal_update", json!({"command": "ls"})),
        update("terminal_output_chunk", json!({"terminalId": "t", "data": "no base64"})),
        update("terminal_output_chunk", json!({"terminalId": "t"})),
        update("plan_update", json!({"plan": {"type": "items", "entries": []}})),
        update("plan_update", json!({"plan": {"type": "items", "planId": "p", "entries": null}})),
        update("plan_update", json!({"plan": {"type": "_tree"}})),
        update("config_option_update", json!({"configOptions": null})),
    ];
    for sent in refused {
        let (events, faults) = events(std::slice::from_ref(&sent)).await;
        assert_eq!((events.len(), faults), (0, 1), "{sent}: {events:?}");
    }
}
