//! Definitions that two versions share: they must be the same, down to what they are made of.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use xtask::codegen::ir::Schema;
use xtask::codegen::overlay::Overlay;
use xtask::codegen::{Count, lower, merge, shared};

const ID: &str = r#""Id": {"type": "string"}"#;
const PARCEL: &str = r##""Parcel": {"type": "object", "properties": {"id": {"$ref": "#/$defs/Id"},
    "note": {"type": ["string", "null"]}}, "required": ["id"]}"##;
const BARE: &str = r##""Parcel": {"type": "object", "properties": {"id": {"$ref": "#/$defs/Id"}},
    "required": ["id"]}"##;
const ENVELOPE: &str = r#""Envelope": {"x-docs-ignore": true}"#;

/// The definitions of the first and the second version, `unstable` apart; the shared ones; and the
/// error.
const REFUSED: &[(Version, Version, &str, &str)] = &[
    (
        (&[ID], &[]),
        (&[r#""Id": {"type": "integer", "format": "int64"}"#], &[]),
        r#"v1 = ["Id"]"#,
        r##"definition "v2 Id" at #/$defs/Id: [shared] of the overlay makes it the v1 type, but v1 Id and v2 Id differ"##,
    ),
    (
        (&[ID, PARCEL], &[]),
        (&[ID, BARE], &[]),
        r#"v1 = ["Id", "Parcel"]"#,
        r##"definition "v2 Parcel" at #/$defs/Parcel: [shared] of the overlay makes it the v1 type, but v1 Parcel and v2 Parcel differ in `note`"##,
    ),
    (
        (&[], &[ID]),
        (&[ID], &[]),
        r#"v1 = ["Id"]"#,
        r##"definition "v2 Id" at #/$defs/Id: [shared] of the overlay makes it the v1 type, but it is unstable in v1 and stable in v2"##,
    ),
    (
        (&[PARCEL, ID], &[]),
        (&[PARCEL, ID], &[]),
        r#"v1 = ["Parcel"]"#,
        r##"definition "v2 Parcel" at #/$defs/Parcel: [shared] of the overlay has it, but not Id, which the v1 type has"##,
    ),
    (
        (&[], &[]),
        (&[ID], &[]),
        r#"v1 = ["Id"]"#,
        r##"definition "v2 Id" at #/$defs/Id: [shared] of the overlay makes it the v1 type, but v1 has no definition of this name"##,
    ),
    (
        (&[ID], &[]),
        (&[ID], &[]),
        r#"v3 = ["Id"]"#,
        r##"definition "v2 Id" at #/$defs/Id: [shared] of the overlay makes it the v3 type, but no version before v2 is called v3"##,
    ),
];

/// Definitions of both schemas, and those of the unstable one only.
type Version = (&'static [&'static str], &'static [&'static str]);

#[test]
fn definitions_that_differ_are_not_shared() {
    for (first, second, list, expected) in REFUSED {
        let overlay = overlay(list);
        let first = read(first);
        let refused = shared::find("v2", &read(second), &overlay, &[("v1", &first)]).unwrap_err();
        let [defect] = refused.0.as_slice() else { panic!("{refused}") };
        assert_eq!(defect.to_string(), *expected);
        overlay.all_used().unwrap();
    }
}

#[test]
fn each_definition_counts_once() {
    let overlay = overlay(r#"v1 = ["Id", "Gone"]"#);
    let first = read(&(&[ID, PARCEL, ENVELOPE], &[]));
    let mut second = read(&(&[ID, BARE, ENVELOPE], &[]));
    second.shared = shared::find("v2", &second, &overlay, &[("v1", &first)]).unwrap();
    assert_eq!(second.shared.keys().collect::<Vec<_>>(), ["Id"]);
    assert_eq!(Count::of("v1", &first), Count { version: "v1", emitted: 2, shared: 0, skipped: 1 });
    let count = Count::of("v2", &second);
    assert_eq!(count.to_string(), "v2: 3 definitions = 1 emitted + 1 shared + 1 skipped");
    let stale = overlay.all_used().unwrap_err().to_string();
    assert!(stale.ends_with("\n  shared / v1 / Gone"), "{stale}");
}

fn overlay(shared: &str) -> Overlay {
    Overlay::parse(&format!("[shared]\n{shared}\n")).unwrap()
}

fn read((stable, unstable): &Version) -> Schema {
    let none = Overlay::parse("").unwrap();
    let lowered = |definitions: &[&str]| {
        let definitions: Value = serde_json::from_str(&format!("{{{}}}", definitions.join(","))).unwrap();
        lower::lower(&json!({ "$defs": definitions }), &none).unwrap()
    };
    merge::merge(&lowered(stable), lowered(&[*stable, *unstable].concat())).unwrap()
}

/// `docs/VERSIONS.md` says how much the versions have in common.
#[test]
fn the_page_counts_what_both_versions_have() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let definitions = ["v1", "v2"].map(|version| -> Value {
        let text = fs::read_to_string(root.join("schema").join(version).join("schema.json")).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["$defs"].take()
    });
    let [first, second] = definitions.each_ref().map(|definitions| definitions.as_object().unwrap());
    let common: Vec<&String> = first.keys().filter(|name| second.contains_key(*name)).collect();
    let equal = common.iter().filter(|name| first[**name] == second[**name]).count();
    let said = format!(
        "{} definitions of the stable schemas have a common name, and {equal} of them have a common structure",
        common.len()
    );
    let page = fs::read_to_string(root.join("docs/VERSIONS.md")).unwrap();
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains(&said), "docs/VERSIONS.md does not say: {said}");
}
