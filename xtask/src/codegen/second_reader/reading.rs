//! Statements of a reading of Rust code about its types, in words that can be compared.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context as _, Result, bail};

/// A statement of our reading that typify has no say in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfScope {
    pub definition: String,
    pub fact: String,
    pub reason: &'static str,
}

/// A variant to which the overlay gives its name. It is restated by another value than its own.
#[derive(Debug)]
pub(super) struct Renamed {
    pub definition: String,
    /// The value in the restatement.
    pub value: String,
    /// Its own value.
    pub wire: String,
    pub rust: String,
}

impl Renamed {
    /// Gives the variant its own value and name in the reading of the restatement.
    pub(super) fn undo(&self, reading: &mut Reading) {
        let Some(Facts(facts)) = reading.get_mut(&self.definition) else { return };
        let (restated, own) = (variant(&self.value), variant(&self.wire));
        *facts = std::mem::take(facts)
            .into_iter()
            .map(|(about, says)| match about.strip_prefix(&restated) {
                None => (about, says),
                Some("") => {
                    let payload = says.strip_prefix(&self.value).unwrap_or(&says);
                    (own.clone(), format!("{}{payload}", self.rust))
                }
                Some(member) => (format!("{own}{member}"), says),
            })
            .collect();
    }
}

/// The types by name.
pub(super) type Reading = BTreeMap<String, Facts>;

/// Statements about one type: what about, and what it says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Facts(pub BTreeMap<String, String>);

impl Facts {
    pub(super) fn of(shape: impl Into<String>) -> Self {
        Facts([("shape".to_owned(), shape.into())].into())
    }

    pub(super) fn state(&mut self, about: &str, says: String) -> Result<()> {
        match self.0.insert(about.to_owned(), says) {
            None => Ok(()),
            Some(_) => bail!("{about} is stated twice"),
        }
    }

    /// `within` is empty for a struct, or names the variant that the member is in.
    pub(super) fn member(&mut self, within: &str, member: &Member) -> Result<()> {
        let Member { wire, rust, ty, presence } = member;
        if *presence == Presence::Others {
            // typify chooses the field's name itself.
            return self.state(&format!("{within}other members"), ty.to_string());
        }
        self.state(&field_name(within, wire), rust.clone())?;
        self.state(&format!("{within}member `{wire}`"), format!("{presence} {ty}"))
    }

    /// A variant that holds nothing or one value.
    pub(super) fn variant(&mut self, wire: &str, rust: &str, payload: Option<&Ty>) -> Result<()> {
        let payload = payload.map_or_else(String::new, |ty| format!("({ty})"));
        self.state(&variant(wire), format!("{rust}{payload}"))
    }

    /// A variant that holds members.
    pub(super) fn variant_with_members(&mut self, wire: &str, rust: &str, members: &[Member]) -> Result<()> {
        self.state(&variant(wire), format!("{rust} {{ .. }}"))?;
        let within = within_variant(wire);
        members.iter().try_for_each(|member| self.member(&within, member))
    }
}

/// Names the fact about a field's Rust name.
pub(super) fn field_name(within: &str, wire: &str) -> String {
    format!("{within}name of the field for `{wire}`")
}

/// Names the fact about a variant's Rust name and payload.
pub(super) fn variant(wire: &str) -> String {
    format!("variant `{wire}`")
}

pub(super) fn within_variant(wire: &str) -> String {
    format!("variant `{wire}`, ")
}

pub(super) fn constant(value: &str) -> String {
    format!("constant {value}")
}

pub(super) const STRUCT: &str = "struct";
pub(super) const NEWTYPE: &str = "newtype";
pub(super) const STRINGS: &str = "enum of strings";
pub(super) const UNTAGGED: &str = "union without a tag";

pub(super) fn tagged(tag: &str) -> String {
    format!("union told apart by `{tag}`")
}

#[derive(Debug)]
pub(super) struct Member {
    pub wire: String,
    pub rust: String,
    /// Of the value, when there is one.
    pub ty: Ty,
    pub presence: Presence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    RequiredNullable,
    Optional,
    Defaulted,
    /// No member, but all those that have no field.
    Others,
}

impl fmt::Display for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Presence::Required => "required",
            Presence::RequiredNullable => "required, nullable",
            Presence::Optional => "optional",
            Presence::Defaulted => "defaulted",
            Presence::Others => "others",
        })
    }
}

/// A type, without what only one of the readings can express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    /// A number, a boolean or a type of the schema, by its Rust name.
    Named(String),
    Text,
    Any,
    Option(Box<Ty>),
    List(Box<Ty>),
    Map(Box<Ty>),
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Named(name) => f.write_str(name),
            Ty::Text => f.write_str("text"),
            Ty::Any => f.write_str("any JSON"),
            Ty::Option(inner) => write!(f, "optional {inner}"),
            Ty::List(item) => write!(f, "list of {item}"),
            Ty::Map(member) => write!(f, "map to {member}"),
        }
    }
}

/// The meaning of the head of a Rust type.
#[derive(Clone, Copy)]
enum Head {
    /// The types that it holds.
    Inner,
    Text,
    Any,
    Option,
    List,
    Map,
}

/// How types are written, by us and by typify, and why two of them may mean the same. All others
/// stand for themselves.
const HEADS: [(&str, Head, &str); 10] = [
    ("Box", Head::Inner, "a pointer is layout: ours around large payloads, typify's around recursive ones"),
    ("Arc", Head::Inner, "ids are cloned often: ours share their text"),
    ("str", Head::Text, "behind a pointer: text that does not grow"),
    ("String", Head::Text, "text of both"),
    ("Value", Head::Any, "acp_json's, which keeps key order and number kinds, and serde_json's"),
    ("Option", Head::Option, "of both"),
    ("Maybe", Head::Option, "typify has two states only; the third is the overlay's [patch]"),
    ("Vec", Head::List, "of both"),
    ("Map", Head::Map, "acp_json's, which keeps key order, and serde_json's; of any JSON without arguments"),
    ("HashMap", Head::Map, "typify's map of values that are not any JSON"),
];

impl Ty {
    pub(super) fn of(ty: &syn::Type) -> Result<Ty> {
        let syn::Type::Path(path) = ty else { bail!("a type that is not a path") };
        let last = path.path.segments.last().context("an empty path")?;
        let name = last.ident.to_string();
        let Some((_, head, _)) = HEADS.iter().find(|(head, ..)| *head == name) else {
            return Ok(Ty::Named(name));
        };
        // Of a map the second argument, where the first is the type of the keys.
        let inner = match &last.arguments {
            syn::PathArguments::AngleBracketed(arguments) => match arguments.args.last() {
                Some(syn::GenericArgument::Type(inner)) => Some(Ty::of(inner)?),
                _ => None,
            },
            _ => None,
        };
        let boxed = || inner.clone().map(Box::new).with_context(|| format!("`{name}` of nothing"));
        Ok(match head {
            Head::Inner => *boxed()?,
            Head::Text => Ty::Text,
            Head::Any => Ty::Any,
            Head::Option => Ty::Option(boxed()?),
            Head::List => Ty::List(boxed()?),
            Head::Map => Ty::Map(Box::new(inner.unwrap_or(Ty::Any))),
        })
    }

    /// The type of the value, and whether it may be missing.
    pub(super) fn split(self) -> (Ty, bool) {
        match self {
            Ty::Option(inner) => (*inner, true),
            ty => (ty, false),
        }
    }
}
