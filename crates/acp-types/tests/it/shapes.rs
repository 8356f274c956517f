//! The golden files of the generator, one for each shape. They compile, and read and write as they
//! should.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "types of a test, with all that generated types have"
)]

#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/any_typed.rs"]
mod any_typed;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/closed_enum.rs"]
mod closed_enum;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/flattened_union.rs"]
mod flattened_union;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/integer_enum.rs"]
mod integer_enum;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/integer_newtype.rs"]
mod integer_newtype;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/map.rs"]
mod map;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/object.rs"]
mod object;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/open_enum.rs"]
mod open_enum;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/other_members.rs"]
mod other_members;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/reading_rules.rs"]
mod reading_rules;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/single_kind.rs"]
mod single_kind;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/string_newtype.rs"]
mod string_newtype;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/tagged_default_arm.rs"]
mod tagged_default_arm;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/tagged_open_union.rs"]
mod tagged_open_union;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/tagged_union.rs"]
mod tagged_union;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/three_state.rs"]
mod three_state;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/untagged_by_kind.rs"]
mod untagged_by_kind;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/untagged_by_member.rs"]
mod untagged_by_member;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/untagged_lists.rs"]
mod untagged_lists;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/untagged_or_any.rs"]
mod untagged_or_any;
#[rustfmt::skip]
#[path = "../../../../xtask/tests/shapes/whole_null.rs"]
mod whole_null;

use acp_types::FromNode;
use serde_core::Serialize;

/// Reads a value and writes it again. Returns its JSON, or the error.
fn round<T: FromNode + Serialize>(json: &str) -> Result<String, String> {
    acp_types::from_str::<T>(json)
        .map(|value| acp_types::to_string(&value))
        .map_err(|error| error.to_string())
}

type Round = fn(&str) -> Result<String, String>;

