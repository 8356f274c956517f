//! A schema of one's own becomes a crate of one's own: the worked example in
//! `examples/own-schema`, and the messages of `acp-codegen`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use toml::Table;
use xtask::codegen;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn example(name: &str) -> PathBuf {
    root().join("examples/own-schema").join(name)
}

/// Runs cargo in a package beside the workspace, which succeeds, and returns its output.
pub(crate) fn in_target(cargo: &mut Command, at: &Path) -> String {
    let output = in_target_folder(cargo, at);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Runs cargo in a package beside the workspace, with its lock file and its target folder: what the
/// workspace has built is not built again.
pub(crate) fn in_target_folder(cargo: &mut Command, at: &Path) -> Output {
    // The versions that this workspace has, so that nothing is fetched.
    fs::copy(root().join("Cargo.lock"), at.join("Cargo.lock")).unwrap();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    if std::env::var_os("CARGO_PROFILE_DEV_DEBUG").is_none() {
        cargo.env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
    }
    cargo.current_dir(at).env("CARGO_TARGET_DIR", target).output().unwrap()
}

/// An empty folder, the same one in each run: what was built in it is not built again.
pub(crate) fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn acp_codegen(at: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acp-codegen")).args(args).current_dir(at).output().unwrap()
}

fn generate(schema: &Path, overlay: &Path, out: &Path, more: &[&str]) -> Result<(), String> {
    let docs = example("docs");
    let arguments = [("--schema", schema), ("--overlay", overlay), ("--docs", &docs), ("--out", out)];
    let arguments = arguments.iter().flat_map(|(option, path)| [*option, path.to_str().unwrap()]);
    let arguments: Vec<String> = arguments.chain(more.iter().copied()).map(str::to_owned).collect();
    codegen::run(&arguments).map_err(|error| format!("{error:#}"))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if name == "generated" || name == "target" {
            continue;
        }
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

#[test]
fn the_example_becomes_a_crate_that_builds_and_passes_its_tests() {
    let folder = fresh("own_schema");
    let at = folder.as_path();
    copy(&example("."), at);
    let options =
        ["--schema", "schema.json", "--overlay", "overlay.toml", "--docs", "docs", "--out", "src/generated"];
    let check: Vec<&str> = options.iter().copied().chain(["--check"]).collect();
    let missing = acp_codegen(at, &check);
    assert!(!missing.status.success());
    let said = text(&missing.stderr);
    let command = format!("run `acp-codegen {}`", options.join(" "));
    assert!(said.contains(&command) && said.contains("missing: review.rs"), "{said}");
    assert!(!at.join("src/generated").exists());

    let written = acp_codegen(at, &options);
    assert_eq!((text(&written.stderr).as_str(), written.status.code()), ("", Some(0)));
    assert_eq!(
        text(&written.stdout),
        "added   review.rs\nadded   json_schema/mod.rs\nadded   json_schema/review.rs\nadded   mod.rs\n\
         added   messages.rs\nadded   json_schema/messages.rs\nadded   methods.rs\nadded   api.lock\n\
         8 files up to date after 8 changes\n"
    );
    for args in [&options[..], &check] {
        let again = acp_codegen(at, args);
        assert!(again.status.success());
        assert_eq!(text(&again.stdout), "8 files, all up to date\n");
    }
    assert!(!fs::read_to_string(at.join("src/generated/mod.rs")).unwrap().contains("crate::"));

    let manifest = fs::read_to_string(at.join("Cargo.toml")).unwrap();
    let crates = format!("path = \"{}/crates/", root().display());
    fs::write(at.join("Cargo.toml"), manifest.replace("path = \"../../crates/", &crates)).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    let passed = in_target(cargo.args(["test", "--quiet", "--offline", "--features", "schemars"]), at);
    assert!(passed.contains("4 passed"), "{passed}");
}

#[test]
fn the_help_and_the_options_are_told() {
    let folder = tempfile::tempdir().unwrap();
    for args in [&[][..], &["--help"], &["help"], &["--check", "-h"]] {
        let output = acp_codegen(folder.path(), args);
        assert!(output.status.success() && text(&output.stdout).starts_with("acp-codegen --schema"));
    }
    for (args, message) in [
        (&["--schema", "own.json"][..], "error: --out is missing; usage: acp-codegen"),
        (&["--out", "out"], "error: --schema is missing; usage: acp-codegen"),
        (&["--schema"], "error: --schema needs a value; usage: acp-codegen"),
        (&["--frob", "x"], "error: unknown option --frob; usage: acp-codegen"),
        (&["own.json"], "error: unknown option own.json; usage: acp-codegen"),
        (&["--schema", "own.json", "--out", "out"], "error: cannot read own.json"),
    ] {
        let output = acp_codegen(folder.path(), args);
        assert!(!output.status.success() && text(&output.stdout).is_empty());
        assert!(text(&output.stderr).starts_with(message), "{}", text(&output.stderr));
    }
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("generated");
    let (schema, overlay) = (example("schema.json"), example("overlay.toml"));
    let error = generate(&schema, &overlay, &out, &["--check"]).unwrap_err();
    assert!(error.starts_with("generated files differ"), "{error}");

    fs::create_dir_all(&out).unwrap();
    fs::write(out.join("mine.rs"), "pub struct Mine;\n").unwrap();
    let error = generate(&schema, &overlay, &out, &[]).unwrap_err();
    assert!(error.ends_with("name a folder with --out that belongs to the generator alone"), "{error}");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);

    let wrong = |line: &str| {
        let path = folder.path().join("overlay.toml");
        fs::write(&path, fs::read_to_string(&overlay).unwrap() + line).unwrap();
        generate(&schema, &path, &folder.path().join("other"), &[]).unwrap_err()
    };
    let error = wrong("[members]\nnothing = \"none\"\n");
    assert!(error.contains("match nothing in the schema") && error.ends_with("members / nothing"), "{error}");
    let error = wrong("[renames]\nreview = \"check\"\n");
    assert!(error.contains("there is no section [renames]") && error.contains("docs/SCHEMAS.md"), "{error}");
    let error = wrong("[members\n");
    assert!(error.starts_with("in ") && error.contains("TOML parse error"), "{error}");
}

/// A schema with these definitions, in a folder of its own.
struct Trial(TempDir);

impl Trial {
    fn new(definitions: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("schema.json"), format!("{{\"$defs\": {{{definitions}}}}}")).unwrap();
        Trial(folder)
    }

    fn run(&self, overlay: &Table) -> Result<(), String> {
        let at = self.0.path();
        fs::write(at.join("overlay.toml"), overlay.to_string()).unwrap();
        let paths = [("--schema", "schema.json"), ("--overlay", "overlay.toml"), ("--out", "out")];
        let paths = paths.map(|(option, name)| [option.to_owned(), at.join(name).display().to_string()]);
        codegen::own::run(&paths.concat()).map_err(|error| format!("{error:#}"))
    }
}

