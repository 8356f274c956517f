//! The state of a session: up to three tags in one object.

use acp_types::v2::{IdleReason, IdleStateUpdate, SessionUpdate, StateUpdate};
use acp_types::{from_str, to_string};

use super::{again, refusal};

fn idle(text: &str) -> IdleStateUpdate {
    match from_str(text).unwrap_or_else(|error| panic!("{text}: {error}")) {
        SessionUpdate::StateUpdate(state) => match *state {
            StateUpdate::Idle(idle) => *idle,
            other => panic!("{text}: {other:?}"),
        },
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn three_tags_lie_on_one_level() {
    for (text, tag) in [
        (
            r#"{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[]}"#,
            "end_turn",
        ),
        (
            r#"{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":-32603,"message":"m"},"_meta":{"k":1}}"#,
            "error",
        ),
        (
            r#"{"sessionUpdate":"state_update","state":"idle","stopReason":"out_of_coffee","cups":0,"_meta":{"k":1}}"#,
            "out_of_coffee",
        ),
    ] {
        assert_eq!(idle(text).stop_reason.tag(), Some(tag));
        assert_eq!(again::<SessionUpdate>(text), text);
    }
    for text in [
        r#"{"sessionUpdate":"state_update","state":"running","background":[{"type":"terminal","terminalId":"t"}]}"#,
        r#"{"sessionUpdate":"state_update","state":"requires_action"}"#,
        r#"{"sessionUpdate":"state_update","state":"dreaming","stopReason":7,"of":["sheep"]}"#,
    ] {
        assert_eq!(again::<SessionUpdate>(text), text);
    }
}

#[test]
fn a_stop_reason_that_says_nothing_is_unspecified() {
    let written = r#"{"sessionUpdate":"state_update","state":"idle","background":[]}"#;
    for reason in ["", r#""stopReason":null,"#, r#""stopReason":7,"#, r#""stopReason":{"a":1},"#] {
        let text = format!(r#"{{"sessionUpdate":"state_update","state":"idle",{reason}"background":[]}}"#);
        assert_eq!(idle(&text).stop_reason, IdleReason::Unspecified, "{text}");
        assert_eq!(idle(&text).stop_reason.tag(), None);
        assert_eq!(again::<SessionUpdate>(&text), written);
    }
    let update = SessionUpdate::from(StateUpdate::from(IdleStateUpdate::new(IdleReason::Unspecified)));
    assert_eq!(to_string(&update), r#"{"sessionUpdate":"state_update","state":"idle"}"#);
}

#[test]
fn the_state_itself_is_not_lenient() {
    assert_eq!(refusal::<StateUpdate>("{}"), "`state`: required, but missing");
    assert_eq!(refusal::<StateUpdate>(r#"{"state":7}"#), "`state`: expected a string, found a number");
}

/// A state that is called `unknown`, beside the states that this version does not know.
#[test]
fn an_unknown_state_is_not_the_state_unknown() {
    for (text, is_known) in
        [(r#"{"state":"unknown"}"#, cfg!(feature = "unstable")), (r#"{"state":"dreaming"}"#, false)]
    {
        let state: StateUpdate = from_str(text).unwrap();
        assert_eq!(matches!(state, StateUpdate::Other(_)), !is_known);
        assert_eq!((state.tag(), to_string(&state).as_str()), (state.tag(), text));
    }
}
