//! Byte budgets from end to end.

use acp_proxy::{Conductor, Pass, Policy, Proxy, Toward};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use super::common::{End, PIPE, end, serve};
use super::forwarding::initialized;

const BUDGET: usize = 100_000;
const LINE: usize = 10_000;

/// Sends updates until the chain takes no more, and returns how many bytes it took.
async fn fill(sender: &mut End, method: &str) -> usize {
    let params = json!({"sessionId": "s", "text": "x".repeat(LINE - 100)});
    let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
    fill_with(sender, |_| message.clone()).await * LINE
}

/// Sends messages until the chain takes no more, and returns how many it took.
async fn fill_with(sender: &mut End, message: impl Fn(usize) -> Value) -> usize {
    let taken = AtomicUsize::new(0);
    let flood = async {
        loop {
            sender.send(message(taken.load(Ordering::Relaxed))).await;
            taken.fetch_add(1, Ordering::Relaxed);
        }
    };
    tokio::pin!(flood);
    // On one thread every other task has had its turns when nothing was taken for so long.
    let (mut before, mut quiet) = (0, 0);
    std::future::poll_fn(|cx| {
        assert!(flood.as_mut().poll(cx).is_pending());
        let now = taken.load(Ordering::Relaxed);
        quiet = if now == before { quiet + 1 } else { 0 };
        before = now;
        if quiet > 2000 {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
    before
}

/// A client that does not read holds up the agent: the chain keeps no more than its budgets.
#[tokio::test]
async fn a_deaf_client_holds_up_the_agent() {
    for proxies in [0, 1, 3] {
        let (transport, mut agent) = end();
        let mut conductor = Conductor::new().budget(BUDGET);
        for _ in 0..proxies {
            conductor = conductor.proxy(Proxy::new("p"));
        }
        let (mut client, _serving) = serve(conductor.agent(transport));
        initialized(&mut client, &mut agent).await;
        let taken = fill(&mut agent, "session/update").await;
        // The pipes on both sides, the buffer of the reader, and what was taken out of the budget.
        assert!(taken <= 2 * BUDGET + 4 * PIPE + 2 * LINE, "{taken} bytes with {proxies} proxies");
        assert!(taken >= BUDGET, "{taken}");
        // It has lost nothing.
        for _ in 0..taken / LINE {
            assert_eq!(client.value().await["method"], "session/update");
        }
    }
}

/// A client that asks and asks and reads no answer is read no more, whoever answers.
#[tokio::test]
async fn a_client_that_reads_no_answer_is_not_read() {
    const SMALL: usize = 1000;
    let refused = |id| json!({"jsonrpc": "2.0", "id": id, "method": "_no", "params": {}});
    let misplaced = |id| json!({"jsonrpc": "2.0", "id": id, "method": "proxy/initialize"});
    for message in [&refused as &dyn Fn(usize) -> Value, &misplaced] {
        let (transport, mut agent) = end();
        let proxy = Proxy::new("p").refuse(Toward::Agent, "_no");
        let (mut client, _serving) = serve(Conductor::new().budget(SMALL).proxy(proxy).agent(transport));
        initialized(&mut client, &mut agent).await;
        let taken = fill_with(&mut client, message).await;
        // An answer and a request have at least 50 bytes.
        assert!(taken * 50 <= 8 * SMALL + 4 * PIPE + LINE, "{taken}");
        for _ in 0..taken {
            client.value().await;
        }
        agent.notify("_n", json!({})).await;
        while client.value().await["method"] != "_n" {}
    }
}

/// An agent that does not read holds up the client in the same way.
#[tokio::test]
async fn a_deaf_agent_holds_up_the_client() {
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().budget(BUDGET).agent(transport));
    initialized(&mut client, &mut agent).await;
    let taken = fill(&mut client, "_n").await;
    assert!((BUDGET..=2 * BUDGET + 4 * PIPE + 2 * LINE).contains(&taken), "{taken}");
}

/// A handler that does not go on holds up its sender, too.
#[tokio::test]
async fn a_slow_handler_holds_up_the_agent() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let open = Arc::clone(&gate);
    let proxy = Proxy::new("p").raw_notification(Toward::Client, "session/update", move |_, pass: Pass| {
        let open = Arc::clone(&open);
        async move {
            let _ = open.acquire().await;
            pass.run();
        }
    });
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().budget(BUDGET).proxy(proxy).agent(transport));
    initialized(&mut client, &mut agent).await;
    let taken = fill(&mut agent, "session/update").await;
    assert!((BUDGET..=2 * BUDGET + 4 * PIPE + 2 * LINE).contains(&taken), "{taken}");
    gate.close();
    for _ in 0..taken / LINE {
        assert_eq!(client.value().await["method"], "session/update");
    }
}

/// A handler that holds its message and waits for an answer behind more than four budgets of its
/// own session's messages is told so. It goes on, and nothing is lost.
#[tokio::test]
async fn a_handler_that_waits_behind_too_much_is_told() {
    const LINES: usize = 6 * BUDGET / LINE;
    let proxy = Proxy::new("p").raw_notification(Toward::Client, "session/update", async |_, pass: Pass| {
        let error = pass.neighbor(Toward::Agent).request("_own", &json!({})).await.unwrap_err();
        assert_eq!((&*error.method, error.bytes), ("_own", 4 * BUDGET));
        pass.run();
    });
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().budget(BUDGET).proxy(proxy).agent(transport));
    initialized(&mut client, &mut agent).await;
    agent.notify("session/update", json!({"sessionId": "s"})).await;
    let (id, _) = agent.request("_own").await;
    let _sending = tokio::spawn(async move {
        for _ in 0..LINES {
            agent.notify("_n", json!({"sessionId": "s", "text": "x".repeat(LINE)})).await;
        }
        // The answer stands behind them: it comes too late.
        agent.answer(&id, json!(1)).await;
        agent
    });
    assert_eq!(client.value().await["method"], "session/update");
    for _ in 0..LINES {
        assert_eq!(client.value().await["method"], "_n");
    }
}

/// Proxies that send each other many times the budget at once do not wait for each other.
#[tokio::test]
async fn floods_in_both_directions_pass() {
    const LINES: usize = 200;
    let inner = || {
        let (here, there) = acp_rpc::Transport::duplex();
        tokio::spawn(Conductor::new().budget(BUDGET).proxy(Proxy::new("p")).serve(there));
        here
    };
    let (transport, mut agent) = end();
    let conductor = Conductor::new().budget(BUDGET).process(inner(), Policy::Required);
    let conductor = conductor.process(inner(), Policy::Required).process(inner(), Policy::Required);
    let (mut client, _serving) = serve(conductor.agent(transport));
    initialized(&mut client, &mut agent).await;
    let mut readers = Vec::new();
    let mut writers = Vec::new();
    for side in [client, agent] {
        let (mut reader, mut writer) = side.split();
        writers.push(tokio::spawn(async move {
            let line = json!({"jsonrpc": "2.0", "method": "_n", "params": {"text": "x".repeat(LINE)}});
            for _ in 0..LINES {
                writer.send(&line).await;
            }
            writer
        }));
        readers.push(tokio::spawn(async move {
            for _ in 0..LINES {
                assert_eq!(reader.value().await["method"], "_n");
            }
        }));
    }
    for reader in readers {
        reader.await.unwrap();
    }
    for writer in writers {
        writer.await.unwrap();
    }
}
