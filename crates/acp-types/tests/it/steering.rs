//! Messages for a turn that runs, and sums of what is spent.

use acp_types::v1::ContentBlock;
use acp_types::v1::ext::{
    IdleBehavior, Spent, SteerOutcome, SteerReason, SteerRequest, SteerResponse, Steering,
};
use acp_types::{Meta, from_str, to_string};

#[test]
fn requests_and_answers_are_read_and_written() {
    let request = SteerRequest::new("s", [ContentBlock::text("hi")]);
    let plain = r#"{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}"#;
    assert_eq!(to_string(&request), plain);
    let request = request.when_idle(&IdleBehavior::PromptRequired);
    let full = plain.replace("]}", r#"],"_meta":{"steering":{"idleBehavior":"promptRequired"}}}"#);
    assert_eq!(to_string(&request), full);
    let read: SteerRequest = from_str(&full).unwrap();
    assert_eq!((&read, read.idle_behavior().unwrap()), (&request, Some(IdleBehavior::PromptRequired)));

    let table = [
        (r#"{"outcome":"injected"}"#, SteerResponse::new(SteerOutcome::Injected)),
        (r#"{"outcome":"startedNewTurn"}"#, SteerResponse::new(SteerOutcome::StartedNewTurn)),
        (r#"{"outcome":"promptRequired","reason":"noRunningTurn"}"#, SteerResponse::prompt_required()),
    ];
    for (text, response) in table {
        assert_eq!(
            (to_string(&response).as_str(), from_str::<SteerResponse>(text).unwrap()),
            (text, response)
        );
    }
    // Outcomes of later versions are kept.
    let text = r#"{"outcome":"queued","reason":"busy","_meta":{"a":1}}"#;
    let response: SteerResponse = from_str(text).unwrap();
    assert_eq!(response.outcome, SteerOutcome::Unknown("queued".into()));
    assert_eq!(response.reason, Some(SteerReason::Unknown("busy".into())));
    assert_eq!(to_string(&response), text);
    for bad in ["{}", r#"{"outcome":5}"#, r#"{"outcome":null}"#, "null", "[]"] {
        assert!(from_str::<SteerResponse>(bad).is_err(), "{bad}");
    }
}

#[test]
fn an_offer_is_a_true_in_its_place() {
    let table = [
        ("{}", false),
        (r#"{"steering":null}"#, false),
        (r#"{"steering":true}"#, false),
        (r#"{"steering":{}}"#, false),
        (r#"{"steering":{"supported":false}}"#, false),
        (r#"{"steering":{"supported":"true"}}"#, false),
        (r#"{"steering":{"supported":true,"more":1}}"#, true),
    ];
    assert!(!Steering::is_offered(None));
    for (text, offered) in table {
        assert_eq!(Steering::is_offered(Some(&from_str::<Meta>(text).unwrap())), offered, "{text}");
    }
    let meta = Steering::offer(Some(Meta::new().with("a", 1_u64)));
    assert_eq!(to_string(&meta), r#"{"a":1,"steering":{"supported":true}}"#);
    assert!(Steering::is_offered(Some(&meta)));
}

#[test]
fn sums_hold_only_costs_and_stop_at_the_largest_number() {
    let mut sum =
        Spent::tokens(u64::MAX, 1).cost(f64::NAN, "USD").cost(-1.0, "USD").cost(f64::INFINITY, "USD");
    assert_eq!((sum.total_tokens, sum.cost_in("USD")), (u64::MAX, 0.0));
    let mut bad = Spent::default();
    bad.costs.extend([("USD".into(), f64::NAN), ("EUR".into(), -5.0), ("CHF".into(), 2.0)]);
    sum.add(&bad);
    assert_eq!((sum.cost_in("USD"), sum.cost_in("EUR"), sum.cost_in("CHF")), (0.0, 0.0, 2.0));
    sum.add(&Spent::default().cost(f64::MAX, "CHF"));
    assert_eq!(sum.cost_in("CHF"), f64::MAX);
    // A sum that has become smaller was corrected: nothing was spent meanwhile.
    let less = Spent::tokens(1, 0).cost(1.0, "CHF");
    assert!(less.since(&sum).is_nothing());
}
