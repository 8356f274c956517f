//! Which unused decisions are stale, and which are about another release.

use serde_json::json;
use xtask::codegen::lower;
use xtask::codegen::overlay::Overlay;
use xtask::releases::subjects::Subjects;

const OVERLAY: &str = r#"
[members]
type = "kind"
gone = "lost"

[flattened]
Parcel = { type = "Size", field = "size" }
Letter = { type = "Size", field = "size" }

[arms]
Size = { Small = "Small", none = "None" }
Wrapped = { Small = "Little", small = "Little" }

[arm_types]
Box = { own = "OwnBox", Small = "SmallBox" }

[integers.Fault]
"-7" = "LOST"
"-8" = "FOUND"

[patch]
Small = ["type", "other"]
Letter = ["type"]

[layout]
boxed = ["Small", "Letter"]

[capabilities]
"parcel/send" = "a"
"parcel/lose" = "b"

[operations]
send = { method = "parcel/send", doc = "Sends." }

[shared]
v1 = ["Small"]
"#;

#[test]
fn a_decision_is_stale_only_where_the_release_has_what_it_is_about() {
    let schema = json!({ "$defs": {
        "Small": { "type": "object", "properties": { "type": { "type": ["string", "null"] } } },
        "Parcel": { "type": "object", "properties": { "gram": { "type": "string" } }, "required": ["gram"],
            "anyOf": [{ "title": "small", "allOf": [{ "$ref": "#/$defs/Small" }] }] },
        "Box": { "anyOf": [{ "title": "own", "type": "object", "properties": { "k": { "const": "a" } } },
            { "title": "small", "allOf": [{ "$ref": "#/$defs/Small" }] }] },
        "Fault": { "anyOf": [{ "type": "integer", "format": "int32", "const": -7 }] },
        "Wrapped": { "type": "array", "items": { "type": "string" }, "x-method": "parcel/send" },
    }});
    let overlay = Overlay::parse(OVERLAY).unwrap();
    let subjects = Subjects::of(std::slice::from_ref(&schema));
    let before = subjects.stale(&overlay);
    assert_eq!(
        before,
        [
            "arm_types / Box / own",
            "arms / Size / Small",
            "capabilities / parcel/send",
            "flattened / Parcel / field",
            "flattened / Parcel / type",
            "integers / Fault / -7",
            "layout / boxed / Small",
            "members / type",
            "patch / Small / type",
        ]
    );
    // What the generator asks for is not stale.
    let _known = lower::lower_known(&schema, &overlay);
    let asked =
        ["arms / Size / Small", "flattened / Parcel / field", "integers / Fault / -7", "members / type"];
    let now = subjects.stale(&overlay);
    assert!(asked.iter().all(|entry| !now.contains(&(*entry).to_owned())), "{now:?}");
    assert!(now.contains(&"layout / boxed / Small".to_owned()), "{now:?}");
}
