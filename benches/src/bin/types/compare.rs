//! One message, decoded and encoded by each contender.

use std::hint::black_box;

use acp_types::FromNode;
use anyhow::{Context as _, Result, ensure};
use benches::{Contender, Times, allocations, race};
use serde_json::Value;

/// A message and the bars of its decoding.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) json: String,
    /// The speed of decoding relative to the official crate that is required.
    pub(crate) faster: f64,
    /// The most allocations of decoding.
    pub(crate) allocations: Option<u64>,
    compare: fn(&str, usize) -> Result<Comparison>,
}

/// The results, in the order of [`CONTENDERS`].
pub(crate) struct Comparison {
    pub(crate) decode: Vec<Times>,
    pub(crate) encode: Vec<Times>,
    /// The number of allocations of one decoding, and their bytes.
    pub(crate) allocations: Vec<(u64, u64)>,
}

/// The contenders.
pub(crate) const CONTENDERS: [&str; 3] = ["acp-types", "official", "Value"];

impl Case {
    /// A message that is an `O` here and a `T` in the official crate.
    pub(crate) fn new<O, T>(name: &'static str, json: String) -> Self
    where
        O: FromNode + serde::Serialize,
        T: serde::de::DeserializeOwned + serde::Serialize,
    {
        Case { name, json, faster: 1.0, allocations: None, compare: compare::<O, T> }
    }

    pub(crate) fn faster(self, faster: f64) -> Self {
        Case { faster, ..self }
    }

    pub(crate) fn allocations(self, allocations: u64) -> Self {
        Case { allocations: Some(allocations), ..self }
    }

    pub(crate) fn run(&self, rounds: usize) -> Result<Comparison> {
        (self.compare)(&self.json, rounds).with_context(|| self.name)
    }
}

fn compare<O, T>(json: &str, rounds: usize) -> Result<Comparison>
where
    O: FromNode + serde::Serialize,
    T: serde::de::DeserializeOwned + serde::Serialize,
{
    let (ours, report) = acp_types::from_str_reporting::<O>(json)?;
    ensure!(report.is_empty(), "acp-types passed something over: {report:?}");
    let theirs: T = serde_json::from_str(json)?;
    let value: Value = serde_json::from_str(json)?;
    // A contender that loses something has less work.
    let again: Value = serde_json::from_str(&acp_types::to_string(&ours))?;
    ensure!(keeps(&value, &again), "acp-types loses something: {again}");
    let again = serde_json::to_value(&theirs)?;
    ensure!(keeps(&value, &again), "the official crate loses something: {again}");

    let decoders = contenders([
        Box::new(|| drop(black_box(acp_types::from_str::<O>(black_box(json))))),
        Box::new(|| drop(black_box(serde_json::from_str::<T>(black_box(json))))),
        Box::new(|| drop(black_box(serde_json::from_str::<Value>(black_box(json))))),
    ]);
    let encoders = contenders([
        Box::new(|| drop(black_box(acp_types::to_string(black_box(&ours))))),
        Box::new(|| drop(black_box(serde_json::to_string(black_box(&theirs))))),
        Box::new(|| drop(black_box(serde_json::to_string(black_box(&value))))),
    ]);
    Ok(Comparison {
        allocations: decoders.iter().map(|decoder| allocations(|| (decoder.run)())).collect(),
        decode: race(&decoders, rounds),
        encode: race(&encoders, rounds),
    })
}

/// Returns true if all of `before` is in `after`, which may have more members: filled-in defaults.
fn keeps(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            before.iter().all(|(name, value)| after.get(name).is_some_and(|other| keeps(value, other)))
        }
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len() && before.iter().zip(after).all(|(one, other)| keeps(one, other))
        }
        _ => before == after,
    }
}

fn contenders<'a>(runs: [Box<dyn Fn() + 'a>; CONTENDERS.len()]) -> Vec<Contender<'a>> {
    CONTENDERS.into_iter().zip(runs).map(|(name, run)| Contender { name, run }).collect()
}
