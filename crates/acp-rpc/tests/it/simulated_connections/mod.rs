//! Whole connections under simulation. They keep the order that the crate promises (see "Order" on
//! its front page) and never deadlock, however the bytes are cut, in every order in which tasks
//! yield, and with every queue full.
//!
//! Each seed is one interleaving, and always the same one: a runtime of one thread whose clock
//! moves only when no task can run, pipes that split and delay by the seed, and handlers that wait
//! by the seed.

mod pipe;
mod side;
mod world;

use std::sync::Arc;
use std::time::Duration;

use acp_rpc::{CloseReason, Options, Peer, Pending, Transport, connect};
use testkit::{Dice, Seeds};
use tokio::runtime::{Builder, Handle};
use tokio::task::{JoinHandle, JoinSet, yield_now};
use tokio::time::{sleep, timeout};

use pipe::{Habits, Pipe};
use side::{Action, Side};
use world::{Excuses, World};

/// The number of interleavings in every test run, and in a full one.
const FEW: u64 = 400;
const ALL: u64 = if cfg!(debug_assertions) { 2_000 } else { 10_000 };

/// Longer than any deadline of a connection. The simulated clock stands still while any task can
/// run. So this time passes only when nothing can happen any more.
const FOR_EVER: Duration = Duration::from_secs(3600);

#[test]
fn connections_keep_their_order_and_never_stand_still() {
    Seeds::few(FEW).all(ALL).each(|seed| simulate(seed).map(drop)).unwrap();
}

#[test]
fn a_seed_is_one_interleaving() {
    for seed in 0..20 {
        assert_eq!(simulate(seed), simulate(seed), "seed {seed}");
    }
}

#[test]
fn a_cancel_is_seen_while_a_thousand_handlers_wait() {
    for seed in 0..5 {
        let outcome = in_simulation(|| async move {
            let mut plan = Plan::new(Dice::new(seed));
            (plan.overload, plan.interruption, plan.times) = (false, None, 1);
            let world = World::new(plan.dice.clone(), plan.excuses());
            let connection = Connection::start(&world, &plan);
            let mut calls = Vec::new();
            for _ in 0..1000 {
                let call: Pending<u64> = connection.peers[0].begin(None, "hang", &["filler"]).await.unwrap();
                calls.push(call);
            }
            let mut at_work = Vec::new();
            for given_up in [0, 1, 999] {
                drop(calls.split_off(calls.len() - given_up));
                sleep(FOR_EVER).await;
                at_work.push(world.at_work());
            }
            assert_eq!(at_work, [1000, 999, 0], "seed {seed}");
            connection.live(&plan).await
        });
        assert_eq!(outcome, Ok(()), "seed {seed}");
    }
}

/// Runs one connection from its start to its end. Returns a hash of everything that was on the
/// wire.
fn simulate(seed: u64) -> Result<u64, String> {
    in_simulation(|| async move {
        let plan = Plan::new(Dice::new(seed));
        let world = World::new(plan.dice.clone(), plan.excuses());
        Connection::start(&world, &plan).live(&plan).await?;
        world.verdict()?;
        match (Handle::current().metrics().num_alive_tasks(), Arc::strong_count(&world)) {
            (0, 1) => Ok(world.transcript()),
            (tasks, handles) => Err(format!("{tasks} tasks are left, and {handles} handles")),
        }
    })
}

fn in_simulation<F: Future>(simulation: impl FnOnce() -> F) -> F::Output {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async move { simulation().await })
}

/// The decisions of a seed before anything happens.
struct Plan {
    dice: Dice,
    options: Options,
    overload: bool,
    capacity: usize,
    reluctance: u64,
    /// The side whose output has noise in it.
    noisy: Option<usize>,
    interruption: Option<Interruption>,
    actions: Arc<[Action]>,
    /// The most actions of each actor.
    times: u64,
}

/// A way to end a connection in the middle of everything.
#[derive(Clone, Copy)]
enum Interruption {
    /// A side closes it.
    Close,
    /// A side's driver is dropped.
    Drop,
    /// One direction breaks.
    Cut,
}

