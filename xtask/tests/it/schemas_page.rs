//! `docs/SCHEMAS.md` has every section of an overlay and every keyword that is read, and its
//! examples are true.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};
use toml::Table;
use xtask::codegen;
use xtask::codegen::overlay::SECTIONS;
use xtask::output::files_below;
use xtask::schema::{FORMATS, TYPES, keywords};

use crate::own_schema::{fresh, in_target};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn page() -> String {
    fs::read_to_string(root().join("docs/SCHEMAS.md")).unwrap()
}

/// The rows of the table whose heading begins so, cell by cell.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let lines = page.lines().skip_while(|line| !line.starts_with(heading)).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    let cells = |row: &str| row.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows: Vec<_> = rows.map(|row| cells(row.trim_matches('|'))).collect();
    assert!(!rows.is_empty(), "there is no table below {heading}");
    rows
}

/// The pieces of code in a cell.
fn code(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn section(row: &[String]) -> &str {
    code(&row[0])[0].trim_matches(['[', ']'])
}

/// A schema from the members that an example shows: definitions, or members of the root.
fn schema(example: &str) -> Value {
    let members: Map<String, Value> =
        serde_json::from_str(&format!("{{{example}}}")).unwrap_or_else(|error| panic!("{example}: {error}"));
    if members.keys().all(|name| name.starts_with(char::is_uppercase)) {
        return json!({ "$defs": members });
    }
    let mut root = json!({ "$defs": { "Name": { "type": "string" } } });
    root.as_object_mut().unwrap().extend(members);
    root
}

fn generate(schema: &Value, overlay: &str, at: &Path, out: &Path) -> Result<(), String> {
    let (schema_file, overlay_file) = (at.join("schema.json"), at.join("overlay.toml"));
    fs::write(&schema_file, schema.to_string()).unwrap();
    fs::write(&overlay_file, overlay).unwrap();
    let paths = [("--schema", &*schema_file), ("--overlay", &overlay_file), ("--out", out)];
    let args: Vec<String> =
        paths.iter().flat_map(|(option, path)| [(*option).to_owned(), path.display().to_string()]).collect();
    codegen::own::run(&args).map_err(|error| format!("{error:#}"))
}

fn has_keyword(value: &Value, keyword: &str) -> bool {
    match value {
        Value::Object(members) => {
            members.contains_key(keyword) || members.values().any(|value| has_keyword(value, keyword))
        }
        Value::Array(items) => items.iter().any(|value| has_keyword(value, keyword)),
        _ => false,
    }
}

#[test]
fn every_section_and_keyword_that_is_read_is_on_the_page() {
    let page = page();
    let own = table(&page, "| section | decides | definitions |");
    let of_protocol = table(&page, "| section | decides | entry |");
    let on_page: BTreeSet<&str> = own.iter().chain(&of_protocol).map(|row| section(row)).collect();
    assert_eq!(on_page, BTreeSet::from(SECTIONS));

    let rows = table(&page, "| keyword | stands in |");
    let on_page: Vec<(&str, &str)> = rows.iter().map(|row| (code(&row[0])[0], row[1].as_str())).collect();
    let read: Vec<(&str, String)> = keywords().map(|(name, places)| (name, places.join(", "))).collect();
    for (name, places) in &read {
        assert!(on_page.contains(&(name, places)), "| `{name}` | {places} | is not on the page");
    }
    assert_eq!(on_page.len(), read.len());
    let values = FORMATS.iter().map(|(name, _)| *name).chain(TYPES.iter().copied());
    for value in values {
        assert!(page.contains(&format!("`{value}`")), "{value} is not on the page");
    }
}

#[test]
fn the_entries_of_the_protocol_are_in_its_overlays() {
    let overlay = |name: &str| -> Table {
        fs::read_to_string(root().join("schema/overlay").join(name)).unwrap().parse().unwrap()
    };
    let overlays = [overlay("v1.toml"), overlay("v2.toml")];
    for row in table(&page(), "| section | decides | entry |") {
        let entry: Table = code(row.last().unwrap())[0].parse().unwrap();
        let found = overlays.iter().any(|overlay| holds(&overlay.clone().into(), &entry.clone().into()));
        assert!(found, "{entry} is in no overlay of the protocol");
        // An overlay of one's own that has it is refused, and the message names the section.
        let at = tempfile::tempdir().unwrap();
        let none = schema(r#""Name": {"type": "string"}"#);
        let error = generate(&none, &entry.to_string(), at.path(), &at.path().join("out")).unwrap_err();
        assert!(
            error.contains(&format!("[{}] belongs to the schema of the protocol", section(&row))),
            "{error}"
        );
    }
}

/// Tells whether all of `part` is in `whole`.
fn holds(whole: &toml::Value, part: &toml::Value) -> bool {
    match (whole, part) {
        (toml::Value::Table(whole), toml::Value::Table(part)) => {
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| holds(whole, part)))
        }
        (toml::Value::Array(whole), toml::Value::Array(part)) => part.iter().all(|item| whole.contains(item)),
        (whole, part) => whole == part,
    }
}

