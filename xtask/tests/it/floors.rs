//! The floors of every crate: `xtask/floors.toml` says which folder stands on which, and the files
//! keep to it.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use xtask::floors::circle::circles;
use xtask::floors::import::Graph;
use xtask::floors::list::{House, List};
use xtask::floors::{Survey, page, unlisted};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[test]
#[expect(clippy::print_stdout, reason = "a failure shows the floors")]
fn every_crate_keeps_to_its_floors() {
    let list = List::read(root()).unwrap();
    assert_eq!(unlisted(root(), &list).unwrap(), [""; 0], "these are not in xtask/floors.toml");
    let mut faults = Vec::new();
    for (name, house) in &list.crates {
        let survey = Survey::of(root(), name, house, &list).unwrap();
        print!("{}", page::text(name, &survey.graph, house));
        survey.faults.iter().for_each(|fault| println!("  - {fault}"));
        if house.enforced {
            faults.extend(survey.faults.iter().map(|fault| format!("{name}: {fault}")));
        }
    }
    assert_eq!(faults, [""; 0], "`cargo xtask floors` prints the imports");
}

/// The files of a made-up crate, each as its path and text.
type Files = &'static [(&'static str, &'static str)];

/// Writes a crate of these files.
fn made_up(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join("src").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// The imports of a made-up crate, as `from -> to`.
fn imports(files: &[(&str, &str)]) -> Vec<String> {
    let folder = made_up(files);
    let graph = Graph::read(&folder.path().join("src"), "made-up").unwrap();
    let name = |(from, to): &(usize, usize)| format!("{} -> {}", graph.path(*from), graph.path(*to));
    let mut imports: Vec<String> = graph.imports.keys().map(name).collect();
    imports.sort();
    imports
}

#[test]
fn a_name_is_followed_to_the_file_that_defines_it() {
    let cases: &[(&str, Files, &[&str])] = &[
        (
            "a chain of `pub use`",
            &[
                ("lib.rs", "mod a; mod deep; pub use crate::deep::Thing;"),
                ("a.rs", "use crate::Thing;"),
                ("deep/mod.rs", "mod inner; pub(crate) use inner::Thing;"),
                ("deep/inner.rs", "pub struct Thing;"),
            ],
            &["a.rs -> deep/inner.rs"],
        ),
        (
            "a glob that shows what a module holds",
            &[
                ("lib.rs", "mod a; mod b;"),
                ("a.rs", "use crate::b::{Thing, other};"),
                ("b/mod.rs", "mod c; mod d; pub use c::*; pub use self::d::*;"),
                ("b/c.rs", "pub enum Thing {}"),
                ("b/d.rs", "pub fn other() {}"),
            ],
            &["a.rs -> b/c.rs", "a.rs -> b/d.rs"],
        ),
        (
            "a glob that imports",
            &[
                ("lib.rs", "mod a; mod b;"),
                ("a.rs", "use crate::b::*; fn f() -> Thing { Thing::new() }"),
                ("b.rs", "pub struct Thing;"),
            ],
            &["a.rs -> b.rs"],
        ),
        (
            "a rename, and a path through it",
            &[
                ("lib.rs", "mod a; mod b; use b as other;"),
                ("a.rs", "use super::other::Thing as It; use crate::other as same; fn f() { same::go() }"),
                ("b.rs", "pub struct Thing; pub fn go() {}"),
            ],
            &["a.rs -> b.rs"],
        ),
        (
            "nested and inline modules",
            &[
                ("lib.rs", "mod a;"),
                ("a.rs", "mod b; mod inline { fn f(_: super::b::c::Deep) {} }"),
                (
                    "a/b.rs",
                    "pub mod c { pub use self::own::Deep; mod own { pub struct Deep; } } fn g() { super::h() }",
                ),
            ],
            &["a.rs -> a/b.rs", "a/b.rs -> a.rs"],
        ),
        (
            "paths within types, patterns, functions and the tokens of macros",
            &[
                ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
                (
                    "a.rs",
                    "struct S { of: Vec<Option<crate::b::B>> } fn f(at: u8) { if let super::c::C::One(_) = at {} }",
                ),
                ("b.rs", "pub struct B; fn f() { println!(\"{}\", crate::c::LIMIT); }"),
                (
                    "c.rs",
                    "pub enum C { One(u8) } pub const LIMIT: u8 = 1; macro_rules! m { () => { $crate::d::go() } }",
                ),
                ("d.rs", "pub fn go() { use crate::e::E; }"),
                ("e.rs", "#[serde(with = \"crate::d\")] pub struct E; #[made(crate::b::B)] struct F;"),
            ],
            &["a.rs -> b.rs", "a.rs -> c.rs", "b.rs -> c.rs", "c.rs -> d.rs", "d.rs -> e.rs", "e.rs -> b.rs"],
        ),
        (
            "a macro that needs no import",
            &[
                ("lib.rs", "#[macro_use] mod a; mod b;"),
                ("a.rs", "macro_rules! made { () => {} }"),
                ("b.rs", "made!();"),
            ],
            &["b.rs -> a.rs"],
        ),
        (
            "a type that a macro writes",
            &[
                ("lib.rs", "mod a; mod b;"),
                ("a.rs", "use crate::b::Written;"),
                ("b.rs", "newtype!(Written);"),
            ],
            &["a.rs -> b.rs"],
        ),
        (
            "a function of a module's name",
            &[
                ("main.rs", "mod run; fn run() {}"),
                ("run.rs", "mod of; pub struct Run;"),
                ("run/of.rs", "use crate::run; fn f() { run::Run::new() }"),
            ],
            &["run/of.rs -> run.rs"],
        ),
        (
            "a module that lies in two places, by feature",
            &[
                (
                    "lib.rs",
                    "#[cfg(feature = \"x\")] mod a; #[cfg(not(feature = \"x\"))] #[path = \"no_a.rs\"] mod a; mod b;",
                ),
                ("a.rs", "pub struct A;"),
                ("no_a.rs", "pub struct A;"),
                ("b.rs", "use crate::a::A;"),
            ],
            &["b.rs -> a.rs", "b.rs -> no_a.rs"],
        ),
        (
            "a program and its library",
            &[
                ("lib.rs", "mod a; pub use a::A;"),
                ("a.rs", "pub struct A;"),
                ("main.rs", "mod b; use made_up::A;"),
                ("b.rs", "use std::fs; use made_up::A;"),
            ],
            &["b.rs -> a.rs", "main.rs -> a.rs"],
        ),
    ];
    for (name, files, expected) in cases {
        assert_eq!(imports(files), *expected, "{name}");
    }
}

#[test]
fn tests_generated_files_other_crates_and_modules_that_are_passed_through_do_not_count() {
    let none: &[(&str, &[(&str, &str)])] = &[
        (
            "tests",
            &[
                ("lib.rs", "mod a; mod b;"),
                (
                    "a.rs",
                    "#[cfg(test)] use crate::b::B; #[cfg(test)] mod tests; #[cfg(all(test, unix))] mod more { use crate::b::B; } struct S; impl S { #[cfg(test)] fn f() -> crate::b::B {} }",
                ),
                ("a/tests.rs", "use crate::b::B;"),
                ("b.rs", "pub struct B;"),
            ],
        ),
        (
            "generated files",
            &[
                ("lib.rs", "mod a; mod generated;"),
                ("a.rs", "use crate::generated::G; pub struct A;"),
                ("generated/mod.rs", "use crate::a::A; pub struct G;"),
            ],
        ),
        (
            "a name of another crate",
            &[
                ("lib.rs", "mod a; mod b; pub use other::v1 as types; pub use other::Error;"),
                ("a.rs", "use crate::types::B; use crate::Error; use ::b::B as C; use other::b::B as D;"),
                ("b.rs", "pub use other::*; pub struct B;"),
            ],
        ),
        (
            "code for another crate",
            &[
                ("lib.rs", "mod a;"),
                ("a.rs", "fn f() { quote!(crate::agent::Agent, super::of, made_up::other::Thing) }"),
            ],
        ),
        (
            "a re-export of what lies in the module, a variable of a module's name, a visibility",
            &[
                ("lib.rs", "mod b; pub use b::inner::B; fn f(b: u8) -> u8 { m!(b.inner, 'b, b); b }"),
                ("b/mod.rs", "pub mod inner; pub(crate) use inner::B;"),
                ("b/inner.rs", "pub(in crate::b) struct B; pub(in super::super) struct C;"),
            ],
        ),
    ];
    for (name, files) in none {
        assert_eq!(imports(files), [""; 0], "{name}");
    }
    // Not for tests only.
    let any = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "#[cfg(any(test, unix))] use crate::b::B;"),
        ("b.rs", "pub struct B;"),
    ];
    assert_eq!(imports(&any), ["a.rs -> b.rs"]);
}

