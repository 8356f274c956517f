//! `cargo xtask schema update` and `check`: what is imported, and how edits are noticed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use xtask::releases::run_in;
use xtask::schema::{SchemaFile, Upstream, verify};

/// A schema with `description` as prose, as the name of a property, as a constant and in a default.
const SMALL: &str = r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Small",
  "description": "prose",
  "$defs": {
    "Tool": {
      "description": "prose",
      "type": "object",
      "required": ["title"],
      "properties": {
        "title": {"description": "prose", "type": "string"},
        "description": {"type": ["string", "null"], "description": "prose"},
        "options": {"description": "prose", "allOf": [{"$ref": "#/$defs/Options"}], "default": {"description": "data"}},
        "properties": {"type": "array", "items": {"description": "prose", "type": "string"}}
      }
    },
    "Options": {
      "type": "object",
      "properties": {"description": {"type": "string"}}
    },
    "Kind": {
      "oneOf": [{"description": "prose", "type": "string", "const": "description"}]
    }
  }
}"##;

const SMALL_IMPORTED: &str = r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Small",
  "$defs": {
    "Tool": {
      "type": "object",
      "required": [
        "title"
      ],
      "properties": {
        "title": {
          "type": "string"
        },
        "description": {
          "type": [
            "string",
            "null"
          ]
        },
        "options": {
          "allOf": [
            {
              "$ref": "#/$defs/Options"
            }
          ],
          "default": {
            "description": "data"
          }
        },
        "properties": {
          "type": "array",
          "items": {
            "type": "string"
          }
        }
      }
    },
    "Options": {
      "type": "object",
      "properties": {
        "description": {
          "type": "string"
        }
      }
    },
    "Kind": {
      "oneOf": [
        {
          "type": "string",
          "const": "description"
        }
      ]
    }
  }
}
"##;

/// A workspace in a temporary folder, and a folder beside it to deliver schemas from.
struct Scratch {
    folder: TempDir,
}

