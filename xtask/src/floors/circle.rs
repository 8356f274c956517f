//! Files that import each other in a circle.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::import::Graph;

/// The files that can be reached from each other.
#[derive(Debug)]
pub struct Circle {
    /// In the order of their paths.
    pub files: Vec<usize>,
    /// One of the shortest ways around, from a file back to it.
    pub way: Vec<usize>,
}

/// The circles of a crate, the largest first.
#[must_use]
pub fn circles(graph: &Graph) -> Vec<Circle> {
    let mut next: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (from, to) in graph.imports.keys() {
        next.entry(*from).or_default().insert(*to);
    }
    let reached: BTreeMap<usize, BTreeSet<usize>> =
        next.keys().map(|file| (*file, reachable(&next, *file))).collect();
    let reaches = |from: usize, to: usize| reached.get(&from).is_some_and(|of| of.contains(&to));
    let (mut circles, mut done) = (Vec::new(), BTreeSet::new());
    for &file in next.keys() {
        if done.contains(&file) || !reaches(file, file) {
            continue;
        }
        let mut files: Vec<usize> =
            next.keys().copied().filter(|other| reaches(file, *other) && reaches(*other, file)).collect();
        done.extend(files.iter().copied());
        files.sort_by_key(|file| graph.path(*file).to_owned());
        let ways = files.iter().filter_map(|file| way_around(&next, *file));
        let way = ways.min_by_key(Vec::len).unwrap_or_default();
        circles.push(Circle { files, way });
    }
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.files.len()));
    circles
}

fn reachable(next: &BTreeMap<usize, BTreeSet<usize>>, from: usize) -> BTreeSet<usize> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        for to in next.get(&file).into_iter().flatten() {
            if seen.insert(*to) {
                open.push(*to);
            }
        }
    }
    seen
}

/// The shortest way from a file back to itself.
fn way_around(next: &BTreeMap<usize, BTreeSet<usize>>, start: usize) -> Option<Vec<usize>> {
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(file) = open.pop_front() {
        for &to in next.get(&file).into_iter().flatten() {
            if to == start {
                let mut way = vec![start, file];
                while let Some(earlier) = before.get(&way[way.len() - 1]) {
                    way.push(*earlier);
                }
                way.dedup();
                if way.last() != Some(&start) {
                    way.push(start);
                }
                way.reverse();
                return Some(way);
            }
            if let Entry::Vacant(unseen) = before.entry(to) {
                unseen.insert(file);
                open.push_back(to);
            }
        }
    }
    None
}
