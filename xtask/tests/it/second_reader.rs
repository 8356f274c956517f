//! typify reads the IR by itself; what it sees must be what was emitted.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use xtask::codegen::ir::Schema;
use xtask::codegen::overlay::Overlay;
use xtask::codegen::second_reader::{Agreement, agree};
use xtask::codegen::version::VERSIONS;
use xtask::codegen::{emit, lower};
use xtask::output::Output;
use xtask::schema::docs::Docs;

#[test]
fn every_type_of_v1_is_compared() {
    let (schema, outputs) = generated("schema/v1/schema.json", "schema/overlay/v1.toml");
    let Agreement { types, facts, out_of_scope } = agree(&schema, &outputs).unwrap();
    assert_eq!(types, schema.definitions.len());
    // A type says what it is and at least one thing about its content, bar the few empty objects.
    assert!(facts > 2 * types, "{facts} statements about {types} types");
    let mut excepted: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for scope in &out_of_scope {
        let entries = excepted.entry(scope.reason).or_default();
        entries.push(format!("{}: {}", scope.definition, scope.fact));
    }
    let constants = ["-32700", "-32600", "-32601", "-32602", "-32603", "-32800", "-32000", "-32002"];
    let fields = [
        ("ElicitationSchema", "type"),
        ("StringPropertySchema", "default"),
        ("StringPropertySchema", "enum"),
        ("NumberPropertySchema", "default"),
        ("IntegerPropertySchema", "default"),
        ("BooleanPropertySchema", "default"),
        ("EnumOption", "const"),
        ("StringMultiSelectItems", "enum"),
        ("MultiSelectPropertySchema", "default"),
    ];
    let mut names: Vec<String> =
        fields.iter().map(|(owner, wire)| format!("{owner}: name of the field for `{wire}`")).collect();
    names.sort();
    for entries in excepted.values_mut() {
        entries.sort();
    }
    let mut numbers: Vec<String> =
        constants.iter().map(|number| format!("ErrorCode: constant {number}")).collect();
    numbers.sort();
    let expected = BTreeMap::from([
        ("the overlay chose the name", names),
        ("typify has no constants of an integer", numbers),
    ]);
    assert_eq!(excepted, expected);
}

/// Text and what replaces it.
type Changes = &'static [(&'static str, &'static str)];