/// Definitions that need decisions, and the lines that the message says to add.
const OPEN: &[(&str, &str)] = &[
    (
        r#""T": {"type": "object", "properties": {"type": {"type": ["string", "null"]}, "self": {}, "new": {}}}"#,
        "[members]\n    new = \"new_value\"\n    self = \"self_value\"\n    type = \"type_value\"",
    ),
    (r#""T": {"type": "object", "properties": {"a_b": {}, "aB": {}}}"#, "[members]\n    aB = \"a_b_value\""),
    (r#""T": {"type": "object", "properties": {"2d": {}}}"#, "[members]\n    2d = \"the_2d_value\""),
    (
        r#""T": {"oneOf": [{"type": "string", "const": "a_b"}, {"type": "string", "const": "a-b"}]}"#,
        "[variants.T]\n    a-b = \"ABValue\"",
    ),
    (
        r#""T": {"oneOf": [{"type": "string", "const": "1.0"}, {"type": "string", "const": "self"}]}"#,
        "[variants.T]\n    \"1.0\" = \"The10Value\"\n    self = \"SelfValue\"",
    ),
    (
        r#""T": {"oneOf": [{"type": "object", "properties": {"k": {"type": "string", "const": "+"}}, "required": ["k"]}]}"#,
        "[variants.T]\n    \"+\" = \"Value\"",
    ),
    (
        r#""T": {"anyOf": [{"type": "integer", "format": "int32", "const": -7}, {"title": "Not found", "type": "integer", "format": "int32", "const": 404}]}"#,
        "[integers.T]\n    -7 = \"VALUE_MINUS_7\"\n    404 = \"NOT_FOUND\"",
    ),
    (
        r##""T": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}, "A": {"type": "object", "properties": {"a": {}}, "required": ["a"]}, "B": {"type": "object", "properties": {"b": {}}, "required": ["b"]}"##,
        "[arms.T]\n    A = \"A\"",
    ),
    (
        r#""T": {"anyOf": [{"title": "yes", "type": "object", "properties": {"y": {}}, "required": ["y"]}, {"title": "no", "type": "object", "properties": {"n": {}}, "required": ["n"]}]}"#,
        "[arm_types.T]\n    yes = \"TYes\"",
    ),
    (
        r#""T": {"type": "object", "properties": {"id": {}, "kind": {}}, "oneOf": [{"type": "object", "properties": {"k": {"type": "string", "const": "a"}}, "required": ["k"]}]}"#,
        "[flattened.T]\n    field = \"t_kind\"\n    type = \"TKind\"",
    ),
    (
        r##""T": {"type": "object", "properties": {"size": {"$ref": "#/$defs/S"}}}, "S": {"oneOf": [{"type": "string", "const": "small"}]}"##,
        "[defaults]\n    S = \"small\"",
    ),
    (
        r##""T": {"type": "object", "properties": {"size": {"allOf": [{"$ref": "#/$defs/S"}], "default": "large"}}}, "S": {"oneOf": [{"type": "string", "const": "small"}, {"type": "string", "const": "large"}]}"##,
        "[defaults]\n    S = \"large\"",
    ),
];

#[test]
fn messages_say_what_to_write_in_the_overlay_and_that_is_enough() {
    for (definitions, lines) in OPEN {
        let trial = Trial::new(definitions);
        let mut overlay = Table::new();
        let first = trial.run(&overlay).unwrap_err();
        assert!(first.contains(lines), "{first}\ndoes not have\n{lines}");
        // Each message leads on until nothing is open.
        let mut error = Some(first);
        for _ in 0..4 {
            let Some(message) = error else { break };
            let (_, added) = message
                .split_once("add to the overlay, with these names or better ones:\n")
                .unwrap_or_else(|| panic!("no lines to add: {message}"));
            merge(&mut overlay, added.parse().unwrap());
            error = trial.run(&overlay).err();
        }
        assert_eq!(error, None, "{definitions}");
    }
}

fn merge(table: &mut Table, other: Table) {
    for (key, value) in other {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(others)) => merge(inner, others),
            (_, value) => _ = table.insert(key, value),
        }
    }
}

