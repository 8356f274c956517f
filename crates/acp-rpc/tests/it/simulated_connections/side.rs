//! One side of a simulated connection: its answers to calls, and its own actions.

use std::sync::Arc;

use acp_json::Node;
use acp_rpc::{CallError, CloseReason, Delivery, Error, Fault, Peer, Reply, Request, Service, Task};
use serde_core::ser::{Serialize, SerializeTuple, Serializer};
use testkit::Dice;
use tokio::task::yield_now;

use super::world::{LANES, World};

/// The depth of nested calls in both directions.
const DEPTH: u64 = 3;
const FILLER: &str =
    "filler that fills the queues with what nobody reads, over and over again, until they are full";

/// Answers `nest` (by calling the peer, one level less deep), `ask` (with the numbers of the steps
/// sent before), and `hang` (when it is cancelled). Takes the notification `step` in a lane, and
/// `tick` outside.
#[derive(Clone)]
pub(crate) struct Side {
    pub(crate) world: Arc<World>,
    pub(crate) at: usize,
}

/// The next action of a user of a connection.
#[derive(Clone, Copy)]
pub(crate) enum Action {
    Step,
    StepThatCalls,
    StepThatNotifies,
    StepThatHoldsUp,
    Call,
    CallInLane,
    GiveUp,
    CallNobody,
}

impl Action {
    /// Returns the actions in the connection of one seed: all of them, or only some, which then
    /// happen much more often.
    pub(crate) fn some(dice: &Dice) -> Vec<Self> {
        use Action::{
            Call, CallInLane, CallNobody, GiveUp, Step, StepThatCalls, StepThatHoldsUp, StepThatNotifies,
        };
        let all =
            [Step, StepThatCalls, StepThatNotifies, StepThatHoldsUp, Call, CallInLane, GiveUp, CallNobody];
        if dice.one_in(3) {
            return all.to_vec();
        }
        (0..=dice.below(3)).map(|_| *dice.pick(&all)).collect()
    }
}

/// The work of a step's job.
const PLAIN: u64 = 0;
const CALL: u64 = 1;
const NOTIFY: u64 = 2;
const HOLD: u64 = 3;

/// The params of a step. It gets its number when it is written, so numbers have the order of the
/// wire.
struct Step<'a> {
    side: &'a Side,
    lane: usize,
    chore: u64,
}

impl Serialize for Step<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = self.side.world.stamp(self.side.other(), self.lane);
        let mut params = serializer.serialize_tuple(4)?;
        params.serialize_element(&self.lane)?;
        params.serialize_element(&number)?;
        params.serialize_element(&self.chore)?;
        params.serialize_element(self.side.filler())?;
        params.end()
    }
}

/// The result of `ask`: the number of steps before it, for each lane.
struct Marks(Side);

impl Serialize for Marks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.world.marks(self.0.other()).serialize(serializer)
    }
}

impl Side {
    const fn other(&self) -> usize {
        1 - self.at
    }

