//! The faults of a crate's floors.

use std::collections::BTreeSet;

use super::circle::circles;
use super::import::Graph;
use super::list::{Floor, House, List, number};

/// Returns the faults of a crate's files, one line each.
#[must_use]
pub fn faults(graph: &Graph, house: &House, list: &List) -> Vec<String> {
    let mut faults = later_imports(graph, house);
    faults.extend(circle_faults(graph, list));
    faults.extend(list_faults(graph, house, list));
    for file in graph.source.files.iter().filter(|file| file.counts() && !file.documented) {
        faults.push(format!("src/{} does not say what it holds: it has no `//!`", file.path));
    }
    for &file in &graph.second_version {
        let path = graph.path(file);
        if !house.second_version.iter().any(|folder| path.starts_with(folder.as_str())) {
            faults.push(format!("src/{path} names `acp_types::v2`, outside of {:?}", house.second_version));
        }
    }
    faults
}

/// The imports of something that stands later in the list.
fn later_imports(graph: &Graph, house: &House) -> Vec<String> {
    let mut faults = Vec::new();
    let mut rooms = vec![("", &house.floors)];
    rooms.extend(house.inside.iter().map(|(folder, floors)| (folder.as_str(), floors)));
    for (folder, floors) in rooms {
        for &(from, to) in graph.imports.keys() {
            let (Some(lower), Some(upper)) = (entry(graph.path(from), folder), entry(graph.path(to), folder))
            else {
                continue;
            };
            if let (Some(of), Some(on)) = (number(floors, lower), number(floors, upper))
                && of < on
            {
                faults.push(format!(
                    "{lower} imports {upper}, which stands later: {}",
                    graph.describe(from, to)
                ));
            }
        }
    }
    faults
}

/// The entry of `folder` that a path begins with.
fn entry<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = if folder.is_empty() { path } else { path.strip_prefix(folder)?.strip_prefix('/')? };
    rest.split('/').next()
}

fn circle_faults(graph: &Graph, list: &List) -> Vec<String> {
    let mut faults = Vec::new();
    for circle in circles(graph) {
        let folder = |file: &usize| graph.path(*file).rsplit_once('/').map_or("", |(folder, _)| folder);
        let folders: BTreeSet<&str> = circle.files.iter().map(folder).collect();
        let number = circle.files.len();
        let ways: Vec<String> = circle.way.windows(2).map(|step| graph.describe(step[0], step[1])).collect();
        let way = ways.join(", ");
        if folders.len() > 1 {
            faults.push(format!("a circle of {number} files runs across the folders {folders:?}: {way}"));
        } else if number > list.circle {
            faults.push(format!("a circle has {number} files, {} is the limit: {way}", list.circle));
        }
    }
    faults
}

/// Entries that are not listed, or listed and not there.
fn list_faults(graph: &Graph, house: &House, list: &List) -> Vec<String> {
    let mut faults = Vec::new();
    let mut rooms = vec![("", &house.floors)];
    rooms.extend(house.inside.iter().map(|(folder, floors)| (folder.as_str(), floors)));
    for (folder, floors) in rooms {
        let entries: BTreeSet<&str> =
            graph.files().filter_map(|file| entry(graph.path(file), folder)).collect();
        let place = if folder.is_empty() { "src".to_owned() } else { format!("src/{folder}") };
        for missing in entries.iter().filter(|entry| number(floors, entry).is_none()) {
            faults.push(format!("{place}/{missing} is not in the list of floors"));
        }
        for listed in floors.iter().flat_map(Floor::entries) {
            if !entries.contains(listed.as_str()) && !entries.contains(format!("{listed}.rs").as_str()) {
                faults
                    .push(format!("{place}/{listed} is in the list of floors and has no hand-written file"));
            }
        }
        for group in floors {
            if let Floor::Files(entries) = group
                && let Some(other) = entries.iter().find(|entry| !entry.ends_with(".rs"))
            {
                faults.push(format!("{place}/{other} is a folder: it is a floor by itself"));
            }
        }
        let counted = entries.iter().filter(|entry| !["lib.rs", "main.rs"].contains(entry)).count();
        if folder.is_empty() && counted > list.entries {
            faults.push(format!("src has {counted} entries, {} is the limit", list.entries));
        }
    }
    faults
}