#[test]
fn circles_are_found_with_the_shortest_way_around() {
    let folder = made_up(&[
        ("lib.rs", "mod a; mod b; mod c; mod d; mod e; mod f; mod g;"),
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use crate::c::C; pub struct B;"),
        ("c.rs", "use crate::a::A; use crate::b::B; pub struct C;"),
        ("d.rs", "use crate::a::A; pub struct D;"),
        ("e.rs", "use crate::d::D;"),
        ("f.rs", "use crate::d::D; use crate::g::G; pub struct F;"),
        ("g.rs", "use crate::d::D; use crate::f::F; pub struct G;"),
    ]);
    let graph = Graph::read(&folder.path().join("src"), "made-up").unwrap();
    let circles = circles(&graph);
    let paths = |files: &[usize]| files.iter().map(|file| graph.path(*file).to_owned()).collect::<Vec<_>>();
    assert_eq!(circles.len(), 2);
    assert_eq!(paths(&circles[1].way), ["f.rs", "g.rs", "f.rs"]);
    assert_eq!(paths(&circles[0].files), ["a.rs", "b.rs", "c.rs"]);
    assert_eq!(paths(&circles[0].way), ["b.rs", "c.rs", "b.rs"]);
    assert_eq!(graph.describe(circles[0].way[0], circles[0].way[1]), "b.rs -> c.rs (`crate::c::C`)");
}