#[test]
fn every_example_of_the_page_is_generated_and_compiles() {
    let (page, folder) = (page(), fresh("schemas_page"));
    let at = folder.as_path();
    let mut modules = String::from("#![deny(warnings)]\n");
    let mut example = |label: &str, schema: &Value, overlay: &str| {
        let name = format!("example_{}", modules.lines().filter(|line| line.starts_with("pub mod")).count());
        let out = at.join("src").join(&name);
        generate(schema, overlay, at, &out).unwrap_or_else(|error| panic!("{label}: {error}"));
        modules.push_str(&format!("#[rustfmt::skip]\npub mod {name};\n"));
        out
    };
    for row in table(&page, "| section | decides | definitions |") {
        let (schema, overlay) = (schema(code(&row[2])[0]), code(&row[3]).join("\n"));
        example(&row[0], &schema, &overlay);
        // Without the entry the code is another one, or there is none.
        let table: Table = overlay.parse().unwrap();
        assert!(table.contains_key(section(&row)), "{overlay} is not about {}", row[0]);
        let without: String = code(&row[3])[1..].join("\n");
        let other = at.join("other");
        if generate(&schema, &without, at, &other).is_ok() {
            let text = |folder: &Path| {
                let files = files_below(folder).unwrap();
                files.iter().map(|file| fs::read_to_string(file).unwrap()).collect::<String>()
            };
            let with = at.join("with");
            generate(&schema, &overlay, at, &with).unwrap();
            assert_ne!(text(&with), text(&other), "{} changes nothing", row[0]);
            fs::remove_dir_all(with).unwrap();
            fs::remove_dir_all(other).unwrap();
        }
    }
    for row in table(&page, "| keyword | stands in |") {
        let (keyword, schema) = (code(&row[0])[0], schema(code(row.last().unwrap())[0]));
        assert!(has_keyword(&schema, keyword), "the example of {keyword} does not have it");
        example(keyword, &schema, "");
    }
    fs::write(at.join("src/lib.rs"), &modules).unwrap();
    let manifest = fs::read_to_string(root().join("examples/own-schema/Cargo.toml")).unwrap();
    let path = |name: &str| format!("{name} = {{ path = {:?} }}\n", root().join("crates").join(name));
    let head = manifest.split("[dependencies]").next().unwrap();
    let manifest = format!(
        "{head}[dependencies]\n{}{}serde_core = {{ version = \"1\", default-features = false, features = [\"std\"] }}\n\
         [workspace]\n",
        path("acp-json"),
        path("acp-types")
    );
    fs::write(at.join("Cargo.toml"), manifest).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    in_target(cargo.args(["check", "--quiet", "--offline"]), at);
}
