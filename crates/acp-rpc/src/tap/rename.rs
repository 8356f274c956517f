//! Ids of the live side in place of the recorded ones.

use std::borrow::Cow;
use std::collections::HashMap;

use acp_json::Node;

/// Members that differ from run to run, and do not tell requests apart.
const VARYING: [&str; 4] = ["_meta", "agentInfo", "clientInfo", "cwd"];

/// The live names of recorded ids: of sessions, terminals and everything else with an id in a
/// result.
#[derive(Default)]
pub(super) struct Renames {
    names: HashMap<String, String>,
}

impl Renames {
    /// Learns the ids that a result of the live side has in place of the recorded ones.
    pub(super) fn learn(&mut self, recorded: &Node<'_>, live: &Node<'_>) {
        match (recorded, live) {
            (Node::Seq(recorded), Node::Seq(live)) => {
                recorded.iter().zip(live).for_each(|(recorded, live)| self.learn(recorded, live));
            }
            (Node::Map(members), Node::Map(_)) => {
                for (name, recorded) in members {
                    match (recorded, live.get(name)) {
                        (Node::Str(recorded), Some(Node::Str(live))) if is_id(name) && recorded != live => {
                            self.names.insert(recorded.clone().into_owned(), live.clone().into_owned());
                        }
                        (recorded, Some(live)) => self.learn(recorded, live),
                        (_, None) => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns true if a value of the live side is the recorded one, but for ids that have live
    /// names and members that differ from run to run.
    pub(super) fn is_alike(&self, recorded: &Node<'_>, live: &Node<'_>) -> bool {
        match (recorded, live) {
            (Node::Seq(recorded), Node::Seq(live)) => {
                recorded.len() == live.len()
                    && recorded.iter().zip(live).all(|(recorded, live)| self.is_alike(recorded, live))
            }
            (Node::Map(recorded), Node::Map(others)) => {
                let counted = |(name, _): &&(Cow<'_, str>, Node<'_>)| !VARYING.contains(&&**name);
                recorded.iter().filter(counted).count() == others.iter().filter(counted).count()
                    && recorded.iter().filter(counted).all(|(name, recorded)| {
                        match (recorded, live.get(name)) {
                            (Node::Str(id), Some(Node::Str(live))) if is_id(name) => {
                                id == live || self.names.get(&**id).is_some_and(|name| name == live)
                            }
                            (recorded, Some(live)) => self.is_alike(recorded, live),
                            (_, None) => false,
                        }
                    })
            }
            (recorded, live) => recorded == live,
        }
    }

    /// Puts the live ids into a message that was recorded.
    pub(super) fn apply(&self, node: &mut Node<'_>) {
        match node {
            Node::Seq(items) => items.iter_mut().for_each(|item| self.apply(item)),
            Node::Map(members) => {
                for (name, value) in members {
                    match value {
                        Node::Str(id) if is_id(name) => {
                            if let Some(live) = self.names.get(&**id) {
                                *id = Cow::Owned(live.clone());
                            }
                        }
                        other => self.apply(other),
                    }
                }
            }
            Node::Null
            | Node::Bool(_)
            | Node::U64(_)
            | Node::I64(_)
            | Node::F64(_)
            | Node::Exact(_)
            | Node::Str(_) => {}
        }
    }
}

fn is_id(name: &str) -> bool {
    name == "id" || name.ends_with("Id")
}