/// The faults of a made-up crate with these floors.
fn faults(files: &[(&str, &str)], floors: &str) -> Vec<String> {
    let folder = made_up(files);
    // The survey looks for crates beside the tool by their names.
    fs::create_dir_all(folder.path().join("crates/acp-made")).unwrap();
    fs::rename(folder.path().join("src"), folder.path().join("crates/acp-made/src")).unwrap();
    let list = format!("lines = 5\nentries = 2\ncircle = 2\n[crate.acp-made]\nenforced = true\n{floors}\n");
    let list: List = toml::from_str(&list).unwrap();
    let house: &House = &list.crates["acp-made"];
    Survey::of(folder.path(), "acp-made", house, &list).unwrap().faults
}

#[test]
fn each_fault_is_named() {
    let doc = "//! Doc.\n";
    let with = |text: &str| format!("{doc}{text}");
    let (lib, a, b) = (with("mod a; mod b;"), with("use crate::b::B;"), with("pub struct B;"));
    let files: &[(&str, &str)] = &[("lib.rs", &lib), ("a/mod.rs", &a), ("b.rs", &b)];
    assert_eq!(faults(files, "floors = ['b.rs', 'a']"), [""; 0]);
    assert_eq!(
        faults(files, "floors = ['a', 'b.rs']"),
        ["a imports b.rs, which stands later: a/mod.rs -> b.rs (`crate::b::B`)"]
    );
    assert_eq!(
        faults(files, "floors = ['b.rs', 'c']"),
        ["src/a is not in the list of floors", "src/c is in the list of floors and has no hand-written file"]
    );
    assert_eq!(faults(files, "floors = [['b.rs', 'a']]"), ["src/a is a folder: it is a floor by itself"]);

    let back = with("use crate::a::A; pub struct B;");
    let circle: &[(&str, &str)] = &[("lib.rs", &lib), ("a/mod.rs", &a), ("b.rs", &back)];
    let found = faults(circle, "floors = ['b.rs', 'a']");
    assert!(found[0].starts_with("b.rs imports a, which stands later: b.rs -> a/mod.rs"), "{found:?}");
    assert!(found[1].starts_with("a circle of 2 files runs across the folders {\"\", \"a\"}: "), "{found:?}");

    let long = with("\n\n\n\npub struct B;");
    let odd: &[(&str, &str)] =
        &[("lib.rs", &lib), ("a.rs", "use acp_types::v2::Thing;"), ("b.rs", &long), ("c.rs", doc)];
    assert_eq!(
        faults(odd, "floors = ['b.rs', 'a.rs']"),
        [
            "src/a.rs does not say what it holds: it has no `//!`",
            "src/a.rs names `acp_types::v2`, outside of [\"wire\"]",
            "src/c.rs is declared by no module",
            "src/b.rs has 6 lines, 5 is the limit",
        ]
    );

    let lib = with("mod a; mod wire;");
    for code in ["use acp_types::{v1, v2};", "fn f() { acp_types::v2::methods::x(); }"].map(with) {
        let second: &[(&str, &str)] = &[("lib.rs", &lib), ("a.rs", &code), ("wire/mod.rs", &code)];
        assert_eq!(
            faults(second, "floors = ['wire', 'a.rs']"),
            ["src/a.rs names `acp_types::v2`, outside of [\"wire\"]"],
        );
    }

    let lib = with("mod a; mod b; mod c;");
    let three: &[(&str, &str)] = &[("lib.rs", &lib), ("a.rs", doc), ("b.rs", doc), ("c.rs", doc)];
    assert_eq!(faults(three, "floors = [['a.rs', 'b.rs', 'c.rs']]"), ["src has 3 entries, 2 is the limit"]);
    let around = [
        "use crate::b::B; pub struct A;",
        "use crate::c::C; pub struct B;",
        "use crate::a::A; pub struct C;",
    ];
    let around = around.map(with);
    let files: &[(&str, &str)] =
        &[("lib.rs", &lib), ("a.rs", &around[0]), ("b.rs", &around[1]), ("c.rs", &around[2])];
    let found = faults(files, "floors = [['a.rs', 'b.rs', 'c.rs']]");
    assert!(found[0].starts_with("a circle has 3 files, 2 is the limit: a.rs -> b.rs"), "{found:?}");
}

