//! The JSON Schema keywords that the generator understands: where each may stand and what value it
//! takes.

use std::fmt;

use serde_json::{Map, Value};

use Place::{Definition, Element, MapValue, Not, Property, Root, UnionArm, Wrapper};

/// One object of keywords or of named schemas.
pub type Object = Map<String, Value>;

pub(super) const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Where in the document a schema stands. Each place has its own allow-list of keywords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Root,
    Definition,
    Property,
    /// A property of the JSON-RPC envelope in the root union, the only one that may use `enum`.
    EnvelopeProperty,
    UnionArm,
    /// The single element of an `allOf`.
    Wrapper,
    Element,
    MapValue,
    Not,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Root => "the root",
            Definition => "a definition",
            Property => "a property",
            Self::EnvelopeProperty => "an envelope property",
            UnionArm => "a union arm",
            Wrapper => "an \"allOf\" element",
            Element => "\"items\"",
            MapValue => "\"additionalProperties\"",
            Not => "\"not\"",
        })
    }
}

/// The shape of a keyword's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Anything,
    Count,
    Dialect,
    Discriminator,
    Encoding,
    Flag,
    Format,
    Name,
    Number,
    Reference,
    Scalar,
    Schema,
    SchemaOrTrue,
    SchemaList,
    SchemaMap,
    Side,
    SingleSchema,
    Strings,
    Text,
    True,
    Types,
}

/// One entry of the allow-list.
pub(super) struct Keyword {
    pub(super) name: &'static str,
    places: &'static [Place],
    pub(super) shape: Shape,
}

impl Keyword {
    const fn new(name: &'static str, places: &'static [Place], shape: Shape) -> Self {
        Self { name, places, shape }
    }

    pub(super) fn find(name: &str) -> Option<&'static Self> {
        KEYWORDS.iter().find(|keyword| keyword.name == name)
    }

    pub(super) fn may_stand_in(&self, place: Place) -> bool {
        match place {
            Place::EnvelopeProperty => self.name == "enum" || self.places.contains(&Property),
            _ => self.places.contains(&place),
        }
    }
}

const ANY_SCHEMA: &[Place] = &[Root, Definition, Property, UnionArm, Element, MapValue];
const TYPED: &[Place] = &[Definition, Property, UnionArm, Element, MapValue];
const OBJECTS: &[Place] = &[Definition, UnionArm];

const KEYWORDS: &[Keyword] = &[
    Keyword::new("$schema", &[Root], Shape::Dialect),
    Keyword::new("$defs", &[Root], Shape::SchemaMap),
    Keyword::new("title", ANY_SCHEMA, Shape::Name),
    Keyword::new("description", ANY_SCHEMA, Shape::Text),
    Keyword::new("type", TYPED, Shape::Types),
    Keyword::new("format", TYPED, Shape::Format),
    Keyword::new("const", &[Property, UnionArm], Shape::Scalar),
    Keyword::new("enum", &[], Shape::Strings),
    Keyword::new("default", &[Property], Shape::Anything),
    Keyword::new("contentEncoding", &[Property], Shape::Encoding),
    Keyword::new("minimum", TYPED, Shape::Number),
    Keyword::new("maximum", TYPED, Shape::Number),
    Keyword::new("minLength", TYPED, Shape::Count),
    Keyword::new("minItems", TYPED, Shape::Count),
    Keyword::new("items", TYPED, Shape::Schema),
    Keyword::new("properties", OBJECTS, Shape::SchemaMap),
    Keyword::new("required", OBJECTS, Shape::Strings),
    Keyword::new("additionalProperties", TYPED, Shape::SchemaOrTrue),
    Keyword::new("unevaluatedProperties", &[UnionArm], Shape::True),
    Keyword::new("anyOf", &[Root, Definition, Property, UnionArm, Not], Shape::SchemaList),
    Keyword::new("oneOf", &[Definition, UnionArm], Shape::SchemaList),
    Keyword::new("allOf", &[Definition, Property, UnionArm], Shape::SingleSchema),
    Keyword::new("not", &[UnionArm], Shape::Schema),
    Keyword::new("discriminator", &[Definition], Shape::Discriminator),
    Keyword::new("$ref", &[Property, UnionArm, Wrapper, Element, MapValue], Shape::Reference),
    Keyword::new("x-deserialize-default-on-error", &[Property], Shape::Flag),
    Keyword::new("x-deserialize-skip-invalid-items", &[Property], Shape::Flag),
    Keyword::new("x-deserialize-default-on-null", &[Property], Shape::Flag),
    Keyword::new("x-docs-ignore", &[Definition, UnionArm], Shape::Flag),
    Keyword::new("x-side", &[Definition], Shape::Side),
    Keyword::new("x-method", &[Definition], Shape::Name),
];

/// Every keyword that is read, with the places where it may stand.
pub fn keywords() -> impl Iterator<Item = (&'static str, Vec<String>)> {
    KEYWORDS.iter().map(|keyword| (keyword.name, keyword.places.iter().map(Place::to_string).collect()))
}

