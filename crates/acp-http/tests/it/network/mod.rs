//! Bad networks: a proxy delays, halves and cuts what goes through it, at any byte of a scripted
//! session. The session completes, or goes on after a typed error, and nothing is doubled.
//!
//! The clock goes on by itself, whenever there is nothing else to do. So minutes pass at once.

mod agent;
mod plan;
mod proxy;
mod script;

use std::cell::RefCell;
use std::net::SocketAddr;
use std::time::Duration;

use acp_http::Remote;
use acp_http::server::Options;
use acp_testkit::{Dice, Seeds};
use tokio::task::LocalSet;
use tokio::time::timeout;

use self::agent::Agents;
use self::plan::Plan;
use self::proxy::Proxy;
use self::script::{Asked, Outcome, Script};

#[derive(Clone, Copy, Debug)]
enum Way {
    WebSocket,
    Http1,
    Http2,
}

impl Way {
    fn to(self, address: SocketAddr) -> Remote {
        let url = format!("http://{address}/acp");
        match self {
            Self::WebSocket => acp_http::ws(url),
            Self::Http1 => acp_http::http(url),
            Self::Http2 => acp_http::http(url).h2c(),
        }
    }

    /// Returns the bytes of a script without faults, about. Faults strike within them.
    const fn bytes(self) -> u64 {
        match self {
            Self::WebSocket => 15_000,
            Self::Http1 => 22_000,
            Self::Http2 => 18_000,
        }
    }
}

/// The time for a script. Each fault may cost the times in which a lost peer is noticed.
const WHOLE: Duration = Duration::from_secs(60 * 60);

/// The time after which the agents of lost connections have ended.
const GRACE: Duration = Duration::from_secs(30 + 60 + 5 + 5);

/// The outcomes of all prompts of a test.
#[derive(Debug, Default)]
struct Outcomes {
    done: usize,
    unknown: usize,
    not_done: usize,
}

impl Outcomes {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Done => self.done += 1,
            Outcome::Unknown => self.unknown += 1,
            Outcome::NotDone => self.not_done += 1,
        }
    }
}

/// Runs a script through a network.
async fn run(
    way: Way,
    plan: Plan,
    is_sound: bool,
    dice: &Dice,
    outcomes: &RefCell<Outcomes>,
) -> Result<(), String> {
    let agents = Agents::new();
    let kept = *dice.pick(&[0, 0, 1 << 20]);
    let options = Options::new().any_host().kept_events(kept).connections_per_address(1_000);
    let (server, listening) = agents.listen(options).await;
    let proxy = Proxy::start(listening.address(), plan, dice.clone()).await;
    let script = Script { agents: agents.clone(), dice: dice.clone(), asked: Asked::default(), is_sound };
    let through = way.to(proxy.address);
    let conversations = async {
        let agent = script.connect(&through).await?;
        let (first, second) = tokio::join!(script.converse(&agent, "a"), script.converse(&agent, "b"));
        let conversations = [first?, second?];
        proxy.heal();
        agent.close().await;
        Ok::<_, String>(conversations)
    };
    let conversations = timeout(WHOLE, conversations).await.map_err(|_| "it hangs".to_owned())??;
    timeout(GRACE, agents.ended()).await.map_err(|_| "an agent is left".to_owned())?;
    for (session, said) in &conversations {
        script.check(&way.to(listening.address()), session.id().as_str(), said).await?;
        said.outcomes().for_each(|outcome| outcomes.borrow_mut().add(outcome));
    }
    server.shutdown(Duration::from_secs(1)).await;
    Ok(())
}

/// Runs a test on one thread, with a clock that goes on by itself.
fn block_on<T>(test: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().start_paused(true).build().unwrap();
    LocalSet::new().block_on(&runtime, test)
}

/// Runs a script with each seed, and prints the outcomes.
#[expect(clippy::print_stdout, reason = "`--nocapture` shows them")]
fn each_seed(way: Way, few: u64, is_sound: bool) {
    let outcomes = RefCell::new(Outcomes::default());
    let plan = |dice: &Dice| if is_sound { Plan::slow(dice) } else { Plan::bad(dice, way.bytes()) };
    Seeds::few(few)
        .all(3_400)
        .each(|seed| {
            let dice = Dice::new(seed);
            let plan = plan(&dice);
            let shown = format!("{plan:?}");
            block_on(run(way, plan, is_sound, &dice, &outcomes))
                .map_err(|problem| format!("{shown}: {problem}"))
        })
        .unwrap();
    println!("{way:?}: {:?}", outcomes.into_inner());
}

#[test]
fn a_slow_network_costs_time_only() {
    for way in [Way::WebSocket, Way::Http1, Way::Http2] {
        each_seed(way, 8, true);
    }
}

/// rm-rec-01, rm-ord-07: a session goes on, and nothing is done twice.
#[test]
fn a_bad_network_loses_and_doubles_nothing_over_websocket() {
    each_seed(Way::WebSocket, 100, false);
}

/// rm-rec-01, rm-ord-07: as above. rm-str-04, rm-str-10: nothing overtakes what was cut off.
#[test]
fn a_bad_network_loses_and_doubles_nothing_over_http() {
    each_seed(Way::Http1, 100, false);
}

/// rm-rec-01, rm-ord-07: as above, where all streams share a socket.
#[test]
fn a_bad_network_loses_and_doubles_nothing_over_http2() {
    each_seed(Way::Http2, 100, false);
}