#[test]
fn an_order_within_a_folder_is_held_too() {
    let doc = "//! Doc.\n";
    let (lib, room) = (format!("{doc}mod room;"), format!("{doc}mod low; mod high; use low::Low;"));
    let (low, high) =
        (format!("{doc}use super::high::High; pub struct Low;"), format!("{doc}pub struct High;"));
    let files: &[(&str, &str)] =
        &[("lib.rs", &lib), ("room/mod.rs", &room), ("room/low.rs", &low), ("room/high.rs", &high)];
    let floors = |order: &str| format!("floors = ['room']\n[crate.acp-made.inside]\nroom = [{order}]");
    assert_eq!(faults(files, &floors("'high.rs', 'low.rs'")), [""; 0]);
    assert_eq!(
        faults(files, &floors("'low.rs', 'high.rs'")),
        ["low.rs imports high.rs, which stands later: room/low.rs -> room/high.rs (`super::high::High`)"]
    );
}

#[test]
fn the_limit_of_lines_is_the_one_of_the_style_guide() {
    let list = List::read(root()).unwrap();
    if let Ok(style) = fs::read_to_string(root().join("docs/STYLE.md")) {
        assert!(
            style.contains(&format!("{} lines", list.lines)),
            "docs/STYLE.md does not say {} lines",
            list.lines
        );
    }
}