impl Plan {
    fn new(dice: Dice) -> Self {
        let overload = dice.one_in(6);
        let incoming = *dice.pick(&[300, 2048]);
        let mut options =
            Options::default().outgoing_budget(*dice.pick(&[600, 1024])).incoming_budget(incoming);
        if overload {
            options = options.incoming_ceiling(incoming + *dice.pick(&[100, 1000, 5000]));
        }
        Self {
            options,
            overload,
            capacity: *dice.pick(&[16, 100, 1000]),
            reluctance: *dice.pick(&[2, 5, 50]),
            noisy: dice.one_in(4).then(|| dice.index(2)),
            interruption: dice
                .one_in(3)
                .then(|| *dice.pick(&[Interruption::Close, Interruption::Drop, Interruption::Cut])),
            actions: Action::some(&dice).into(),
            times: *dice.pick(&[3, 10, 10, 30]),
            dice,
        }
    }

    fn excuses(&self) -> Excuses {
        let interrupted = self.interruption.is_some();
        Excuses { overload: self.overload, noise: self.noisy.is_some(), interrupted }
    }

    fn pipe(&self, world: &Arc<World>, writer: usize) -> Pipe {
        let noise = (self.noisy == Some(writer)).then_some(4);
        let Self { dice, capacity, reluctance, .. } = self;
        let habits = Habits { dice: dice.clone(), capacity: *capacity, reluctance: *reluctance, noise };
        let world = Arc::clone(world);
        Pipe::new(habits, Box::new(move |line| world.written(writer, line)))
    }
}

/// Both sides of a connection, and their users.
struct Connection {
    world: Arc<World>,
    peers: [Peer; 2],
    drivers: [JoinHandle<CloseReason>; 2],
    pipes: [Pipe; 2],
    actors: JoinSet<()>,
    releasers: JoinSet<()>,
}

impl Connection {
    fn start(world: &Arc<World>, plan: &Plan) -> Self {
        let pipes = [plan.pipe(world, 0), plan.pipe(world, 1)];
        let ((to_right, from_left), (to_left, from_right)) = (pipes[0].ends(), pipes[1].ends());
        let sides = [0, 1].map(|at| Side { world: Arc::clone(world), at });
        let connect = |transport, side: &Side| connect(transport, side.clone(), plan.options.clone());
        let (left, left_driver) = connect(Transport::new(from_right, to_right), &sides[0]);
        let (right, right_driver) = connect(Transport::new(from_left, to_left), &sides[1]);
        let drivers = [tokio::spawn(left_driver), tokio::spawn(right_driver)];
        let (mut actors, mut releasers) = (JoinSet::new(), JoinSet::new());
        for (side, peer) in sides.iter().zip([&left, &right]) {
            for _ in 0..=plan.dice.below(4) {
                let (side, actions) = (side.clone(), Arc::clone(&plan.actions));
                actors.spawn(side.act(peer.clone(), actions, plan.dice.below(plan.times)));
            }
            releasers.spawn(side.clone().release(peer.clone()));
        }
        Self { world: Arc::clone(world), peers: [left, right], drivers, pipes, actors, releasers }
    }

    async fn live(mut self, plan: &Plan) -> Result<(), String> {
        match plan.interruption {
            Some(interruption) => self.interrupt(plan, interruption).await,
            None => self.come_to_rest().await?,
        }
        let over = timeout(FOR_EVER, async {
            while self.actors.join_next().await.is_some() {}
            let [left, right] = &mut self.drivers;
            let _ = (left.await, right.await);
            self.releasers.shutdown().await;
        });
        over.await.map_err(|_| "the end never came".to_owned())
    }

    /// Waits until all actors are done and every answer has come. Then one side closes.
    async fn come_to_rest(&mut self) -> Result<(), String> {
        let done = timeout(FOR_EVER, async { while self.actors.join_next().await.is_some() {} }).await;
        if done.is_err() {
            return Err("everybody waits for somebody else".to_owned());
        }
        sleep(FOR_EVER).await;
        self.world.is_at_rest()?;
        self.peers[self.world.dice.index(2)].close();
        Ok(())
    }

    async fn interrupt(&self, plan: &Plan, interruption: Interruption) {
        for _ in 0..plan.dice.below(200) {
            yield_now().await;
        }
        let side = plan.dice.index(2);
        match interruption {
            Interruption::Close => self.peers[side].close(),
            Interruption::Drop => self.drivers[side].abort(),
            Interruption::Cut => self.pipes[side].cut(),
        }
    }
}