impl Scratch {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("workspace")).unwrap();
        Self { folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    fn delivery(&self) -> String {
        self.folder.path().join("delivery").to_str().unwrap().to_owned()
    }

    fn deliver(&self, path: &str, text: &str) -> String {
        let path = Path::new(&self.delivery()).join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn run(&self, args: &[&str]) -> Result<String, String> {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        let mut out = Vec::new();
        match run_in(&self.root(), &args, &mut out) {
            Ok(()) => Ok(String::from_utf8(out).unwrap()),
            Err(error) => Err(format!("{error:#}")),
        }
    }

    fn imported(&self, file: SchemaFile) -> String {
        fs::read_to_string(file.in_workspace(&self.root())).unwrap()
    }

    fn is_empty(&self) -> bool {
        fs::read_dir(self.root()).unwrap().next().is_none()
    }
}

/// Calls `visit` with every schema object below `schema`, never with data or a map of names.
fn each_schema(schema: &Value, visit: &mut dyn FnMut(&Value)) {
    visit(schema);
    let member = |key| schema.get(key).filter(|value| !value.is_boolean());
    for named in ["$defs", "properties"].into_iter().filter_map(member) {
        named.as_object().unwrap().values().for_each(|schema| each_schema(schema, visit));
    }
    for arms in ["anyOf", "oneOf", "allOf"].into_iter().filter_map(member) {
        arms.as_array().unwrap().iter().for_each(|schema| each_schema(schema, visit));
    }
    for nested in ["items", "additionalProperties", "not"].into_iter().filter_map(member) {
        each_schema(nested, visit);
    }
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn imported_here(file: SchemaFile) -> Value {
    serde_json::from_slice(&fs::read(file.in_workspace(workspace())).unwrap()).unwrap()
}

#[test]
fn the_schemas_of_this_repository_hold_structure_only() {
    for file in SchemaFile::ALL {
        let schema = imported_here(file);
        let mut schemas = 0;
        each_schema(&schema, &mut |schema| {
            schemas += 1;
            assert!(schema.get("description").is_none(), "{}: {schema}", file.path());
        });
        assert!(schemas > 1000, "{}: the walk found only {schemas} schemas", file.path());
        let property = schema.pointer("/$defs/SessionConfigOption/properties/description/type");
        assert_eq!(property, Some(&json!(["string", "null"])), "{}", file.path());
    }
}

#[test]
fn the_schemas_of_this_repository_are_recorded_and_unchanged() {
    verify(workspace()).unwrap();
    let upstream = Upstream::load(workspace()).unwrap();
    for file in SchemaFile::ALL {
        let record = upstream.file(file).unwrap();
        assert_eq!(record.source, format!("npm:@agentclientprotocol/sdk@{}", record.release));
        assert_eq!(record.definitions, imported_here(file)["$defs"].as_object().unwrap().len());
        assert_eq!(record.upstream_sha256.len(), 64);
    }
    let mut out = Vec::new();
    run_in(workspace(), &["check".to_owned()], &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap().lines().count(), 4);
}

#[test]
fn importing_what_was_imported_changes_nothing() {
    let scratch = Scratch::new();
    let folder = workspace().join("schema");
    scratch.run(&["update", "--dir", folder.to_str().unwrap()]).unwrap();
    for file in SchemaFile::ALL {
        let here = fs::read_to_string(file.in_workspace(workspace())).unwrap();
        assert!(scratch.imported(file) == here, "{} differs", file.path());
    }
}

#[test]
fn prose_goes_while_names_data_and_order_stay() {
    let scratch = Scratch::new();
    let path = scratch.deliver("small.json", SMALL);
    let said = scratch.run(&["update", "--file", &path]).unwrap();
    assert_eq!(
        said,
        "schema/v1/schema.json: 3 definitions\nschema/UPSTREAM.toml: release local from file:small.json\n"
    );
    assert_eq!(scratch.imported(SchemaFile::V1), SMALL_IMPORTED);
    scratch.run(&["check"]).unwrap();
}

#[test]
fn a_folder_delivers_what_it_has_and_the_rest_is_kept() {
    let scratch = Scratch::new();
    for file in SchemaFile::ALL {
        scratch.deliver(file.path(), SMALL);
    }
    scratch.run(&["update", "--dir", &scratch.delivery(), "--release", "1.0.0"]).unwrap();
    fs::remove_dir_all(Path::new(&scratch.delivery()).join("v2")).unwrap();
    let said = scratch.run(&["update", "--dir", &scratch.delivery(), "--release", "1.1.0"]).unwrap();
    assert_eq!(
        said,
        "schema/v1/schema.json: 3 definitions\n\
         schema/v1/schema.unstable.json: 3 definitions\n\
         schema/v2/schema.json: not delivered, kept as of release 1.0.0\n\
         schema/v2/schema.unstable.json: not delivered, kept as of release 1.0.0\n\
         schema/UPSTREAM.toml: release 1.1.0 from dir\n"
    );
    let upstream = Upstream::load(&scratch.root()).unwrap();
    let releases: Vec<_> = upstream.files().map(|(_, record)| record.release.as_str()).collect();
    assert_eq!(releases, ["1.1.0", "1.1.0", "1.0.0", "1.0.0"]);
    scratch.run(&["check"]).unwrap();
}

#[test]
fn one_file_is_imported_beside_the_others() {
    let scratch = Scratch::new();
    scratch.deliver("v1/schema.json", SMALL);
    let said = scratch.run(&["update", "--dir", &scratch.delivery(), "--release", "1.0.0"]).unwrap();
    assert!(said.contains("schema/v2/schema.json: not delivered\n"), "{said}");
    let path = scratch.deliver("next.json", SMALL);
    scratch.run(&["update", "--file", &path, "--as", "v2-unstable", "--release", "next"]).unwrap();

    let upstream = Upstream::load(&scratch.root()).unwrap();
    let records: Vec<_> = upstream.files().map(|(file, it)| (file, &*it.release, &*it.source)).collect();
    let expected = [(SchemaFile::V1, "1.0.0", "dir"), (SchemaFile::V2Unstable, "next", "file:next.json")];
    assert_eq!(records, expected);
    assert_eq!(scratch.imported(SchemaFile::V2Unstable), SMALL_IMPORTED);
    let record = fs::read_to_string(scratch.root().join("schema/UPSTREAM.toml")).unwrap();
    assert!(!record.contains(scratch.folder.path().to_str().unwrap()), "a machine path: {record}");
}

#[test]
fn hashes_are_those_of_the_received_and_the_written_file() {
    let scratch = Scratch::new();
    let path = scratch.deliver("schema.json", r#"{"$defs":{"Id":{"type":"string"}}}"#);
    scratch.run(&["update", "--file", &path]).unwrap();
    let upstream = Upstream::load(&scratch.root()).unwrap();
    let record = upstream.file(SchemaFile::V1).unwrap();
    // As `sha256sum` prints them for the two texts.
    assert_eq!(record.upstream_sha256, "e054bfb71e2d47fb9c4255095289d2a01a6d083b9c628bc0150d26f6bb543315");
    assert_eq!(record.sha256, "e60b0cf1c387b2f5a9dc5c9f7450b09070367bf626186f0b5eb03a72b08531e7");
}

#[test]
fn an_edit_by_hand_is_noticed() {
    type Edit = fn(&Path);
    let cases: &[(Edit, &str)] = &[
        (
            |schema| fs::write(schema.join("v1/schema.json"), SMALL).unwrap(),
            "v1/schema.json: edited since it was imported",
        ),
        (|schema| fs::remove_file(schema.join("v1/schema.json")).unwrap(), "v1/schema.json: cannot be read"),
        (
            |schema| fs::write(schema.join("v1/extra.json"), "{}").unwrap(),
            "v1/extra.json: not recorded in schema/UPSTREAM.toml",
        ),
        (
            |schema| fs::remove_file(schema.join("UPSTREAM.toml")).unwrap(),
            "run `cargo xtask schema update --npm",
        ),
        (
            |schema| fs::write(schema.join("UPSTREAM.toml"), "file = 1").unwrap(),
            "schema/UPSTREAM.toml is damaged",
        ),
    ];
    for (edit, expected) in cases {
        let scratch = Scratch::new();
        let path = scratch.deliver("schema.json", SMALL);
        scratch.run(&["update", "--file", &path]).unwrap();
        verify(&scratch.root()).unwrap();
        edit(&scratch.root().join("schema"));
        let verified = format!("{:#}", verify(&scratch.root()).unwrap_err());
        let checked = scratch.run(&["check"]).unwrap_err();
        assert!(verified.contains(expected), "{verified}");
        assert!(checked.contains(expected), "{checked}");
    }
}

#[test]
fn an_edit_with_its_hash_is_still_read_strictly() {
    let scratch = Scratch::new();
    let path = scratch.deliver("schema.json", SMALL);
    scratch.run(&["update", "--file", &path]).unwrap();
    let upstream = Upstream::load(&scratch.root()).unwrap();
    let hashes = upstream.file(SchemaFile::V1).unwrap();
    let record = scratch.root().join("schema/UPSTREAM.toml");
    let text = fs::read_to_string(&record).unwrap();

    fs::write(&record, text.replace("definitions = 3", "definitions = 4")).unwrap();
    let error = scratch.run(&["check"]).unwrap_err();
    assert!(error.contains("v1/schema.json: the recorded number of definitions is wrong"), "{error}");

    fs::write(&record, text.replace(&hashes.sha256, &hashes.upstream_sha256)).unwrap();
    fs::write(SchemaFile::V1.in_workspace(&scratch.root()), SMALL).unwrap();
    let error = scratch.run(&["check"]).unwrap_err();
    assert!(error.contains("v1/schema.json: not as the import writes it (prose or layout)"), "{error}");
}

#[test]
fn wrong_arguments_say_what_is_right() {
    let cases: &[(&[&str], &str)] = &[
        (&[], "usage: cargo xtask schema update"),
        (&["import"], "usage: cargo xtask schema update"),
        (&["check", "now"], "usage: cargo xtask schema update"),
        (&["update"], "name one source: --npm, --dir or --file"),
        (&["update", "--dir", "a", "--file", "b"], "name one source: --npm, --dir or --file"),
        (&["update", "--npm"], "--npm needs a value"),
        (&["update", "--url", "x"], "unknown option --url"),
        (&["update", "--npm", "../2.4.0"], "--npm takes a version such as 2.4.0, not \"../2.4.0\""),
        (&["update", "--npm", "2.4.0", "--release", "x"], "an npm package states its own release"),
        (&["update", "--dir", "a", "--as", "v1"], "--as goes with --file"),
        (&["update", "--file", "a", "--as", "v3"], "--as does not know \"v3\""),
        (&["update", "--file", "a", "--release", "x\ny"], "--release takes a label on one line"),
        (&["update", "--file", "no-such-file.json"], "cannot read no-such-file.json"),
        (&["update", "--dir", "no-such-folder"], "name the folder that holds v1/schema.json"),
    ];
    for (args, expected) in cases {
        let scratch = Scratch::new();
        let error = scratch.run(args).unwrap_err();
        assert!(error.contains(expected), "{args:?}: {error}");
        assert!(scratch.is_empty(), "{args:?}");
    }
}