pub const TYPES: &[&str] = &["string", "integer", "number", "boolean", "object", "array", "null"];

/// Known formats and the type each belongs to.
pub const FORMATS: &[(&str, &str)] = &[
    ("int32", "integer"),
    ("int64", "integer"),
    ("uint16", "integer"),
    ("uint32", "integer"),
    ("uint64", "integer"),
    ("double", "number"),
    ("uri", "string"),
    ("date-time", "string"),
    ("regex", "string"),
];

const SIDES: &[&str] = &["agent", "client", "both", "protocol", "proxy"];

/// A name is short and on one line. Longer text would be upstream prose, which is not imported.
const LONGEST_NAME: usize = 60;

impl Shape {
    /// Returns the fault of `value`, without looking into nested schemas.
    pub(super) fn mismatch(self, value: &Value) -> Option<String> {
        let expected = self.expected();
        (!self.accepts(value)).then(|| format!("expected {expected}, found {}", found(value)))
    }

    fn accepts(self, value: &Value) -> bool {
        let one_of = |known: &[&str]| value.as_str().is_some_and(|text| known.contains(&text));
        match self {
            Self::Anything => true,
            Self::Count => value.is_u64(),
            Self::Dialect => one_of(&[DIALECT]),
            Self::Discriminator => value.as_object().is_some_and(|object| {
                object.len() == 1 && object.get("propertyName").is_some_and(Value::is_string)
            }),
            Self::Encoding => one_of(&["base64"]),
            Self::Flag => value.is_boolean(),
            Self::Format => {
                value.as_str().is_some_and(|name| FORMATS.iter().any(|(known, _)| *known == name))
            }
            Self::Name => value.as_str().is_some_and(is_name),
            Self::Number => value.is_number(),
            Self::Reference => {
                value.as_str().and_then(referenced).is_some_and(|name| !name.contains(['/', '~', '%']))
            }
            Self::Scalar => value.is_string() || value.is_i64(),
            Self::Schema => value.is_object(),
            Self::SchemaOrTrue => value.is_object() || *value == Value::Bool(true),
            Self::SchemaList => {
                value.as_array().is_some_and(|arms| !arms.is_empty() && arms.iter().all(Value::is_object))
            }
            Self::SchemaMap => value.is_object(),
            Self::Side => one_of(SIDES),
            Self::SingleSchema => {
                value.as_array().is_some_and(|arms| arms.len() == 1 && arms.iter().all(Value::is_object))
            }
            Self::Strings => value
                .as_array()
                .is_some_and(|names| names.iter().all(Value::is_string) && !has_repeats(names)),
            Self::Text => value.is_string(),
            Self::True => *value == Value::Bool(true),
            Self::Types => accepts_types(value),
        }
    }

    fn expected(self) -> String {
        match self {
            Self::Anything => "any value".to_owned(),
            Self::Count => "a non-negative integer".to_owned(),
            Self::Dialect => format!("the dialect {DIALECT:?}"),
            Self::Discriminator => "an object that holds only a \"propertyName\" string".to_owned(),
            Self::Encoding => "\"base64\"".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Format => {
                format!("one of {}", FORMATS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "))
            }
            Self::Name => format!("a name on one line of at most {LONGEST_NAME} characters"),
            Self::Number => "a number".to_owned(),
            Self::Reference => "a reference of the form \"#/$defs/Name\"".to_owned(),
            Self::Scalar => "a string or an integer".to_owned(),
            Self::Schema => "a schema object".to_owned(),
            Self::SchemaOrTrue => "true or a schema object".to_owned(),
            Self::SchemaList => "a list of at least one schema object".to_owned(),
            Self::SchemaMap => "an object".to_owned(),
            Self::Side => format!("one of {}", SIDES.join(", ")),
            Self::SingleSchema => "a list of exactly one schema object".to_owned(),
            Self::Strings => "a list of distinct strings".to_owned(),
            Self::Text => "a string".to_owned(),
            Self::True => "true".to_owned(),
            Self::Types => format!("one of {}, or a list of one of them and \"null\"", TYPES.join(", ")),
        }
    }
}

/// The definition name in a `$ref`.
pub(super) fn referenced(reference: &str) -> Option<&str> {
    reference.strip_prefix("#/$defs/").filter(|name| !name.is_empty())
}

/// Describes a wrong value: short scalars as they stand, lists and objects by kind.
pub(super) fn found(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list that does not fit".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if !is_name(text) => "longer text".to_owned(),
        scalar => scalar.to_string(),
    }
}

fn accepts_types(value: &Value) -> bool {
    let known = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
    match value {
        Value::Array(names) => match names.as_slice() {
            [first, second] => known(first) && first != "null" && second == "null",
            _ => false,
        },
        name => known(name),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= LONGEST_NAME && !text.contains('\n')
}

fn has_repeats(values: &[Value]) -> bool {
    values.iter().enumerate().any(|(index, value)| values.iter().take(index).any(|earlier| earlier == value))
}