/// Values that come back unchanged.
const KEPT: &[(&str, Round, &[&str])] = &[
    ("any_typed::Payload", round::<any_typed::Payload>, &["null", r#"{"b":1,"a":[2.5,"x"]}"#]),
    (
        "any_typed::Call",
        round::<any_typed::Call>,
        &[r#"{"input":null}"#, r#"{"input":1,"output":{"z":0,"a":0}}"#],
    ),
    ("closed_enum::Speed", round::<closed_enum::Speed>, &[r#""very_fast""#, r#""warp""#]),
    ("open_enum::Zone", round::<open_enum::Zone>, &[r#""over-seas""#, r#""moon""#]),
    ("integer_enum::Fault", round::<integer_enum::Fault>, &["-7", "0"]),
    ("integer_newtype::Revision", round::<integer_newtype::Revision>, &["0", "65535"]),
    ("string_newtype::ParcelId", round::<string_newtype::ParcelId>, &[r#""""#, r#""a\nb""#]),
    (
        "map::Shelf",
        round::<map::Shelf>,
        &[r#"{"labels":{"z":"1","a":"2"},"counts":{"b":2,"a":1},"free":{}}"#],
    ),
    ("object::Empty", round::<object::Empty>, &["{}"]),
    (
        "object::Parcel",
        round::<object::Parcel>,
        &[
            r#"{"label":"l","weight":0.5,"tags":[],"origin":null}"#,
            r#"{"label":"l","weight":1.0,"tags":["t"],"origin":"o","badge":{"id":"b"},"stops":2,"fragile":true,"badges":[{"id":"c"}],"type":"box","_meta":{"k":1}}"#,
        ],
    ),
    (
        "tagged_union::Event",
        round::<tagged_union::Event>,
        &[
            r#"{"kind":"scan","place":"here"}"#,
            r#"{"kind":"hand_over","to":"you","signature":"x"}"#,
            r#"{"kind":"lost"}"#,
            r#"{"kind":"delayed","hours":3}"#,
            r#"{"kind":"eaten","by":["dog"]}"#,
        ],
    ),
    (
        "tagged_open_union::Order",
        round::<tagged_open_union::Order>,
        &[
            r#"{"mode":"drop","town":"t","door":"d","id":"1"}"#,
            r#"{"mode":"drop","country":"c","door":"d","id":"1"}"#,
            r#"{"mode":"beam","town":"t","to":"x","at":2,"id":"1"}"#,
        ],
    ),
    (
        "tagged_default_arm::Carrier",
        round::<tagged_default_arm::Carrier>,
        &[r#"{"type":"van","plate":"p"}"#, r#"{"name":"n"}"#, r#"{"type":"drone","name":"n"}"#],
    ),
    (
        "tagged_default_arm::Price",
        round::<tagged_default_arm::Price>,
        &[r#"{"type":"flat","cents":5}"#, r#"{"table":"t"}"#],
    ),
    (
        "flattened_union::Question",
        round::<flattened_union::Question>,
        &[r#"{"type":"choice","values":["a"],"id":"1","hint":"h"}"#, r#"{"type":"yes_no","id":"1"}"#],
    ),
    (
        "single_kind::Ticket",
        round::<single_kind::Ticket>,
        &[r#"{"kind":"single","id":"1"}"#, r#"{"kind":"day","id":"1"}"#],
    ),
    (
        "single_kind::Signal",
        round::<single_kind::Signal>,
        &[r#"{"color":"green"}"#, r#"{"color":"red","blinks":true}"#],
    ),
    ("single_kind::Stop", round::<single_kind::Stop>, &[r#"{"type":"ticket","color":"green","id":"1"}"#]),
    (
        "other_members::Fault",
        round::<other_members::Fault>,
        &[r#"{"code":1}"#, r#"{"code":1,"note":"n","z":[1,{"b":0,"a":null}],"a":null,"k":1.5}"#],
    ),
    (
        "other_members::Report",
        round::<other_members::Report>,
        &[r#"{"outcome":"fine","by":"me"}"#, r#"{"outcome":"fault","code":1,"z":2,"a":3,"by":"me"}"#],
    ),
    ("untagged_by_member::Contents", round::<untagged_by_member::Contents>, &[r#"{"name":"n","blob":"b"}"#]),
    ("untagged_by_kind::Key", round::<untagged_by_kind::Key>, &["null", "-1", r#""k""#]),
    (
        "untagged_by_kind::Answer",
        round::<untagged_by_kind::Answer>,
        &[r#""s""#, "1", "1.5", "true", r#"["a"]"#],
    ),
    (
        "untagged_lists::Items",
        round::<untagged_lists::Items>,
        &["[]", r#"[{"value":"v"}]"#, r#"[{"name":"n","items":[]}]"#],
    ),
    (
        "untagged_or_any::Remark",
        round::<untagged_or_any::Remark>,
        &[r#""s""#, r#"["a"]"#, r#"["a",1]"#, "null", r#"{"b":1,"a":2}"#],
    ),
    (
        "untagged_or_any::Detail",
        round::<untagged_or_any::Detail>,
        &[r#"{"hours":3}"#, r#"{"place":"p"}"#, r#"{"hours":-1,"place":2}"#, "[1]"],
    ),
    (
        "three_state::Patch",
        round::<three_state::Patch>,
        &[
            r#"{"id":"1"}"#,
            r#"{"id":"1","title":null,"tags":null,"_meta":null}"#,
            r#"{"id":"1","title":"","tags":[]}"#,
        ],
    ),
    ("whole_null::Done", round::<whole_null::Done>, &["{}", r#"{"note":"n"}"#]),
];

/// Values that are read by a rule of the schema, and the JSON that is written for them.
const CHANGED: &[(&str, Round, &str, &str)] = &[
    (
        "untagged_or_any::Detail",
        round::<untagged_or_any::Detail>,
        r#"{"hours":"?","place":"p"}"#,
        r#"{"place":"p"}"#,
    ),
    ("whole_null::Done", round::<whole_null::Done>, "null", "{}"),
    ("open_enum::Route", round::<open_enum::Route>, r#"{"zone":"inland"}"#, "{}"),
    (
        "three_state::Patch",
        round::<three_state::Patch>,
        r#"{"id":"1","tags":["a",1],"note":null}"#,
        r#"{"id":"1","tags":["a"]}"#,
    ),
    (
        "reading_rules::Rules",
        round::<reading_rules::Rules>,
        r#"{"strict":"s","requiredList":["a",{}],"nullList":null,"optionalLenient":1,"optionalList":[1,"b"],"defaultedLenient":1,"defaultedNull":null}"#,
        r#"{"strict":"s","requiredList":["a"],"nullList":[],"optionalList":["b"]}"#,
    ),
];

/// Values that no rule excuses.
const REFUSED: &[(&str, Round, &[&str])] = &[
    ("closed_enum::Speed", round::<closed_enum::Speed>, &["1"]),
    ("integer_newtype::Revision", round::<integer_newtype::Revision>, &["-1", "65536", "1.5"]),
    ("any_typed::Call", round::<any_typed::Call>, &["{}"]),
    (
        "object::Parcel",
        round::<object::Parcel>,
        &[
            r#"{"label":"l","weight":1.0,"tags":[]}"#,
            r#"{"label":"l","weight":1.0,"tags":[],"origin":null,"stops":0}"#,
        ],
    ),
    (
        "tagged_union::Event",
        round::<tagged_union::Event>,
        &["{}", r#"{"kind":"scan"}"#, r#"{"kind":"delayed","hours":-1}"#],
    ),
    ("tagged_open_union::Order", round::<tagged_open_union::Order>, &[r#"{"mode":"beam","id":"1"}"#]),
    (
        "tagged_default_arm::Carrier",
        round::<tagged_default_arm::Carrier>,
        &[r#"{"type":"van","name":"n"}"#, r#"{"type":"drone"}"#, r#"{"type":"courier"}"#],
    ),
    ("untagged_by_kind::Key", round::<untagged_by_kind::Key>, &["true", "[]", "{}"]),
    ("untagged_by_member::Contents", round::<untagged_by_member::Contents>, &[r#"{"name":"n"}"#]),
    (
        "reading_rules::Rules",
        round::<reading_rules::Rules>,
        &[
            r#"{"strict":1,"requiredList":[],"nullList":[]}"#,
            r#"{"strict":"s","nullList":[]}"#,
            r#"{"strict":"s","requiredList":[],"nullList":[],"optional":1}"#,
            r#"{"strict":"s","requiredList":[],"nullList":[],"defaulted":1}"#,
            r#"{"strict":"s","requiredList":[],"nullList":[],"defaultedNull":1}"#,
        ],
    ),
];

#[test]
fn each_shape_reads_and_writes_its_values() {
    for (name, round, values) in KEPT {
        for json in *values {
            assert_eq!(round(json).as_deref(), Ok(*json), "{name}");
        }
    }
    for (name, round, json, expected) in CHANGED {
        assert_eq!(round(json).as_deref(), Ok(*expected), "{name}");
    }
    for (name, round, values) in REFUSED {
        for json in *values {
            assert!(round(json).is_err(), "{name} reads {json} as {:?}", round(json));
        }
    }
}
