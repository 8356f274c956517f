//! Options at their extremes: each value works, or refuses with a status. No value panics.

use std::time::Duration;

use acp_http::Remote;
use acp_http::server::{Grant, Options, Principal};

use crate::client::script;
use crate::server::lab::{INITIALIZE, Lab};

/// Plays a connection, and returns the status of `initialize` and of a stream.
async fn play(options: Options) -> (u16, u16) {
    let lab = Lab::start(options).await;
    let answer = lab.post(&[], INITIALIZE).await;
    let Some(id) = answer.header("acp-connection-id") else { return (answer.status, 0) };
    let stream = lab.get(&[&format!("acp-connection-id: {id}"), "acp-session-id: s"]).await;
    (answer.status, stream.answer.status)
}

#[tokio::test]
async fn sizes_at_their_extremes() {
    type Set = fn(Options, usize) -> Options;
    const WORKS: (u16, u16) = (200, 200);
    let rows: [(&str, Set, (u16, u16), (u16, u16)); 10] = [
        ("Options::message", Options::message, (413, 0), (413, 0)),
        ("Options::buffer", Options::buffer, WORKS, WORKS),
        ("Options::kept_events", Options::kept_events, WORKS, WORKS),
        ("Options::streams", Options::streams, (200, 429), WORKS),
        ("Options::unconfirmed", Options::unconfirmed, (200, 404), WORKS),
        ("Options::posts", Options::posts, WORKS, WORKS),
        ("Options::connections", Options::connections, (503, 0), WORKS),
        ("Options::connections_per_principal", Options::connections_per_principal, (429, 0), WORKS),
        ("Options::connections_per_address", Options::connections_per_address, (429, 0), WORKS),
        ("Options::uninitialized", Options::uninitialized, (503, 0), WORKS),
    ];
    for (name, set, none, one) in rows {
        assert_eq!(play(set(Options::new(), 0)).await, none, "{name} 0");
        assert_eq!(play(set(Options::new(), 1)).await, one, "{name} 1");
        assert_eq!(play(set(Options::new(), usize::MAX)).await, WORKS, "{name} MAX");
    }
    // Without a place for a request not even the first is taken. Without a socket nobody is heard.
    assert_eq!(play(Options::new().requests(0)).await, (429, 0), "Options::requests");
    for (name, set) in
        [("Options::requests", Options::requests as Set), ("Options::sockets", Options::sockets)]
    {
        assert_eq!(play(set(Options::new(), usize::MAX)).await, WORKS, "{name} MAX");
    }
}

#[tokio::test]
async fn times_at_their_extremes() {
    type Set = fn(Options, Duration) -> Options;
    let rows: [(&str, Set); 9] = [
        ("Options::initialize_time", Options::initialize_time),
        ("Options::first_stream_time", Options::first_stream_time),
        ("Options::idle_time", Options::idle_time),
        ("Options::end_time", Options::end_time),
        ("Options::head_time", Options::head_time),
        ("Options::body_time", Options::body_time),
        ("Options::write_time", Options::write_time),
        ("Options::keep_alive", Options::keep_alive),
        ("Options::ticket_time", Options::ticket_time),
    ];
    for (name, set) in rows {
        assert_eq!(play(set(Options::new(), Duration::MAX)).await, (200, 200), "{name} MAX");
        // Without time the outcome is open, but the server lives on.
        let lab = Lab::start(set(Options::new(), Duration::ZERO)).await;
        drop(tokio::net::TcpStream::connect(lab.address()).await.unwrap());
        lab.server.shutdown(Duration::ZERO).await;
    }
}

#[tokio::test]
async fn credentials_at_their_extremes() {
    for (name, time, played) in
        [("Grant::valid_for", Duration::ZERO, (401, 0)), ("Grant::valid_for", Duration::MAX, (200, 200))]
    {
        let hook = move |_: &_| Ok(Grant::new(Principal::new("alice")).valid_for(time));
        assert_eq!(play(Options::new().authorize(hook)).await, played, "{name} {time:?}");
    }
}

#[tokio::test]
async fn the_client_at_its_extremes() {
    let rows: [(&str, Box<dyn Fn(Remote, bool) -> Remote>); 5] = [
        ("Remote::connect_timeout", Box::new(|remote, most| remote.connect_timeout(time(most)))),
        ("Remote::answer_timeout", Box::new(|remote, most| remote.answer_timeout(time(most)))),
        ("Remote::close_timeout", Box::new(|remote, most| remote.close_timeout(time(most)))),
        ("Remote::ping", Box::new(|remote, most| remote.ping(time(most)))),
        (
            "Remote::message_limit",
            Box::new(|remote, most| remote.message_limit(if most { usize::MAX } else { 0 })),
        ),
    ];
    let port = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap().port()
    };
    for (name, set) in rows {
        for most in [false, true] {
            // Nobody listens there any more.
            let remote = set(acp_http::ws(format!("ws://127.0.0.1:{port}/acp")), most);
            assert!(remote.connect().await.is_err(), "{name}");
            let (mut here, mut server) = super::client::websocket::connected(|remote| match name {
                // These make the server come too late.
                "Remote::connect_timeout" | "Remote::answer_timeout" if !most => remote,
                _ => set(remote, most),
            })
            .await;
            if name != "Remote::message_limit" || most {
                server.notify().await;
                assert_eq!(here.next().await, "hello", "{name}");
            }
            here.peer.close();
            here.end.await.unwrap();
        }
    }
}

#[tokio::test]
async fn the_client_over_http_at_its_extremes() {
    let rows: [(&str, Box<dyn Fn(Remote, bool) -> Remote>); 6] = [
        ("Remote::connect_timeout", Box::new(|remote, most| remote.connect_timeout(time(most)))),
        ("Remote::post_timeout", Box::new(|remote, most| remote.post_timeout(time(most)))),
        ("Remote::close_timeout", Box::new(|remote, most| remote.close_timeout(time(most)))),
        ("Remote::ping", Box::new(|remote, most| remote.ping(time(most)))),
        ("Remote::ping, never", Box::new(|remote, _| remote.ping(None))),
        (
            "Remote::message_limit",
            Box::new(|remote, most| remote.message_limit(if most { usize::MAX } else { 0 })),
        ),
    ];
    for (name, set) in rows {
        let mut lab = script::Lab::start(|remote| set(remote, true)).await;
        lab.events.notify("hello").await;
        assert_eq!(lab.here.next().await, "hello", "{name}");
        lab.here.peer.close();
        lab.server.next().await.accept().await;
        lab.here.end.await.unwrap();
        // With nothing allowed it may fail, but it ends.
        let (mut server, here, call) = script::Lab::asked(|remote| set(remote, false)).await;
        let answering = tokio::spawn(async move {
            script::initialized(server.next().await).await;
            let _events = script::Events::open(server.next().await).await;
            server.next().await.accept().await;
        });
        drop(call.await.unwrap());
        here.peer.close();
        here.end.await.unwrap();
        answering.abort();
    }
}

fn time(most: bool) -> Duration {
    if most { Duration::MAX } else { Duration::ZERO }
}
