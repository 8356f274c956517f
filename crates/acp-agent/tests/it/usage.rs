//! Tokens and costs that add up, and limits that end a turn.

use std::sync::Arc;

use acp_agent::types::UsageUpdate;
use acp_agent::{
    Error, Limit, Result, Router, Serve, Session, SessionUpdates, Spent, StopReason, Turn, TurnLimits, op,
};
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::support::{Wire, check_error};

/// Does what the words of the prompt say.
async fn prompt(_: &(), turn: Turn, session: Session<()>) -> Result<StopReason> {
    let (text, mut turn) = (turn.text(), turn);
    for word in text.split(' ') {
        let (verb, value) = word.split_once(':').unwrap();
        match verb {
            "context" => turn.report_usage(UsageUpdate::new(value.parse::<u64>().unwrap(), 100_u64)).await?,
            "tokens" => turn.spend(&Spent::tokens(value.parse().unwrap(), 0)).await?,
            "limit" => turn = turn.limits(TurnLimits::new().cost(value.parse().unwrap(), "USD")),
            "last" => turn.uncancelled().say(value).await?,
            "swallow" => {
                assert!(matches!(turn.spend(&cost(value, "USD")).await, Err(Error::LimitReached { .. })));
                // No verb works any more, apart from last words.
                assert!(matches!(turn.say("more").await, Err(Error::LimitReached { .. })));
                turn.uncancelled().say("last").await?;
                return Ok(StopReason::Refusal);
            }
            "sums" => {
                let (of_turn, usage) = (turn.usage(), session.usage());
                assert_eq!(of_turn, usage.turn);
                assert_eq!(usage, turn.session_updates().usage());
                let sums = [of_turn, usage.session].map(|spent| (spent.total_tokens, spent.cost_in("USD")));
                turn.say(format!("{sums:?}")).await?;
            }
            currency => turn.spend(&cost(value, currency)).await?,
        }
    }
    Ok(StopReason::EndTurn)
}

fn cost(amount: &str, currency: &str) -> Spent {
    let mut spent = Spent::default();
    spent.costs.insert(currency.to_owned(), amount.parse().unwrap());
    spent
}

fn spender() -> Router<()> {
    Router::new("spender", "1", ()).on::<op::Prompt, _>(prompt)
}

fn usage(used: u64, cost: Option<(f64, &str)>) -> Value {
    let mut update = json!({"sessionUpdate": "usage_update", "used": used, "size": 100});
    if let Some((amount, currency)) = cost {
        update["cost"] = json!({"amount": amount, "currency": currency});
    }
    update
}

#[tokio::test]
async fn costs_are_reported_as_sums_of_the_session() {
    let (usd, eur) = (|amount| Some((amount, "USD")), |amount| Some((amount, "EUR")));
    // Each session: its turns, and the updates of each.
    let sessions: [&[(&str, Vec<Value>)]; 7] = [
        // An update needs the size of the context, so costs wait for it.
        &[("USD:0.5", vec![]), ("context:7", vec![usage(7, usd(0.5))])],
        &[
            ("context:7 USD:0.25 USD:0.25", vec![usage(7, None), usage(7, usd(0.25)), usage(7, usd(0.5))]),
            ("USD:1 context:9", vec![usage(7, usd(1.5)), usage(9, usd(1.5))]),
        ],
        // Tokens have no update.
        &[("context:7 tokens:5", vec![usage(7, None)])],
        // Each currency has its own sum.
        &[("USD:1 EUR:2 context:3", vec![usage(3, eur(2.0)), usage(3, usd(1.0))])],
        // These are not costs.
        &[("context:1 USD:1 USD:NaN", vec![usage(1, None), usage(1, usd(1.0)), usage(1, usd(1.0))])],
        &[("context:1 USD:-1 USD:inf", vec![usage(1, None), usage(1, None), usage(1, None)])],
        // A sum stops at the largest number, which is JSON.
        &[("USD:1.7976931348623157e308 USD:1e308 context:1", vec![usage(1, usd(f64::MAX))])],
    ];
    for turns in sessions {
        let (mut wire, session) = Wire::open(spender(), json!({})).await;
        for (text, expected) in turns {
            let (updates, answer) = wire.turn(&session, text).await;
            assert_eq!(&updates, expected, "{text} {answer}");
        }
    }
}