/// A shape, changes to the code that was emitted for it, and what must be said about that.
const DISAGREEMENTS: &[(&str, Changes, &str)] = &[
    (
        "object",
        &[("\"weight\"", "\"mass\"")],
        "  Parcel, member `mass`: emitted required f64; typify reads nothing\n",
    ),
    (
        "object",
        &[("\"weight\"", "\"mass\"")],
        "  Parcel, member `weight`: emitted nothing; typify reads required f64\n",
    ),
    (
        "object",
        &[("pub weight: f64", "pub weight: u64")],
        "  Parcel, member `weight`: emitted required u64; typify reads required f64\n",
    ),
    (
        "object",
        &[("pub tags: Vec<String>", "pub tags: Vec<Badge>")],
        "  Parcel, member `tags`: emitted required list of Badge; typify reads required list of text\n",
    ),
    (
        "object",
        &[("weight: f64", "mass: f64"), ("weight: fields", "mass: fields"), ("self.weight", "self.mass")],
        "  Parcel, name of the field for `weight`: emitted mass; typify reads weight\n",
    ),
    (
        "object",
        &[("pub badge: Option<Box<Badge>>", "pub badge: Box<Badge>")],
        "in the code emitted for Parcel: badge is read by the rule `optional`, which does not go with its type",
    ),
    (
        "object",
        &[("fields.required(\"weight\"", "fields.defaulted(\"weight\"")],
        "in the code emitted for Parcel: new takes",
    ),
    (
        "object",
        &[("map.serialize_entry(\"weight\", &acp_json::finite(self.weight, \"weight\"))?;", "")],
        "in the code emitted for Parcel: what is read",
    ),
    (
        "object",
        &[("pub struct Badge", "pub struct Medal"), ("for Badge", "for Medal"), ("impl Badge", "impl Medal")],
        "  Badge: typify makes this type, but it was not emitted\n",
    ),
    (
        "object",
        &[("pub struct Badge", "pub struct Medal"), ("for Badge", "for Medal"), ("impl Badge", "impl Medal")],
        "  Medal: emitted, but typify makes no such type\n",
    ),
    ("integer_newtype", &[("(pub u16)", "(pub u32)")], "  Revision, inside: emitted u32; typify reads u16\n"),
    (
        "closed_enum",
        &[("\"very_fast\"", "\"veryFast\"")],
        "  Speed, variant `veryFast`: emitted VeryFast; typify reads nothing\n",
    ),
    (
        "closed_enum",
        &[("Unknown(Box<str>)", "Last(Box<str>)")],
        "in the code emitted for Speed: its last variant is Last, which loses what it does not know",
    ),
    ("integer_enum", &[("Self(-7)", "Self(-8)")], "  Fault: constant -7 is out of scope, but not emitted\n"),
    (
        "tagged_union",
        &[("\"kind\"", "\"type\"")],
        "  Event, shape: emitted union told apart by `type`; typify reads union told apart by `kind`\n",
    ),
    (
        "tagged_union",
        &[("Scan(Scan)", "Scan(Handover)")],
        "  Event, variant `scan`: emitted Scan(Handover); typify reads Scan(Scan)\n",
    ),
    (
        "tagged_union",
        &[("hours: u32", "hours: u64")],
        "  Event, variant `delayed`, member `hours`: emitted required u64; typify reads required u32\n",
    ),
    (
        "tagged_union",
        &[("map.serialize_entry(\"kind\", \"lost\")", "map.serialize_entry(\"kind\", \"gone\")")],
        "in the code emitted for Event: Lost is read as Some(\"lost\") and written as Some(\"gone\")",
    ),
    (
        "tagged_union",
        &[("_ => Ok(Self::Unknown(UnknownVariant::read(&tag, fields)))", "_ => Ok(Self::Lost)")],
        "in the code emitted for Event: unknown tags are not kept",
    ),
    (
        "tagged_default_arm",
        &[("Courier(Box<Courier>)", "Courier(Box<Van>)")],
        "  Carrier, variant `Courier`: emitted Courier(Van); typify reads Courier(Courier)\n",
    ),
    (
        "untagged_by_kind",
        &[("Integer(i64)", "Integer(u64)")],
        "  Key, variant `Integer`: emitted Integer(u64); typify reads Integer(i64)\n",
    ),
];

#[test]
fn a_disagreement_names_the_definition_and_both_readings() {
    for (shape, changes, expected) in DISAGREEMENTS {
        let shapes = "xtask/tests/shapes";
        let (schema, mut outputs) =
            generated(&format!("{shapes}/{shape}.json"), &format!("{shapes}/{shape}.toml"));
        agree(&schema, &outputs).unwrap();
        for (from, to) in *changes {
            let code = outputs.iter_mut().find(|output| output.path.ends_with("unsorted.rs")).unwrap();
            assert!(code.text.contains(from), "{shape} has no {from}");
            code.text = code.text.replace(from, to);
        }
        let error = format!("{:#}", agree(&schema, &outputs).unwrap_err());
        assert!(error.contains(expected), "{shape} with {changes:?}: expected\n{expected}\nin\n{error}");
    }
}

fn generated(schema: &str, overlay: &str) -> (Schema, Vec<Output>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let json = serde_json::from_str(&fs::read_to_string(root.join(schema)).unwrap()).unwrap();
    let overlay = Overlay::load(&root.join(overlay)).unwrap();
    let schema = lower::lower(&json, &overlay).unwrap();
    let outputs = emit::types(&schema, &Docs::default(), &VERSIONS[0], "// Of a test.\n").unwrap();
    (schema, outputs)
}