/// Definitions that are refused, and the end of the message.
const REFUSED: &[(&str, &str)] = &[
    (
        r#""DeployRequest": {"type": "object", "x-method": "acme/deploy", "x-side": "agent"}, "DeployResponse": {"type": "object", "x-method": "acme/deploy", "x-side": "agent"}"#,
        "belong to the protocol: write \"x-method\": \"_acme/deploy\"",
    ),
    (
        r#""StopNotification": {"type": "object", "x-method": "$/stop", "x-side": "protocol"}"#,
        "belong to the protocol: write \"x-method\": \"_stop\"",
    ),
    (
        r#""Deploy": {"type": "object", "x-method": "_acme/deploy", "x-side": "agent"}"#,
        "in a schema without envelopes the name of the definition ends in Request, Response or Notification",
    ),
    (
        r#""DeployRequest": {"type": "object", "x-method": "_acme/deploy", "x-side": "agent"}"#,
        "add a definition for its result with \"x-method\": \"_acme/deploy\"",
    ),
    (
        r#""DeployResponse": {"type": "object", "x-method": "_acme/deploy", "x-side": "agent"}"#,
        "a result of _acme/deploy, but no definition has the params of such a request",
    ),
    (r#""URLList": {"type": "string"}"#, "give the definition another name, such as UrlList"),
    (r#""Result": {"type": "string"}"#, "the type name Result is taken; give the definition another name"),
    (
        r#""T": {"type": "object", "properties": {"b": {"type": "boolean"}}}"#,
        "say \"default\": false, or allow null with \"type\": [\"boolean\", \"null\"], or make it required",
    ),
    (
        r##""T": {"type": "object", "properties": {"o": {"$ref": "#/$defs/O"}}}, "O": {"type": "object"}"##,
        "allow null with \"anyOf\": [{ \"$ref\": \"#/$defs/O\" }, { \"type\": \"null\" }], or make it required",
    ),
    (
        r#""T": {"type": "object", "properties": {"e": {"type": "string", "enum": ["a", "b"]}}}"#,
        "write \"oneOf\": [{ \"type\": \"string\", \"const\": \"a\" }, { \"type\": \"string\", \"const\": \"b\" }] \
         (docs/SCHEMAS.md lists the keywords; xtask/src/schema/keywords.rs is their place)",
    ),
    (
        r#""T": {"type": "object", "additionalProperties": false}"#,
        "leave it out: readers pass over members that they do not know",
    ),
];

#[test]
fn refusals_say_what_to_write_in_the_schema() {
    for (definitions, end) in REFUSED {
        let error = Trial::new(definitions).run(&Table::new()).unwrap_err();
        assert!(error.ends_with(end), "{error}\ndoes not end with\n{end}");
    }
}

#[test]
fn a_union_does_not_take_the_name_of_a_member() {
    let trial = Trial::new(
        r#""T": {"type": "object", "properties": {"kind": {}}, "oneOf": [{"type": "object", "properties": {"k": {"type": "string", "const": "a"}}, "required": ["k"]}]}"#,
    );
    let error = trial.run(&"flattened.T = { type = \"K\", field = \"kind\" }".parse().unwrap()).unwrap_err();
    assert!(
        error.ends_with("has the name of the member kind; give it another in [flattened] of the overlay"),
        "{error}"
    );
}

#[test]
fn a_type_of_another_crate_is_named_by_its_path() {
    for path in ["SessionId", "acp_types::v1::Session", "acp_types.SessionId"] {
        let overlay = format!("elsewhere.SessionId = {path:?}").parse().unwrap();
        let error = Trial::new(r#""SessionId": {"type": "string"}"#).run(&overlay).unwrap_err();
        assert!(error.ends_with("such as \"acp_types::v1::SessionId\""), "{error}");
    }
}