    fn filler(&self) -> &'static str {
        let length = self.world.dice.index(FILLER.len());
        &FILLER[..length]
    }

    /// Yields a few times, or not at all.
    async fn dawdle(&self) {
        for _ in 0..self.world.dice.below(4) {
            yield_now().await;
        }
    }

    fn lane(&self) -> usize {
        self.world.dice.index(LANES)
    }

    async fn step(&self, peer: &Peer, chore: u64) -> Result<(), CallError> {
        peer.notify("step", &Step { side: self, lane: self.lane(), chore }).await
    }

    async fn nest(self, request: Request, depth: u64) -> Result<Reply, Error> {
        self.dawdle().await;
        if self.world.dice.one_in(4) {
            self.excuse("a step", self.step(&request.peer, PLAIN).await);
        }
        if depth == 0 {
            return Ok(Reply::new(0));
        }
        let deeper = request.peer.request::<_, u64>("nest", &(depth - 1, self.filler())).await;
        deeper.map(|deep| Reply::new(deep + 1)).map_err(|error| Error::internal(error.to_string()))
    }

    async fn ask(self, request: Request) -> Result<Reply, Error> {
        for _ in 0..self.world.dice.below(4) {
            self.excuse("a step", self.step(&request.peer, PLAIN).await);
        }
        self.dawdle().await;
        Ok(Reply::new(Marks(self)))
    }

    async fn hang(self, request: Request) -> Result<Reply, Error> {
        request.cancel.cancelled().await;
        self.dawdle().await;
        Err(Error::cancelled())
    }

    async fn job(self, peer: Peer, lane: usize, number: u64, chore: u64) {
        self.world.begins(self.at, lane, number);
        self.dawdle().await;
        match chore {
            CALL => self.excuse("a nested call", self.call(&peer, DEPTH).await),
            NOTIFY => self.excuse("a tick", peer.notify("tick", &[self.filler()]).await),
            HOLD => {
                self.world.held_up[self.at].add_permits(1);
                self.world.released[self.at].acquire().await.unwrap().forget();
            }
            _ => {}
        }
        self.dawdle().await;
        self.world.finishes(self.at, lane);
    }

    async fn call(&self, peer: &Peer, depth: u64) -> Result<(), CallError> {
        let answer = peer.request::<_, u64>("nest", &(depth, self.filler())).await?;
        if answer != depth {
            self.world.problem(format!("a call nested {depth} deep came back from {answer}"));
        }
        Ok(())
    }

    /// Checks an outcome. It may be a failure only if there is an excuse for it.
    fn excuse(&self, what: &str, outcome: Result<(), CallError>) {
        let Err(error) = outcome else { return };
        let excuses = self.world.excuses;
        let fine = match &error {
            CallError::Closed(_) => excuses.interrupted,
            CallError::Malformed { .. } => excuses.interrupted,
            CallError::Overloaded { .. } => excuses.overload,
            // A request that was given up on the other side fails here.
            CallError::Remote(_) => excuses.overload || excuses.interrupted,
            _ => false,
        };
        if !fine {
            self.world.problem(format!("{what} of side {} failed: {error}", self.at));
        }
    }

    /// Does this many of the actions, one after the other.
    pub(crate) async fn act(self, peer: Peer, actions: Arc<[Action]>, times: u64) {
        let _alive = self.world.alive();
        for _ in 0..times {
            self.dawdle().await;
            match self.world.dice.pick(&actions) {
                Action::Step => self.excuse("a step", self.step(&peer, PLAIN).await),
                Action::StepThatCalls => self.excuse("a step that calls", self.step(&peer, CALL).await),
                Action::StepThatNotifies => {
                    self.excuse("a step that notifies", self.step(&peer, NOTIFY).await)
                }
                Action::StepThatHoldsUp => self.excuse("a step that holds up", self.step(&peer, HOLD).await),
                Action::Call => self.excuse("a nested call", self.call(&peer, DEPTH).await),
                Action::CallInLane => self.excuse("a call in a lane", self.call_in_lane(&peer).await),
                Action::GiveUp => self.give_up(&peer).await,
                Action::CallNobody => self.call_nobody(&peer).await,
            }
        }
    }

    async fn call_in_lane(&self, peer: &Peer) -> Result<(), CallError> {
        let lane = self.lane();
        let marks: Vec<u64> = peer.request_in_lane(lane.to_string().into(), "ask", &[self.filler()]).await?;
        self.world.delivered(self.at, lane, marks[lane]);
        Ok(())
    }

    /// Begins a call and drops it: before it is on its way, after that, or when it is almost
    /// answered.
    async fn give_up(&self, peer: &Peer) {
        let (method, params) = (*self.world.dice.pick(&["hang", "hang", "ask"]), [self.filler()]);
        let patience = async {
            for _ in 0..self.world.dice.below(30) {
                yield_now().await;
            }
        };
        tokio::select! {
            biased;
            answer = peer.request::<_, Vec<u64>>(method, &params) => match answer {
                Err(error) => self.excuse("a call", Err(error)),
                Ok(_) if method == "hang" => self.world.problem("nobody may answer `hang`".to_owned()),
                Ok(_) => {}
            },
            () = patience => {}
        }
    }

    async fn call_nobody(&self, peer: &Peer) {
        match peer.request::<_, u64>("nobody", &[self.filler()]).await {
            Err(CallError::Remote(error)) if error.code == Error::METHOD_NOT_FOUND => {}
            Err(error) => self.excuse("a call of nobody", Err(error)),
            Ok(_) => self.world.problem("nobody answered".to_owned()),
        }
    }

    /// Releases jobs that block their lane, each after a call that must not wait for any lane.
    pub(crate) async fn release(self, peer: Peer) {
        while !peer.is_closed() {
            self.world.held_up[self.at].acquire().await.unwrap().forget();
            self.excuse("a call beside lanes", self.call(&peer, 0).await);
            self.world.released[self.at].add_permits(1);
        }
    }
}

impl Service for Side {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, Error> {
        let (side, alive, numbers) = (self.clone(), self.world.alive(), numbers(&params));
        match method {
            "nest" => Ok(Box::pin(async move {
                let _alive = alive;
                side.nest(request, numbers[0]).await
            })),
            "ask" => Ok(Box::pin(async move {
                let _alive = alive;
                side.ask(request).await
            })),
            "hang" => Ok(Box::pin(async move {
                let _alive = alive;
                side.hang(request).await
            })),
            _ => Err(Error::method_not_found(method)),
        }
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        let (side, alive, peer) = (self.clone(), self.world.alive(), peer.clone());
        if method == "tick" {
            return Delivery::Task(Box::pin(async move {
                let _alive = alive;
                side.dawdle().await;
            }));
        }
        let numbers = numbers(&params);
        let (lane, number, chore) = (usize::try_from(numbers[0]).unwrap(), numbers[1], numbers[2]);
        self.world.received(self.at, lane, number);
        let job = Box::pin(async move {
            let _alive = alive;
            side.job(peer, lane, number, chore).await;
        });
        Delivery::Lane { lane: lane.to_string().into(), job }
    }

    fn fault(&self, fault: Fault<'_>) {
        let excuses = self.world.excuses;
        let fine = match &fault {
            Fault::NotJson { .. } | Fault::Unaddressed { .. } => excuses.noise || excuses.interrupted,
            Fault::MalformedResponse { .. } => excuses.interrupted,
            _ => false,
        };
        if !fine {
            self.world.problem(format!("side {}: {fault}: {fault:?}", self.at));
        }
    }

    fn closed(&self, _: &CloseReason) {
        self.world.closed(self.at);
    }
}

/// Returns the numbers at the start of an array.
fn numbers(params: &Node<'_>) -> Vec<u64> {
    match params {
        Node::Seq(entries) => entries.iter().filter_map(Node::as_u64).collect(),
        _ => Vec::new(),
    }
}
