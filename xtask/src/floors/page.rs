//! The floors of a crate, as they are printed.

use std::fmt::Write;

use super::circle::circles;
use super::import::Graph;
use super::list::{House, number};

/// The floors with their numbers of files, the highest first, and the circles.
#[must_use]
pub fn text(name: &str, graph: &Graph, house: &House) -> String {
    let mut page = String::new();
    let circles = circles(graph);
    let largest = circles.first().map_or(1, |circle| circle.files.len());
    let enforced = if house.enforced { "" } else { " (not enforced)" };
    let _ = writeln!(page, "{name}: {} files, largest circle {largest}{enforced}", graph.files().count());
    for (entries, files) in floors(graph, house) {
        let _ = writeln!(page, "  {files:>3}  {entries}");
    }
    for circle in circles {
        let paths: Vec<&str> = circle.files.iter().map(|file| graph.path(*file)).collect();
        let _ = writeln!(page, "  circle of {}: {}", circle.files.len(), paths.join(", "));
        for step in circle.way.windows(2) {
            let _ = writeln!(page, "      {}", graph.describe(step[0], step[1]));
        }
    }
    page
}

/// Each floor, the highest first, with the number of its files.
#[must_use]
pub fn floors(graph: &Graph, house: &House) -> Vec<(String, usize)> {
    let count = |floor: Option<usize>| {
        let of =
            |file: &usize| number(&house.floors, graph.path(*file).split('/').next().unwrap_or_default());
        graph.files().filter(|file| of(file) == floor).count()
    };
    let mut floors: Vec<(String, usize)> = house
        .floors
        .iter()
        .enumerate()
        .map(|(index, floor)| (floor.entries().join(", "), count(Some(index))))
        .collect();
    floors.push(("the root".to_owned(), count(Some(house.floors.len()))));
    floors.push(("not listed".to_owned(), count(None)));
    floors.retain(|(_, files)| *files > 0);
    floors.reverse();
    floors
}

/// Every import of every file, for who looks for a cut.
#[must_use]
pub fn imports(graph: &Graph) -> String {
    let mut page = String::new();
    for ((from, to), paths) in &graph.imports {
        let _ = writeln!(page, "  {} -> {}: {}", graph.path(*from), graph.path(*to), paths.join(", "));
    }
    page
}
