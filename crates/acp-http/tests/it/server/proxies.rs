//! Proxies in front of the server, and clients who pretend to be one.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use acp_http::server::Options;

use super::lab::{INITIALIZE, Lab};

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// Opens a connection with these headers, and returns the address that the agent is told.
async fn address(options: Options, head: &[&str]) -> String {
    let seen = Arc::new(Mutex::new(String::new()));
    let lab = Lab::start_watched(options, {
        let seen = Arc::clone(&seen);
        move |remote| *seen.lock().unwrap() = remote.address.unwrap().ip().to_string()
    })
    .await;
    assert_eq!(lab.post(head, INITIALIZE).await.status, 200);
    seen.lock().unwrap().clone()
}

#[tokio::test]
async fn only_a_known_proxy_is_believed_about_its_client() {
    let inner = IpAddr::from([10, 0, 0, 0]);
    let rows: &[(Options, &[&str], &str)] = &[
        // Nobody is believed by default.
        (Options::new(), &["x-forwarded-for: 1.2.3.4"], "127.0.0.1"),
        (Options::new().proxy(inner, 8), &["x-forwarded-for: 1.2.3.4"], "127.0.0.1"),
        (Options::new().proxy(HERE, 32), &["x-forwarded-for: 1.2.3.4"], "1.2.3.4"),
        (Options::new().proxy([127, 1, 2, 3].into(), 8), &["x-forwarded-for: 1.2.3.4:80"], "1.2.3.4"),
        (Options::new().proxy([127, 1, 2, 3].into(), 24), &["x-forwarded-for: 1.2.3.4"], "127.0.0.1"),
        // A client can write anything before what the proxy adds.
        (Options::new().proxy(HERE, 32), &["x-forwarded-for: 9.9.9.9, 1.2.3.4"], "1.2.3.4"),
        (
            Options::new().proxy(HERE, 32),
            &["x-forwarded-for: 9.9.9.9", "x-forwarded-for: 1.2.3.4"],
            "1.2.3.4",
        ),
        (
            Options::new().proxy(HERE, 32).proxy(inner, 8),
            &["x-forwarded-for: 9.9.9.9,1.2.3.4,10.7.7.7"],
            "1.2.3.4",
        ),
        (Options::new().proxy(HERE, 32).proxy(inner, 8), &["x-forwarded-for: 10.1.1.1"], "10.1.1.1"),
        (Options::new().proxy(HERE, 32), &["x-forwarded-for: [2001:db8::1]:443"], "2001:db8::1"),
        (Options::new().proxy(HERE, 32), &["x-forwarded-for: [2001:db8::1]"], "2001:db8::1"),
        (Options::new().proxy(HERE, 0), &["x-forwarded-for: 1.2.3.4"], "1.2.3.4"),
        (Options::new().proxy(HERE, 255), &["x-forwarded-for: 1.2.3.4"], "1.2.3.4"),
        (Options::new().proxy("::1".parse().unwrap(), 0), &["x-forwarded-for: 1.2.3.4"], "127.0.0.1"),
        // A hop without an address hides those before it.
        (Options::new().proxy(HERE, 32), &["x-forwarded-for: 1.2.3.4, unknown"], "127.0.0.1"),
        (Options::new().proxy(HERE, 32), &[], "127.0.0.1"),
    ];
    for (options, head, expected) in rows {
        assert_eq!(address(options.clone(), head).await, *expected, "{options:?} {head:?}");
    }
}

#[tokio::test]
async fn rm_cors_02_a_known_proxy_tells_the_name_of_the_server() {
    let host = "agents.example";
    let behind = || Options::new().host(host).proxy(HERE, 32);
    let rows: &[(Options, &[&str], u16)] = &[
        (behind(), &["x-forwarded-host: agents.example"], 200),
        (behind(), &["x-forwarded-host: evil.example"], 403),
        // A page can send this header, and a proxy may add to it.
        (behind(), &["x-forwarded-host: evil.example, agents.example"], 403),
        (behind(), &["x-forwarded-host: agents.example, evil.example"], 403),
        (behind(), &["x-forwarded-host: no name"], 403),
        (behind(), &["host: agents.example"], 200),
        (behind(), &["host: agents.example", "x-forwarded-host: evil.example"], 403),
        (behind(), &[], 403),
        // From anybody else it counts for nothing.
        (Options::new().host(host), &["x-forwarded-host: agents.example"], 403),
        (Options::new().host(host), &["host: agents.example", "x-forwarded-host: evil.example"], 200),
        (Options::new(), &["host: evil.example", "x-forwarded-host: localhost"], 403),
    ];
    for (options, head, status) in rows {
        let lab = Lab::start(options.clone()).await;
        assert_eq!(lab.post(head, INITIALIZE).await.status, *status, "{head:?}");
    }
}

#[tokio::test]
async fn limits_of_an_address_hold_for_clients_of_a_proxy() {
    let lab = Lab::start(Options::new().proxy(HERE, 32).connections_per_address(1)).await;
    for (client, status) in [("1.1.1.1", 200), ("2.2.2.2", 200), ("1.1.1.1", 429), ("::ffff:1.1.1.1", 429)] {
        let head = format!("x-forwarded-for: {client}");
        assert_eq!(lab.post(&[&head], INITIALIZE).await.status, status, "{client}");
    }
}
