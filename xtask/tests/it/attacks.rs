//! Each attack in `docs/REMOTE.md` has the tests that its row names.

use std::fs;
use std::path::Path;

#[test]
fn each_attack_has_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/REMOTE.md")).unwrap();
    let (_, table) = page.split_once("| attack | answer | test |\n").unwrap();
    let (mut missing, mut rows) = (Vec::new(), 0);
    for row in table.lines().skip(1).take_while(|line| line.starts_with('|')) {
        let cell = row.trim_end_matches('|').rsplit('|').next().unwrap();
        let names: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        rows += 1;
        if names.is_empty() {
            missing.push(format!("no test: {row}"));
        }
        for name in names {
            let Some((module, test)) = name.split_once("::") else {
                let own = root.join("crates/acp-http/tests").join(name).join("main.rs");
                missing.extend((!own.exists()).then(|| name.to_owned()));
                continue;
            };
            let file = root.join(format!("crates/acp-http/tests/it/server/{module}.rs"));
            let text = fs::read_to_string(file).unwrap_or_default();
            missing.extend((!text.contains(&format!("fn {test}("))).then(|| name.to_owned()));
        }
    }
    assert!(rows > 20, "{rows}");
    assert_eq!(missing, Vec::<String>::new());
}
