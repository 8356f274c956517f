//! The intermediate representation: the protocol's types, said once and without JSON Schema.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value as Json;

/// One version of the protocol.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// In the order of the schema.
    pub definitions: Vec<Definition>,
    pub skipped: Vec<Skipped>,
    /// In the order of their names.
    pub methods: Vec<Method>,
    /// The order of constructor arguments that users rely on, by type.
    pub argument_order: BTreeMap<String, Vec<String>>,
    /// Definitions that are types of another version, and which.
    pub shared: BTreeMap<String, &'static str>,
}

/// A definition that becomes no type, and the rule that says why.
#[derive(Clone, Debug, PartialEq)]
pub struct Skipped {
    pub name: String,
    pub rule: &'static str,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The name in the schema, and in Rust.
    pub name: String,
    /// The definition whose wording describes it: its own, or for a union that lies flat in an
    /// object the object's.
    pub described_by: String,
    /// The arm of that definition whose members these are, for an arm that is an object of its own.
    pub arm: Option<String>,
    /// Only the unstable schema has it.
    pub unstable: bool,
    pub kind: Kind,
    /// A bare `null` reads as the default.
    pub whole_null: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Object(Object),
    /// A string, an integer, or any JSON, under a name.
    Newtype(Type),
    StringEnum(StringEnum),
    IntegerEnum {
        values: Vec<IntegerValue>,
        repr: Type,
    },
    Tagged(Tagged),
    Untagged(Untagged),
}

/// An object, and the union that shares its members, if any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    pub fields: Vec<Field>,
    pub union: Option<Flattened>,
    /// Members that have no name in the schema are kept, because it says that they may be there.
    pub others: bool,
}

impl Object {
    /// The name of the field that keeps members without a name in the schema.
    pub const OTHERS: &'static str = "other";
}

/// A union in the middle of an object: `field` holds it, and it is a type of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Flattened {
    pub field: String,
    pub type_name: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The member's name on the wire.
    pub wire: String,
    pub rust: String,
    pub ty: Type,
    pub presence: Presence,
    pub on_error: OnError,
    /// Malformed items of a list are left out.
    pub skip_items: bool,
    /// Kept behind a pointer, because the type is large and rarely there.
    pub boxed: bool,
    pub bounds: Bounds,
    /// Only the unstable schema has it.
    pub unstable: bool,
}

/// Limits of the schema beyond the type, for those who write a value, by keyword. Readers refuse
/// numbers that are out of bounds, and take texts and lists that are too short.
pub type Bounds = Vec<(&'static str, Json)>;

/// The meaning of a member's absence.
#[derive(Clone, Debug, PartialEq)]
pub enum Presence {
    Required,
    /// Must be there, may be `null`.
    RequiredNullable,
    /// Absent and `null` are one.
    Optional,
    /// Absent, `null` and a value are three things.
    Patch,
    /// Absent means a default: the schema's, or the implicit one of the type.
    Default(Option<Json>),
}

/// A reader's answer to a malformed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// It refuses the whole message.
    Fail,
    /// It refuses all but `null`, which means the default.
    FailExceptNull,
    /// It reads the default.
    Default,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Bool,
    U16,
    U32,
    U64,
    I32,
    I64,
    F64,
    String,
    /// Any JSON.
    Any,
    /// The `_meta` member.
    Meta,
    Ref(String),
    List(Box<Type>),
    Map(Box<Type>),
}

/// The type as Rust has it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::U16 => f.write_str("u16"),
            Type::U32 => f.write_str("u32"),
            Type::U64 => f.write_str("u64"),
            Type::I32 => f.write_str("i32"),
            Type::I64 => f.write_str("i64"),
            Type::F64 => f.write_str("f64"),
            Type::String => f.write_str("String"),
            Type::Any => f.write_str("Value"),
            Type::Meta => f.write_str("Meta"),
            Type::Ref(name) => f.write_str(name),
            Type::List(item) => write!(f, "Vec<{item}>"),
            Type::Map(member) => write!(f, "Map<{member}>"),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct StringEnum {
    pub values: Vec<StringValue>,
    /// True if the schema itself allows other values. Readers keep them either way.
    pub open: bool,
    /// The value that absence means, where it means one.
    pub default: Option<String>,
    /// The name of the variant that keeps what is not known.
    pub fallback: &'static str,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StringValue {
    pub wire: String,
    pub rust: String,
    pub unstable: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct IntegerValue {
    pub wire: i64,
    pub rust: String,
    pub unstable: bool,
}

/// A union whose variants are told apart by the value of one member.
#[derive(Clone, Debug, PartialEq)]
pub struct Tagged {
    pub tag: String,
    pub variants: Vec<Variant>,
    /// The variant that is read when the tag is absent.
    pub default: Option<Variant>,
    /// The tag that means it as well. It is read, and not written.
    pub default_tag: Option<String>,
    /// True if the schema itself allows other tags. Readers keep them either way.
    pub open: bool,
    /// A malformed tag reads as absent.
    pub lenient: bool,
    pub unknown: Unknown,
    /// The name of the variant that keeps what is not known.
    pub fallback: &'static str,
}

/// The meaning of an unknown tag.
#[derive(Clone, Debug, PartialEq)]
pub enum Unknown {
    /// The variant is kept with all its members.
    Keep,
    /// It is kept, and its members must fit the default variant.
    KeepAsDefault,
    /// It is kept, and some of its members are typed.
    KeepWith(Object),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The value of the tag; for arms without one the key under which they are documented.
    pub wire: String,
    pub rust: String,
    pub payload: Payload,
    pub unstable: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    None,
    /// The members of this definition.
    Ref {
        name: String,
        boxed: bool,
    },
    /// Members of the variant's own.
    Inline(Vec<Field>),
}

/// A union without a tag.
#[derive(Clone, Debug, PartialEq)]
pub struct Untagged {
    pub arms: Vec<Arm>,
    pub by: Peek,
    /// A value that could be several arms is malformed.
    pub exclusive: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// The key under which the arm is documented.
    pub key: String,
    pub rust: String,
    /// `None` for the arm that is `null`.
    pub ty: Option<Type>,
    /// The member whose presence decides for this arm, when members decide.
    pub member: Option<String>,
    pub bounds: Bounds,
}

/// How the arms of an untagged union are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peek {
    /// By the kind of JSON value.
    Kind,
    /// By which member an object has.
    Member,
    /// By which member the first item of a list has.
    ItemMember,
    /// By which members an object has, and whether they are well-formed; all else is the last arm,
    /// any JSON.
    MemberOrAny,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Agent,
    Client,
    Both,
    /// A component between the two.
    Proxy,
}

/// A method or notification of the protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    pub name: String,
    /// The name of its marker type.
    pub marker: String,
    /// Who handles it.
    pub handler: Side,
    pub params: String,
    /// `None` for notifications.
    pub response: Option<String>,
    /// The capability without which it must not be called.
    pub capability: Option<String>,
    pub unstable: bool,
}
