//! Handlers that cannot be those of one connection.

use std::sync::Arc;

use acp_handlers::{Call, Conflict, Handlers, Router};
use acp_rpc::{Error, Reply};
use acp_types::op::Extension;

use crate::side::Log;

struct Editor;
struct Bot<T>(T);

/// Registers a handler of each method in the name of `T`.
fn registered<T: ?Sized>(handlers: &mut Handlers<Log>, methods: &[&str]) {
    handlers.begin::<T>();
    for method in methods {
        handlers.serve_ext(method, &Arc::new(()), |_, _: Call<Extension, Log>| async { Ok(Reply::empty()) });
    }
}

fn none() -> std::iter::Empty<(&'static str, Option<&'static str>)> {
    std::iter::empty()
}

#[test]
fn a_method_has_one_handler_and_the_first_conflict_is_named() {
    let mut handlers = Handlers::default();
    registered::<Editor>(&mut handlers, &["_a", "_b"]);
    registered::<Bot<Editor>>(&mut handlers, &["_c"]);
    assert_eq!(handlers.check(&none()), Ok(()));
    registered::<Bot<Editor>>(&mut handlers, &["_b", "_a", "_c"]);
    let twice = handlers.check(&none()).unwrap_err();
    let by = ["Editor".to_owned(), "Bot<Editor>".to_owned()];
    assert_eq!(twice, Conflict::ServedTwice { method: "_b".to_owned(), by });
    assert_eq!(twice.to_string(), "`_b` has handlers in `Editor` and `Bot<Editor>`: leave one of them out");

    let mut handlers = Handlers::default();
    registered::<Editor>(&mut handlers, &["_a", "_a"]);
    let twice = handlers.check(&none()).unwrap_err();
    assert_eq!(twice.to_string(), "`_a` has two handlers in `Editor`: leave one of them out");
}

#[test]
fn a_default_is_replaced_by_whatever_is_registered() {
    let mut handlers = Handlers::<Log>::default();
    for _ in 0..2 {
        handlers.serve_ext("_a", &Arc::new(()), |_, _: Call<Extension, Log>| async { Ok(Reply::empty()) });
    }
    registered::<Editor>(&mut handlers, &["_a"]);
    assert_eq!(handlers.check(&none()), Ok(()));
}

#[test]
fn parts_of_a_method_are_shared_and_the_whole_is_not() {
    for (methods, is_free) in [
        (["_a, one", "_a, two"], true),
        (["_a, one", "_a, one"], false),
        (["_a, one", "_a"], false),
        (["_a", "_a, one"], false),
        // A longer name is another method, not a part.
        (["_a", "_ab"], true),
        (["_a", "_a,one"], true),
    ] {
        let mut handlers = Handlers::<Log>::default();
        handlers.begin::<Editor>();
        methods.iter().for_each(|method| handlers.claim(method));
        assert_eq!(handlers.check(&none()).is_ok(), is_free, "{methods:?}");
    }
}

#[test]
fn half_a_capability_is_not_offered() {
    let operations =
        [("_one", Some("cap")), ("_alone", None), ("_two", Some("cap")), ("_three", Some("cap"))];
    let check = |methods: &[&str]| {
        let mut handlers = Handlers::default();
        registered::<Editor>(&mut handlers, methods);
        handlers.check(&operations.into_iter())
    };
    assert_eq!(check(&[]), Ok(()));
    assert_eq!(check(&["_alone"]), Ok(()));
    assert_eq!(check(&["_three", "_one", "_two"]), Ok(()));
    let half = check(&["_two"]).unwrap_err();
    assert_eq!(half, Conflict::Incomplete { capability: "cap", missing: vec!["_one", "_three"] });
    assert_eq!(half.to_string(), "`cap` cannot be offered: serve `_one`, `_three` as well, or none of it");
}

#[test]
fn a_router_is_named_by_its_state_inside_of_a_type_and_is_a_default_outside() {
    async fn handler(_: &Bot<u8>) -> Result<(), Error> {
        Ok(())
    }
    let router = || Router::<_, Log>::new(Bot(0_u8)).ext("_a", handler);
    assert_eq!(router().state().0, 0);
    let mut handlers = Handlers::default();
    router().register(&mut handlers);
    router().register(&mut handlers);
    assert_eq!(handlers.check(&none()), Ok(()), "both are defaults");

    handlers.begin::<Editor>();
    router().register(&mut handlers);
    handlers.claim("_a");
    let Err(Conflict::ServedTwice { by, .. }) = handlers.check(&none()) else { panic!("no conflict") };
    // Behind the router the type goes on under its own name.
    assert_eq!(by, ["Router<Bot<u8>>", "Editor"]);
}

#[test]
fn names_of_the_protocol_are_not_taken() {
    let taken = |register: fn(&mut Handlers<Log>)| {
        std::panic::catch_unwind(|| register(&mut Handlers::default())).is_err()
    };
    assert!(taken(|handlers| {
        handlers.serve_ext("a", &Arc::new(()), |_, _: Call<Extension, Log>| async { Ok(Reply::empty()) });
    }));
    assert!(taken(|handlers| {
        handlers.listen_ext("session/x", &Arc::new(()), |_, _: Call<Extension, Log>| async { Ok(()) });
    }));
}
