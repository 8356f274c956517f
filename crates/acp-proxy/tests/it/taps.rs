//! Observers of the connections of a chain.

use std::sync::{Arc, Mutex};

use super::common::{end, serve};
use super::forwarding::initialized_through;
use acp_proxy::{Conductor, Policy, Proxy};
use acp_rpc::Tap;

/// Lines of a connection, by its name.
type Seen = Arc<Mutex<Vec<(String, String)>>>;

fn watch(seen: &Seen, name: Option<&str>) -> Tap {
    let (seen, name) = (Arc::clone(seen), name.unwrap_or("client").to_owned());
    seen.lock().unwrap().push((name.clone(), "made".to_owned()));
    Tap::new(move |traffic| {
        let line = format!("{:?} {}", traffic.direction, traffic.method.unwrap_or("answer"));
        seen.lock().unwrap().push((name.clone(), line));
    })
}

/// Each connection has its own. They are made in the order of the chain, for components that have a
/// connection, and see what the common one sees.
#[tokio::test]
async fn each_connection_has_an_observer() {
    let ((transport, mut agent), (process, mut proxy)) = (end(), end());
    let (seen, common) = (Seen::default(), Arc::new(Mutex::new(0)));
    let (making, count) = (Arc::clone(&seen), Arc::clone(&common));
    let conductor = Conductor::new()
        .proxy(Proxy::new("within"))
        .process(process, Policy::Required)
        .named("p")
        .agent(transport)
        .named("a")
        .tap(Tap::new(move |_| *count.lock().unwrap() += 1))
        .taps(move |name| watch(&making, name));
    let (mut client, serving) = serve(conductor);
    initialized_through(&mut client, &mut proxy, &mut agent).await;
    client.close().await;
    serving.await.unwrap().unwrap();
    let seen = seen.lock().unwrap();
    let of = |wanted: &str| {
        let lines = seen.iter().filter(|(name, _)| name == wanted).map(|(_, line)| line.as_str());
        lines.collect::<Vec<_>>()
    };
    let made = seen.iter().filter(|(_, line)| line == "made").map(|(name, _)| name.as_str());
    assert_eq!(made.collect::<Vec<_>>(), ["client", "p", "a"]);
    assert_eq!(of("client"), ["made", "In initialize", "Out answer"]);
    assert_eq!(of("p"), ["made", "Out proxy/initialize", "In proxy/successor", "Out answer", "In answer"]);
    assert_eq!(of("a"), ["made", "Out initialize", "In answer"]);
    assert_eq!(*common.lock().unwrap(), seen.len() - 3);
}
