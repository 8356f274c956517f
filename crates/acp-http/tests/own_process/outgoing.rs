//! Clients that do not read.

use acp_http::server::Options;
use acp_testkit::Meter;
use h2::client::Builder;
use hyper::body::Bytes;
use tokio::net::TcpStream;

use crate::agent::Stage;
use crate::cases::{Case, MIB};
use crate::client::{INITIALIZE, flood, initialize, post, send, stream, upgrade};

pub(crate) const CASES: &[Case] = &[
    ("a WebSocket that is not read", || Box::pin(websocket())),
    ("a stream over HTTP/1.1 that is not read", || Box::pin(http_1(1))),
    ("100 streams over HTTP/1.1 that are not read", || Box::pin(http_1(100))),
    ("a stream over HTTP/2 that is not read", || Box::pin(http_2(1))),
    ("200 streams over HTTP/2 that are not read", || Box::pin(http_2(200))),
    ("a session without a stream", || Box::pin(without_stream())),
];

const BUDGET: usize = 16 * MIB;
/// The budget of the agent's own output.
const AGENT: usize = MIB / 4;
/// More than all budgets and the buffers of the kernel hold.
const UPDATES: usize = 1_000_000;

fn limits() -> acp_rpc::Options {
    acp_rpc::Options::default().outgoing_budget(AGENT)
}

fn options() -> Options {
    Options::new().buffer(BUDGET).unconfirmed(1_000).streams(1_000)
}

async fn websocket() {
    let stage = Stage::new(Options::new(), || acp_rpc::Options::default().outgoing_budget(BUDGET)).await;
    let mut socket = upgrade(stage.address()).await;
    send(&mut socket, INITIALIZE).await.unwrap();
    let meter = Meter::new().unwrap();
    send(&mut socket, &flood("s", UPDATES)).await.unwrap();
    stage.stands_still(UPDATES).await;
    meter.stayed_within(BUDGET).unwrap();
    serves(&stage).await;
}

async fn http_1(streams: usize) {
    let stage = Stage::new(options(), limits).await;
    let id = initialize(stage.address()).await;
    let mut sockets = Vec::new();
    for number in 0..streams {
        sockets.push(stream(stage.address(), &id, &format!("s{number}")).await);
    }
    let meter = Meter::new().unwrap();
    for number in 0..streams {
        post(stage.address(), &id, &flood(&format!("s{number}"), UPDATES)).await;
    }
    stage.stands_still(streams * UPDATES).await;
    meter.stayed_within(BUDGET + AGENT).unwrap();
    serves(&stage).await;
}

/// The client grants as much as it can, and then does not read the socket.
async fn http_2(streams: usize) {
    const MOST: u32 = (1 << 31) - 1;
    let stage = Stage::new(options(), limits).await;
    let id = initialize(stage.address()).await;
    let socket = TcpStream::connect(stage.address()).await.unwrap().into_std().unwrap();
    let kept = socket.try_clone().unwrap();
    let mut builder = Builder::new();
    builder.initial_window_size(MOST).initial_connection_window_size(MOST);
    let (client, connection) =
        builder.handshake::<_, Bytes>(TcpStream::from_std(socket).unwrap()).await.unwrap();
    let running = tokio::spawn(async move { drop(connection.await) });
    let (name, value) = id.trim().split_once(": ").unwrap();
    let mut bodies = Vec::new();
    for number in 0..streams {
        let request = http::Request::get(format!("http://{}/acp", stage.address()))
            .header("accept", "*/*")
            .header("acp-session-id", format!("s{number}"))
            .header(name, value);
        let mut client = client.clone().ready().await.unwrap();
        let answer = client.send_request(request.body(()).unwrap(), true).unwrap().0.await.unwrap();
        assert_eq!(answer.status(), 200);
        bodies.push(answer.into_body());
    }
    running.abort();
    let _ = running.await;
    let meter = Meter::new().unwrap();
    for number in 0..streams {
        post(stage.address(), &id, &flood(&format!("s{number}"), UPDATES)).await;
    }
    stage.stands_still(streams * UPDATES).await;
    meter.stayed_within(BUDGET + AGENT).unwrap();
    serves(&stage).await;
    drop((kept, bodies));
}

async fn without_stream() {
    let stage = Stage::new(options(), limits).await;
    let id = initialize(stage.address()).await;
    let meter = Meter::new().unwrap();
    post(stage.address(), &id, &flood("s", UPDATES)).await;
    stage.stands_still(UPDATES).await;
    meter.stayed_within(BUDGET + AGENT).unwrap();
    serves(&stage).await;
}

/// Serves another client.
async fn serves(stage: &Stage) {
    initialize(stage.address()).await;
}