#[tokio::test]
async fn turn_and_session_have_their_sums() {
    let table = [
        ("sums:", "[(0, 0.0), (0, 0.0)]"),
        ("USD:0.5 tokens:10 USD:0.25 tokens:5 sums:", "[(15, 0.75), (15, 0.75)]"),
        ("sums:", "[(0, 0.0), (15, 0.75)]"),
        (
            "tokens:18446744073709551615 tokens:2 sums:",
            "[(18446744073709551600, 0.0), (18446744073709551615, 0.75)]",
        ),
    ];
    let (mut wire, session) = Wire::open(spender(), json!({})).await;
    for (text, said) in table {
        let (updates, answer) = wire.turn(&session, text).await;
        assert_eq!(updates.last().unwrap()["content"]["text"], said, "{answer}");
        if cfg!(feature = "unstable") {
            // The answer has the tokens of the session.
            let total = said.rsplit('(').next().unwrap().split(',').next().unwrap();
            let reported = answer["result"].get("usage").map(|usage| usage["totalTokens"].to_string());
            assert_eq!(reported.as_deref(), Some(total).filter(|total| *total != "0"), "{answer}");
        }
    }
}

#[tokio::test]
async fn a_turn_beyond_a_limit_is_stopped() {
    let limits = TurnLimits::new().cost(1.0, "USD").session_cost(3.0, "USD").tokens(1000);
    let serve = || Serve::new(spender()).turn_limits(limits.clone());
    // The turns of a session: the text, then the stop reason or the words of the error.
    let sessions: [&[(&str, &str)]; 6] = [
        // Neither the limit itself nor another currency is beyond it.
        &[("USD:1 EUR:7", "end_turn"), ("USD:1.01 last:no", "1 USD"), ("USD:0.5", "end_turn")],
        &[
            ("USD:1", "end_turn"),
            ("USD:1", "end_turn"),
            ("USD:1", "end_turn"),
            ("USD:0.1", "3 USD"),
            ("EUR:1", "3 USD"),
        ],
        &[("tokens:1000", "end_turn"), ("tokens:1 last:no", "max_tokens"), ("EUR:1", "max_tokens")],
        &[("context:1001 last:no", "max_tokens")],
        &[("limit:2 USD:1.5", "end_turn"), ("limit:0.5 USD:0.6 last:no", "0.5 USD")],
        &[("swallow:2", "refusal")],
    ];
    for turns in sessions {
        let mut wire = Wire::serve_as(serve());
        wire.initialize(json!({})).await;
        let session = wire.new_session().await;
        for (text, end) in turns {
            let (updates, answer) = wire.turn(&session, text).await;
            assert!(!updates.iter().any(|update| update["content"]["text"] == "no"), "{text}");
            match answer["result"]["stopReason"].as_str() {
                Some(reason) => assert_eq!(reason, *end, "{text}"),
                None => drop(check_error(&answer, -32603, &[end, "limit", &session])),
            }
        }
    }
}

#[tokio::test]
async fn the_client_hears_of_the_costs_that_went_beyond() {
    let serve = Serve::new(spender()).turn_limits(TurnLimits::new().cost(1.0, "USD"));
    let mut wire = Wire::serve_as(serve);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    let (updates, _) = wire.turn(&session, "context:1 USD:5").await;
    assert_eq!(updates, [usage(1, None), usage(1, Some((5.0, "USD")))]);
}

/// Spends in several tasks at once.
async fn together(_: &(), turn: Turn, updates: SessionUpdates) -> Result<StopReason> {
    turn.report_usage(UsageUpdate::new(1_u64, 100_u64)).await?;
    let tasks: Vec<_> = (0..50)
        .map(|number| {
            let (turn, updates) = (turn.clone(), updates.clone());
            tokio::spawn(async move {
                let spent = Spent::tokens(1, 1).cost(1.0, "USD");
                if number % 2 == 0 { turn.spend(&spent).await } else { updates.spend(&spent).await }
            })
        })
        .collect();
    for task in tasks {
        task.await.map_err(Error::other)??;
    }
    let limit = turn.clone().limits(TurnLimits::new().cost(49.0, "USD")).spend(&Spent::default()).await;
    assert!(matches!(limit, Err(Error::LimitReached { limit: Limit::Cost(_), .. })), "{limit:?}");
    Ok(StopReason::EndTurn)
}

#[test]
fn the_last_report_has_the_whole_sum() {
    for mut builder in [Builder::new_current_thread(), Builder::new_multi_thread()] {
        let runtime = builder.worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            // A pipe that is full now and then: the updates wait for room.
            let agent = Router::new("together", "1", ()).on::<op::Prompt, _>(together);
            let mut wire = Wire::serve_through(Arc::new(agent), 256);
            wire.initialize(json!({})).await;
            let session = wire.new_session().await;
            let (updates, answer) = wire.turn(&session, "go").await;
            assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
            assert_eq!(updates.last().unwrap(), &usage(1, Some((50.0, "USD"))));
        });
    }
}
