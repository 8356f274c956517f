//! The rule book: its pages are current, each id that is named is defined, and bad data is refused.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use xtask::output::Mode;
use xtask::rules;

#[test]
fn the_pages_are_current_and_every_id_is_defined() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    rules::generate(root, Mode::Check).unwrap();
}

/// Stores have tests of their own, which do not name the rules one by one.
#[test]
fn each_rule_of_the_network_for_servers_and_clients_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let untested = fs::read_to_string(root.join(rules::UNTESTED)).unwrap();
    let of_network = |id: &&str| id.starts_with("rm-") && !id.starts_with("rm-st-");
    let left: Vec<&str> = untested.lines().map(str::trim).filter(of_network).collect();
    assert!(left.is_empty(), "{left:?}");
}

const RULE: &str = r#"
[[area.rule]]
id = "v1-turn-02"
text = "The answer ends the turn."
binds = ["agent"]
strength = "fact"
force = "binding"
seen = "an agent: order"
"#;

/// A workspace with one chapter.
fn workspace(rules: &str) -> TempDir {
    let workspace = tempfile::tempdir().unwrap();
    write(
        &workspace,
        "crates/acp-testkit/rules/v1.toml",
        &format!("title = \"One\"\nintro = \"Of one.\"\n[[area]]\ntitle = \"Turns\"\n{rules}"),
    );
    workspace
}

fn write(workspace: &TempDir, path: &str, text: &str) {
    let path = workspace.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn error(workspace: &TempDir, mode: Mode) -> String {
    format!("{:#}", rules::generate(workspace.path(), mode).unwrap_err())
}

#[test]
fn data_that_says_nothing_or_two_things_is_refused() {
    for (rule, expected) in [
        (format!("{RULE}{RULE}"), "`v1-turn-02` is defined twice"),
        (RULE.replace("v1-turn-02", "v1-Turn-2"), "`v1-Turn-2` is not an id"),
        (RULE.replace("[\"agent\"]", "[]"), "`v1-turn-02` binds nobody"),
        (RULE.replace("\"agent\"", "\"editor\""), "`v1-turn-02` binds `editor`"),
        (RULE.replace("The answer ends the turn.", " "), "`v1-turn-02` has no text"),
        (RULE.replace("fact", "may"), "`v1-turn-02` permits"),
        (RULE.replace("seen", "sene"), "unknown field `sene`"),
    ] {
        let error = error(&workspace(&rule), Mode::Write);
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn an_id_that_is_not_defined_is_named_with_its_file() {
    let workspace = workspace(RULE);
    write(&workspace, "crates/acp/src/lib.rs", "// v1-turn-02, v1-turn-03 and a v1-shaped line\n");
    assert!(error(&workspace, Mode::Write).ends_with("crates/acp/src/lib.rs: v1-turn-03"));
}

#[test]
fn a_test_that_comes_or_goes_changes_the_list_of_untested_rules() {
    let workspace = workspace(RULE);
    let list = || fs::read_to_string(workspace.path().join(rules::UNTESTED)).unwrap();
    rules::generate(workspace.path(), Mode::Write).unwrap();
    assert!(list().contains("v1-turn-02"));
    for test in ["fn v1_turn_02_order() {}", "// v1-turn-02"] {
        write(&workspace, "crates/acp/tests/turn.rs", test);
        assert!(error(&workspace, Mode::Check).contains("stale:   crates/acp-testkit/rules/untested.txt"));
        rules::generate(workspace.path(), Mode::Write).unwrap();
        assert!(!list().contains("v1-turn-02"));
        fs::remove_file(workspace.path().join("crates/acp/tests/turn.rs")).unwrap();
        rules::generate(workspace.path(), Mode::Write).unwrap();
        assert!(list().contains("v1-turn-02"));
    }
}

#[test]
fn a_rule_stands_on_its_page_with_an_anchor() {
    let workspace = workspace(RULE);
    rules::generate(workspace.path(), Mode::Write).unwrap();
    let page = fs::read_to_string(workspace.path().join("docs/rules/v1.md")).unwrap();
    let row = "| <a id=\"v1-turn-02\"></a>`v1-turn-02` | agent | fact | The answer ends the turn. | an agent: order |";
    assert!(page.contains(row), "{page}");
    write(&workspace, "docs/rules/v1.md", "edited");
    assert!(error(&workspace, Mode::Check).contains("run `cargo xtask rules`"));
}
