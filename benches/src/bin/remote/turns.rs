//! A turn of 16 updates over loopback.

use std::cell::RefCell;

use anyhow::Result;
use benches::report::{Report, duration, times_of};
use benches::{Contender, Table, Times, placement, race};
use tokio::runtime::{Builder, Runtime};

use crate::clients::{Client, Way};
use crate::servers::{Running, Server};

/// The limit of a turn over WebSocket, as a ratio to the floor.
const BAR: f64 = 2.0;

/// A client and its server.
struct Pair {
    name: &'static str,
    client: RefCell<Client>,
    _server: Running,
}

impl Pair {
    fn new(name: &'static str, server: Server, way: Way, runtime: &Runtime) -> Result<Self> {
        let running = server.start()?;
        let client = runtime.block_on(way.connect(running.address))?;
        Ok(Self { name, client: RefCell::new(client), _server: running })
    }
}

pub(crate) fn run(report: &mut Report, rounds: usize) -> Result<()> {
    placement::pin()?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let ways = [
        ("WebSocket", Way::WebSocket, Way::OursWebSocket, true),
        ("HTTP/1.1", Way::Http1, Way::OursHttp1, true),
        ("HTTP/2", Way::Http2, Way::OursHttp2, false),
    ];
    let mut table = Table::new(&["over", "server", "client", "turn", "of floor"]);
    for (over, bare, ours, official) in ways {
        let mut pairs = vec![
            Pair::new("floor", Server::Floor, bare, &runtime)?,
            Pair::new("floor", Server::Ours, bare, &runtime)?,
            Pair::new("ours", Server::Ours, ours, &runtime)?,
        ];
        let mut names = vec![Server::Floor, Server::Ours, Server::Ours];
        if official {
            pairs.push(Pair::new("floor", Server::Official, bare, &runtime)?);
            names.push(Server::Official);
        }
        let times = times(&pairs, &runtime, rounds);
        for ((pair, server), times_of_it) in pairs.iter().zip(&names).zip(&times) {
            table.row([
                over.to_owned(),
                server.name().to_owned(),
                pair.name.to_owned(),
                duration(times_of_it.median()),
                format!("{:.2}x", times_of(times_of_it, &times[0])),
            ]);
        }
        if bare == Way::WebSocket {
            let peer = times.get(3).map(|peer| times_of(peer, &times[0]));
            report.ratio(
                "turn of 16 updates over WebSocket: server",
                BAR,
                "floor",
                times_of(&times[1], &times[0]),
                peer,
            );
            report.ratio(
                "turn of 16 updates over WebSocket: both",
                BAR,
                "floor",
                times_of(&times[2], &times[0]),
                None,
            );
        }
    }
    report.table("remote-turns", table);
    placement::unpin()
}

fn times(pairs: &[Pair], runtime: &Runtime, rounds: usize) -> Vec<Times> {
    let contenders: Vec<Contender<'_>> = pairs
        .iter()
        .map(|pair| Contender {
            name: pair.name,
            run: Box::new(|| {
                let mut client = pair.client.borrow_mut();
                runtime.block_on(client.turn()).expect("a turn that works");
            }),
        })
        .collect();
    race(&contenders, rounds)
}
