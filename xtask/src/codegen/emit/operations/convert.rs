//! Arguments out of params, and responses out of results, as the members of the types allow.

use anyhow::{Context as _, Result, bail, ensure};
use proc_macro2::TokenStream;
use quote::quote;

use super::membership::{Membership, object};
use crate::codegen::api_lock;
use crate::codegen::emit::context::{ident, is_required};
use crate::codegen::ir::{Field, Method, Object, Schema};

/// Where an argument comes from.
pub(super) enum Argument {
    /// It is the params.
    Params,
    /// It is the only required member of the params with this type.
    Member(String),
    /// The library has the code for it.
    Library,
}

/// Finds where an argument of this type comes from.
pub(super) fn argument(schema: &Schema, method: &Method, ty: &str) -> Result<Argument> {
    if ty == method.params {
        return Ok(Argument::Params);
    }
    if !is_of_schema(schema, ty) {
        return Ok(Argument::Library);
    }
    let (_, params) = object(schema, &method.params).with_context(|| {
        format!("`takes`: `{0}` is not an object: write `takes = [\"{0}\"]`", method.params)
    })?;
    let is_taken = |field: &&Field| is_required(field) && field.ty.to_string() == ty;
    let members: Vec<&Field> = params.fields.iter().filter(is_taken).collect();
    match members.as_slice() {
        [member] => Ok(Argument::Member(member.rust.clone())),
        _ => bail!(
            "`takes`: `{0}` has {1} required members of the type `{ty}`, and not one: \
             leave it out, and write `takes = [\"{0}\"]` for the whole params",
            method.params,
            members.len()
        ),
    }
}

/// The fault of a notification with results.
const NOT_ANSWERED: &str = "`returns`, but a notification is not answered: leave out `returns`";

/// How a result becomes the response.
pub(super) enum Conversion {
    /// By a response without members.
    Empty,
    /// As the only argument of its constructor.
    Argument,
    /// Member by member.
    Members(Vec<String>),
    /// By `From`, which the library has for the type that stands for the response.
    From,
    /// It is what a session holds.
    State,
    /// It is `Opened<T>`.
    Opened,
}

/// How a result of this type becomes the response of the method.
pub(super) fn conversion(
    schema: &Schema,
    method: &Method,
    session: Membership,
    has_answer: bool,
    ty: &str,
) -> Result<Conversion> {
    let name = method.response.as_deref().context(NOT_ANSWERED)?;
    if matches!(session, Membership::Opens { .. }) {
        return match ty {
            "T" => Ok(Conversion::State),
            "Opened<T>" => Ok(Conversion::Opened),
            _ => bail!(
                "`returns`: an operation that opens a session does not return `{ty}`: \
                 write `returns = [\"Opened<T>\", \"T\"]`"
            ),
        };
    }
    let (definition, response) =
        object(schema, name).with_context(|| format!("`{name}` is not an object"))?;
    let arguments = api_lock::constructor(schema, definition, response);
    if ty == "()" {
        ensure!(
            arguments.is_empty(),
            "`returns`: `{name}` has required members, so `()` does not make one: leave out \"()\"{}",
            member(response, &arguments)
                .map(|ty| format!(", and write `returns = [\"{ty}\"]`"))
                .unwrap_or_default()
        );
        return Ok(Conversion::Empty);
    }
    let only = match arguments.as_slice() {
        [only] => only.as_str(),
        _ => "",
    };
    let is_only = |field: &Field| field.rust == only && field.ty.to_string() == ty;
    let is_union = response.union.as_ref().is_some_and(|union| union.field == only && union.type_name == ty);
    if is_union || response.fields.iter().any(is_only) {
        return Ok(Conversion::Argument);
    }
    if let Some((_, value)) = object(schema, ty) {
        let has = |field: &Field| response.fields.contains(field);
        ensure!(
            arguments.is_empty() && value.union.is_none() && value.fields.iter().all(has),
            "`returns`: `{name}` is not made of a `{ty}`, which is neither its only required member nor has its \
             members: leave out \"{ty}\", and handlers return `{name}`"
        );
        return Ok(Conversion::Members(value.fields.iter().map(|field| field.rust.clone()).collect()));
    }
    ensure!(
        has_answer && !is_of_schema(schema, ty),
        "`returns`: `{name}` is not made of a `{ty}`: leave it out, or write `answer = \"{ty}\"` for a type of the \
         library that stands for the response"
    );
    Ok(Conversion::From)
}

/// Returns the type of the only argument of a constructor.
fn member(response: &Object, arguments: &[String]) -> Option<String> {
    let [only] = arguments else { return None };
    response.fields.iter().find(|field| field.rust == *only).map(|field| field.ty.to_string())
}

/// Finds the member of the response that a hook returns.
pub(super) fn part(schema: &Schema, method: &Method, ty: &str) -> Result<Conversion> {
    let name = method.response.as_deref().context(NOT_ANSWERED)?;
    let (_, response) = object(schema, name).with_context(|| format!("`{name}` is not an object"))?;
    let has = response.fields.iter().any(|field| field.ty.to_string() == ty);
    ensure!(
        has,
        "`hook`: `{name}` has no member of the type `{ty}`: write `returns` with the type of one, such as \
         `returns = [\"{}\"]`",
        response.fields.first().map(|field| field.ty.to_string()).unwrap_or_default()
    );
    Ok(Conversion::From)
}

impl Conversion {
    /// The statements that make the response of `value`.
    pub(super) fn of_self(&self, response: &str) -> TokenStream {
        let response = ident(response);
        match self {
            Conversion::Empty => quote!(#response::new()),
            Conversion::Argument => quote!(#response::new(value)),
            Conversion::Members(members) => {
                let members = members.iter().map(|member| ident(member));
                let assigned = members.map(|member| quote!(response.#member = value.#member;));
                quote!(let mut response = #response::new(); #(#assigned)* response)
            }
            Conversion::From | Conversion::Opened => quote!(value),
            Conversion::State => quote!(Opened::new(value)),
        }
    }
}

/// The definitions that a type is made of.
pub(super) fn definitions_in<'s>(schema: &'s Schema, ty: &str) -> impl Iterator<Item = (&'s str, bool)> {
    let words: Vec<String> = ty.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_owned).collect();
    let definitions = schema.definitions.iter();
    definitions
        .filter(move |definition| words.contains(&definition.name))
        .map(|definition| (definition.name.as_str(), definition.unstable))
}

/// Tells whether a type is the schema's, and not of the library.
fn is_of_schema(schema: &Schema, ty: &str) -> bool {
    definitions_in(schema, ty).next().is_some()
}
