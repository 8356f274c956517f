//! The figures that `README.md` states are those of the tables in `docs/PERFORMANCE.md`.

use std::fs;
use std::path::Path;

const END: &str = "<!-- end -->";

fn document(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of a table, cell by cell; the header is the first.
fn table(document: &str, name: &str) -> Vec<Vec<String>> {
    let (_, rest) =
        document.split_once(&format!("<!-- table {name} -->\n")).unwrap_or_else(|| panic!("no {name}"));
    let rows = rest.split_once(END).unwrap().0.lines().filter(|line| !line.starts_with("| -"));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// The cell `offset` columns to the right of the column, in the row that begins like this.
fn cell(rows: &[Vec<String>], start: &[&str], column: &str, offset: usize) -> String {
    let index =
        rows[0].iter().position(|name| name == column).unwrap_or_else(|| panic!("no column {column}"));
    let row = rows.iter().find(|row| row.iter().zip(start).all(|(cell, wanted)| cell == wanted));
    row.unwrap_or_else(|| panic!("no row {start:?}"))[index + offset].clone()
}

fn figure<'a>(readme: &'a str, name: &str) -> &'a str {
    let marker = format!("<!-- figure {name} -->");
    readme.split_once(&marker).unwrap_or_else(|| panic!("no {marker}")).1.split_once(END).unwrap().0
}

#[test]
fn the_turns_of_the_readme_are_those_of_the_table() {
    let (readme, turns) = (document("README.md"), table(&document("docs/PERFORMANCE.md"), "turns"));
    let figures = [
        ("turn-ours", "ours"),
        ("turn-official", "Rust SDK"),
        ("turn-official-streams", "Rust SDK, ByteStreams"),
    ];
    for (name, side) in figures {
        let ratio = cell(&turns, &[side, side], "16 updates", 1);
        assert_eq!(format!("{}x", figure(&readme, name)), ratio, "{name}");
    }
    let named = readme.matches("<!-- figure ").count();
    assert_eq!(named, figures.len() + 1, "a figure of the README is compared with no table");
}

#[test]
fn pinned_and_unpinned_figures_stand_beside_each_other() {
    let document = document("docs/PERFORMANCE.md");
    for name in ["turns", "large"] {
        let rows = table(&document, name);
        let count = |wanted: &str| rows[0].iter().filter(|column| *column == wanted).count();
        assert_eq!(count("unpinned"), count("of floor"), "{name}");
        for side in ["ours", "Rust SDK", "Rust SDK, ByteStreams"] {
            for pair in [["floor", side], [side, "floor"], [side, side]] {
                assert!(rows.iter().any(|row| row[..2] == pair), "{name} has no row {pair:?}");
            }
        }
    }
}

#[test]
fn the_types_of_the_readme_are_those_of_the_tables() {
    let document_of_figures = document("docs/PERFORMANCE.md");
    let rows = table(&document_of_figures, "decoding");
    let column = rows[0].iter().position(|name| name == "official / ours").unwrap();
    let mut ratios: Vec<f64> =
        rows[1..].iter().map(|row| row[column].trim_end_matches('x').parse().unwrap()).collect();
    ratios.sort_by(f64::total_cmp);
    let range = format!("{:.1} to {:.1}", ratios[0], ratios[ratios.len() - 1]);
    let readme = document("README.md");
    assert_eq!(figure(&readme, "decoding"), range);
    let crates = cell(&table(&document_of_figures, "weight"), &["crates in the tree"], "acp-types", 0);
    assert_eq!(crates, "7", "the README says seven");
    assert!(readme.contains("`acp-types` and its dependencies are seven crates"));
    assert!(readme.contains("six dependencies in all"));
}
