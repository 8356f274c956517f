//! The difference between two texts, by lines.
//!
//! Lines that both sides have once are kept, as many as stand in the same order. Between two of
//! them the same is done again. It takes no more than `n log n` steps for a level, and few levels.

use std::collections::HashMap;

/// The most levels. What differs below them is replaced as a whole.
const MOST_LEVELS: usize = 24;

/// A line with its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Kept(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

/// Returns the lines of both texts, in the order of a patch.
pub(super) fn line_diff<'a>(old: &'a str, new: &'a str) -> Vec<Line<'a>> {
    let (old, new): (Vec<_>, Vec<_>) = (lines(old), lines(new));
    let mut diff = Vec::with_capacity(old.len().max(new.len()));
    compare(&old, &new, MOST_LEVELS, &mut diff);
    diff
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn compare<'a>(old: &[&'a str], new: &[&'a str], levels: usize, diff: &mut Vec<Line<'a>>) {
    let first = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (kept, old) = old.split_at(first);
    let (_, new) = new.split_at(first);
    let last = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
    let (old, end) = old.split_at(old.len() - last);
    let (new, _) = new.split_at(new.len() - last);
    diff.extend(kept.iter().copied().map(Line::Kept));
    between(old, new, levels, diff);
    diff.extend(end.iter().copied().map(Line::Kept));
}

/// Compares what has neither the first nor the last line in common.
fn between<'a>(mut old: &[&'a str], mut new: &[&'a str], levels: usize, diff: &mut Vec<Line<'a>>) {
    let anchors = match levels {
        0 => Vec::new(),
        _ => in_order(&common(old, new)),
    };
    if anchors.is_empty() {
        diff.extend(old.iter().copied().map(Line::Removed));
        diff.extend(new.iter().copied().map(Line::Added));
        return;
    }
    let (mut old_done, mut new_done) = (0, 0);
    for (old_at, new_at) in anchors {
        let (old_before, old_rest) = old.split_at(old_at - old_done);
        let (new_before, new_rest) = new.split_at(new_at - new_done);
        compare(old_before, new_before, levels - 1, diff);
        if let Some((line, rest)) = old_rest.split_first() {
            diff.push(Line::Kept(line));
            old = rest;
        }
        new = new_rest.split_first().map_or(new_rest, |(_, rest)| rest);
        (old_done, new_done) = (old_at + 1, new_at + 1);
    }
    compare(old, new, levels - 1, diff);
}

/// The positions of a line in both texts.
type Pair = (usize, usize);

/// Returns the lines that both sides have exactly once, in the order of the old side.
fn common(old: &[&str], new: &[&str]) -> Vec<Pair> {
    /// The only position, or nothing if there are several.
    fn places<'a>(lines: &[&'a str]) -> HashMap<&'a str, Option<usize>> {
        let mut places = HashMap::with_capacity(lines.len());
        for (index, line) in lines.iter().enumerate() {
            places.entry(*line).and_modify(|place| *place = None).or_insert(Some(index));
        }
        places
    }
    let (once, others) = (places(old), places(new));
    let pair = |(index, line): (usize, &&str)| {
        once.get(line).copied().flatten()?;
        Some((index, others.get(line).copied().flatten()?))
    };
    old.iter().enumerate().filter_map(pair).collect()
}

/// Returns the most pairs that stand in the same order on both sides.
fn in_order(pairs: &[Pair]) -> Vec<Pair> {
    // The last pair of the best row of each length, by its place in `pairs`.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let new_of = |place: usize| pairs.get(place).map_or(0, |pair| pair.1);
    for (place, (_, new)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| new_of(*end) < *new);
        before.push(length.checked_sub(1).and_then(|shorter| ends.get(shorter).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = place,
            None => ends.push(place),
        }
    }
    let mut row = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(place) = next {
        row.extend(pairs.get(place));
        next = before.get(place).copied().flatten();
    }
    row.reverse();
    row
}
