//! The way of a message through a handler.

use acp_handlers::{Argument, Call, FromCall, Handlers, RequestMeta, Router};
use acp_rpc::Error;
use acp_types::method::{Method, Notification, Request, Side};
use acp_types::op::{self, Extension, Op};
use acp_types::v1::{PlanEntry, UsageUpdate};

use crate::side::{Caller, Log};

/// An extension with a marker, whose params are an object.
enum Count {}

impl Method for Count {
    const NAME: &'static str = "_count";
    const HANDLER: Side = Side::Both;
    type Params = PlanEntry;
}

impl Request for Count {
    type Response = UsageUpdate;
}

enum Counted {}

impl Method for Counted {
    const NAME: &'static str = "_counted";
    const HANDLER: Side = Side::Both;
    type Params = PlanEntry;
}

impl Notification for Counted {}

const ENTRY: &str = r#"{"content":"twelve bytes","priority":"high","status":"pending"}"#;

/// An argument that has to be waited for.
struct Late(usize);

impl<O: Op> FromCall<O, Log> for Late
where
    Log: acp_handlers::Admit<O, Admission = String>,
{
    fn from_call(call: &mut Call<O, Log>) -> Argument<'_, Self, Error> {
        Argument::later(async {
            tokio::task::yield_now().await;
            match call.admission().contains("never") {
                true => Err(Error::invalid_params("it never comes")),
                false => Ok(Self(call.admission().len())),
            }
        })
    }
}

struct State(u64);

async fn count(state: &State, late: Late, entry: PlanEntry, meta: RequestMeta) -> Result<UsageUpdate, Error> {
    assert_eq!(meta, RequestMeta::default());
    Ok(UsageUpdate::new(state.0 + entry.content.len() as u64, late.0 as u64))
}

async fn echo(_: &State, pair: (u8, String)) -> Result<(String, u8), Error> {
    Ok((pair.1, pair.0))
}

async fn nothing(_: &State, nothing: Option<u8>) -> Result<bool, Error> {
    Ok(nothing.is_none())
}

async fn counted(state: &State, late: Late, entry: PlanEntry) {
    assert_eq!((state.0, late.0 > 0, entry.content.as_str()), (30, true, "twelve bytes"));
}

fn handlers() -> Handlers<Log> {
    let router = Router::<_, Log>::new(State(30))
        .on::<op::Request<Count>, _>(count)
        .on_notification::<op::Notification<Counted>, _>(counted)
        .ext("_echo", echo)
        .ext("_nothing", nothing)
        .keyed::<Extension, _>("key", echo);
    let mut handlers = Handlers::default();
    router.register(&mut handlers);
    handlers
}

#[test]
fn handlers_are_found_by_their_kind() {
    let handlers = handlers();
    assert!(handlers.serves("_count") && handlers.has("_count"));
    assert!(!handlers.serves("_counted") && handlers.has("_counted"));
    assert!(handlers.find_request("_counted").is_none() && handlers.find_notification("_count").is_none());
    assert!(!handlers.has("_key"));
    assert_eq!(handlers.special, ["key"]);
    assert!(format!("{handlers:?}").contains("\"_counted\""));
}

#[tokio::test]
async fn a_request_is_admitted_made_ready_handled_and_finished() {
    let caller = Caller::of(handlers());
    let size = ENTRY.len();
    assert_eq!(caller.call("_count", ENTRY).await.unwrap(), format!(r#"{{"used":42,"size":{size}}}"#));
    assert_eq!(caller.log.taken(), [format!("admitted {ENTRY}").as_str(), "ready", "finished"]);
    assert_eq!(caller.call("_echo", r#"[7,"x"]"#).await.unwrap(), r#"["x",7]"#);
    assert_eq!(caller.log.taken(), [r#"admitted [7,"x"]"#, "ready", "finished"]);
}

#[tokio::test]
async fn a_request_fails_at_the_step_that_refuses_it() {
    let caller = Caller::of(handlers());
    let with = |content: &str| ENTRY.replace("twelve bytes", content);
    let admitted = |content: &str| format!("admitted {}", with(content));
    for (method, params, error, steps) in [
        // Unreadable, and not admitted: refused on the reader.
        ("_count", "7".to_owned(), "params of `_count`: ", vec![]),
        ("_count", with("stranger"), "no strangers", vec![]),
        // Not ready: the handler is not called.
        (
            "_count",
            with("unready"),
            "not now",
            vec![admitted("unready"), "ready".to_owned(), "failed".to_owned()],
        ),
        (
            "_count",
            with("never"),
            "it never comes",
            vec![admitted("never"), "ready".to_owned(), "failed".to_owned()],
        ),
        (
            "_echo",
            r#"["x",7]"#.to_owned(),
            "the params do not fit this method: ",
            vec![r#"admitted ["x",7]"#.to_owned(), "ready".to_owned(), "failed".to_owned()],
        ),
    ] {
        let said = caller.call(method, &params).await.unwrap_err();
        assert!(said.contains(error), "{method} {params}: {said}");
        assert_eq!(caller.log.taken(), steps, "{method} {params}");
    }
}

#[tokio::test]
async fn params_may_be_left_out() {
    let caller = Caller::of(handlers());
    // An object without members is assumed, and lacks the members of this one.
    let said = caller.call("_count", "null").await.unwrap_err();
    assert!(said.contains("params of `_count`: ") && said.contains("content"), "{said}");
    // Nothing is assumed about an extension without a marker.
    assert_eq!(caller.call("_nothing", "null").await.unwrap(), "true");
    assert_eq!(caller.log.taken(), ["admitted null", "ready", "finished"]);
}

#[tokio::test]
async fn a_notification_without_effect_is_reported_with_its_reason() {
    let mut caller = Caller::of(handlers());
    for (params, reason) in [
        ("7".to_owned(), "_counted: "),
        (ENTRY.replace("twelve bytes", "stranger"), "_counted: no strangers"),
        (ENTRY.replace("twelve bytes", "never"), "_counted: it never comes"),
    ] {
        caller.notify("_counted", &params).await;
        let said = caller.ignored().await;
        assert!(said.starts_with(reason), "{params}: {said}");
    }
    caller.log.taken();
    // A notification that is handled is not reported.
    caller.notify("_counted", ENTRY).await;
    assert_eq!(caller.call("_nothing", "null").await.unwrap(), "true");
    assert!(!caller.log.taken().iter().any(|step| step.starts_with("ignored")));
}
