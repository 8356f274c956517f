//! The rule book: its pages are current, each id that is named is defined, and bad data is refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tempfile::TempDir;
use xtask::output::{Mode, files_below};
use xtask::rules;
use xtask::rules::book::{Book, DATA};

#[test]
fn the_pages_are_current_and_every_id_is_defined() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    rules::generate(root, Mode::Check).unwrap();
}

#[test]
fn each_rule_of_the_network_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let untested = fs::read_to_string(root.join(rules::UNTESTED)).unwrap();
    let of_network = |id: &&str| id.starts_with("rm-");
    let left: Vec<&str> = untested.lines().map(str::trim).filter(of_network).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Here a comment does not count, and informative rules do: the doc comment of a test of the crate
/// names each rule.
#[test]
fn each_rule_of_proxies_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let book = Book::read(&root.join(DATA)).unwrap();
    let mut named = BTreeSet::new();
    for path in files_below(&root.join("crates/acp-proxy/tests/it")).unwrap() {
        named.extend(named_by_tests(&fs::read_to_string(path).unwrap()));
    }
    let of_proxies = |id: &&str| id.starts_with("px-");
    let rules: Vec<&str> = book.rules().map(|rule| rule.id.as_str()).filter(of_proxies).collect();
    assert!(!rules.is_empty());
    let left: Vec<&&str> = rules.iter().filter(|id| !named.contains(**id)).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Returns the ids in doc comments of test functions.
fn named_by_tests(source: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for item in syn::parse_file(source).unwrap().items {
        let syn::Item::Fn(function) = item else { continue };
        let is_test = |attribute: &syn::Attribute| {
            attribute.path().segments.last().is_some_and(|segment| segment.ident == "test")
        };
        if !function.attrs.iter().any(is_test) {
            continue;
        }
        for attribute in function.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")) {
            let syn::Meta::NameValue(pair) = &attribute.meta else { continue };
            let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else { continue };
            named.extend(rules::id::ids(&text.value()).map(str::to_owned));
        }
    }
    named
}

#[test]
fn only_the_doc_comment_of_a_test_names_a_rule_of_proxies() {
    for (source, is_named) in [
        ("/// px-env-01: all four.\n#[test]\nfn a() {}", true),
        ("/// More of it.\n/// px-env-01.\n#[tokio::test]\nasync fn a() {}", true),
        ("/// px-env-01\nfn a() {}", false),
        ("// px-env-01\n#[test]\nfn a() {}", false),
        ("#[test]\nfn a() { let _ = \"px-env-01\"; }", false),
    ] {
        assert_eq!(named_by_tests(source).contains("px-env-01"), is_named, "{source}");
    }
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
