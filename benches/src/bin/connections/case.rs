//! Races of turns: one script, by several pairs of client and agent.

use std::rc::Rc;

use anyhow::{Context as _, Result, ensure};
use benches::{Contender, Heap, Times, memory, race};

use crate::agents::Agent;
use crate::clients::{Client, Connected, Over};
use crate::run::runtime;
use crate::script::Script;

/// A client and an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair(pub(crate) Client, pub(crate) Agent);

/// A connected pair.
pub(crate) struct Contestant {
    pub(crate) pair: Pair,
    connected: Box<dyn Connected>,
}

impl Contestant {
    pub(crate) fn new(pair: Pair, over: Over, sessions: usize) -> Result<Self> {
        let Pair(client, agent) = pair;
        let connected = client
            .connect(&Rc::new(runtime()?), agent, over, sessions)
            .with_context(|| format!("{} with {}", client.name(), agent.name()))?;
        Ok(Contestant { pair, connected })
    }

    /// Runs the turns of one round, one for each prompt.
    pub(crate) fn turns(&self, prompts: &[&str], updates: usize) -> Result<()> {
        let came = self.connected.turns(prompts)?;
        ensure!(came == updates, "{came} updates instead of {updates}: {:?}", self.pair);
        Ok(())
    }

    /// Measures a turn on the heap of this process, after a first turn.
    pub(crate) fn heap(&self, script: Script) -> Result<Heap> {
        let prompt = script.to_string();
        for _ in 0..3 {
            self.turns(&[&prompt], script.updates())?;
        }
        let mut result = Ok(());
        let heap = memory(|| result = self.turns(&[&prompt], script.updates()));
        result.map(|()| heap)
    }
}

/// Connects all pairs. A pair that is not available is left out and reported.
pub(crate) fn contestants(
    pairs: &[Pair],
    over: Over,
    sessions: usize,
    mut skip: impl FnMut(&str, &anyhow::Error),
) -> Vec<Contestant> {
    let mut contestants = Vec::new();
    for &pair in pairs {
        match Contestant::new(pair, over, sessions) {
            Ok(contestant) => contestants.push(contestant),
            Err(error) => skip(pair.1.name(), &error),
        }
    }
    contestants
}

/// Races turns of `wide` sessions at once.
pub(crate) fn race_turns(
    contestants: &[Contestant],
    prompt: &str,
    wide: usize,
    rounds: usize,
) -> Result<Vec<Times>> {
    let prompts = vec![prompt; wide];
    let updates = Script::parse(prompt).updates() * wide;
    for contestant in contestants {
        contestant.turns(&prompts, updates)?;
    }
    let contenders: Vec<_> = contestants
        .iter()
        .map(|contestant| Contender {
            name: contestant.pair.0.name(),
            run: Box::new(|| contestant.turns(&prompts, updates).expect("it worked a moment ago")),
        })
        .collect();
    Ok(race(&contenders, rounds))
}

/// Returns the index of this pair.
pub(crate) fn find(contestants: &[Contestant], client: Client, agent: Agent) -> Option<usize> {
    contestants.iter().position(|contestant| contestant.pair == Pair(client, agent))
}
