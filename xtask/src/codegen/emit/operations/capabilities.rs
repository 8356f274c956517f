//! From the operations that have a handler to what is advertised.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::half::Half;
use super::markers::imports;
use super::membership::object;
use super::row::Operation;
use crate::codegen::api_lock;
use crate::codegen::emit::context::ident;
use crate::codegen::format::Item;
use crate::codegen::ir::{Field, Presence, Schema, Type};

pub(super) fn emit(schema: &Schema, operations: &[Operation<'_>], half: &Half) -> Result<Vec<Item>> {
    let mut by_path: BTreeMap<&str, Vec<&Operation<'_>>> = BTreeMap::new();
    for operation in operations {
        let path = operation.method.capability.as_deref();
        if let Some(path) = path.and_then(|path| path.strip_prefix(half.capabilities)) {
            by_path.entry(path).or_default().push(operation);
        }
    }
    let mut types = vec![(half.advertises, false)];
    let mut statements = [TokenStream::new(), TokenStream::new()];
    for (path, operations) in by_path {
        let unstable = operations.iter().any(|operation| operation.method.unstable);
        let row =
            row(schema, half, path, &operations).with_context(|| format!("the capability \"{path}\""))?;
        statements[usize::from(unstable)].extend(row.statement);
        types.extend(row.types.into_iter().map(|ty| (ty, unstable)));
    }
    let [stable, unstable] = statements;
    let unstable = (!unstable.is_empty()).then(|| quote!(#[cfg(feature = "unstable")] { #unstable }));
    let capabilities = ident(half.advertises);
    let mut items = imports(types.into_iter());
    items.push(Item::Text("use crate::op::Operation;\n".to_owned()));
    items.push(Item::Tokens(quote! {
        /// Advertises what operations stand for. One that stands for several takes them all.
        pub(crate) fn advertise(capabilities: &mut #capabilities, has: impl Fn(Operation) -> bool) {
            #stable
            #unstable
        }
    }));
    Ok(items)
}

/// The statement that advertises one capability, and the types that it names.
struct Row<'s> {
    statement: TokenStream,
    types: Vec<&'s str>,
}

fn row<'s>(schema: &'s Schema, half: &Half, path: &str, operations: &[&Operation<'_>]) -> Result<Row<'s>> {
    let variants = operations.iter().map(|operation| operation.marker());
    let has = quote!(#(has(Operation::#variants))&&*);
    let has_all = if operations.len() == 1 { has.clone() } else { quote!((#has)) };
    let (parents, last) = path.rsplit_once('.').unwrap_or(("", path));
    let (mut place, mut owner, mut types) = (quote!(capabilities), half.advertises, Vec::new());
    let mut may_be_absent = false;
    for segment in parents.split('.').filter(|segment| !segment.is_empty()) {
        let (field, ty) = member(schema, owner, segment)?;
        let (name, ty) = (ident(&field.rust), ty.with_context(|| format!("`{segment}` has no members"))?);
        place = quote!(#place.#name);
        if field.presence == Presence::Optional {
            let constructor = ident(ty);
            place = quote!(#place.get_or_insert_with(#constructor::new));
            types.push(ty);
            may_be_absent = true;
        }
        owner = ty;
    }
    let (field, ty) = member(schema, owner, last)?;
    let name: Ident = ident(&field.rust);
    let statement = match ty {
        None => {
            ensure!(field.ty == Type::Bool, "`{last}` is neither a boolean nor an object");
            if may_be_absent {
                quote!(if #has { #place.#name = true; })
            } else {
                quote!(#place.#name = #has;)
            }
        }
        Some(ty) => {
            ensure!(field.presence == Presence::Optional, "`{last}` is always there");
            let (definition, value) =
                object(schema, ty).with_context(|| format!("`{ty}` is not an object"))?;
            let arguments = api_lock::constructor(schema, definition, value);
            ensure!(arguments.is_empty(), "`{ty}` has required members, which no operation stands for");
            types.push(ty);
            let ty = ident(ty);
            if may_be_absent {
                quote!(if #has { #place.#name = Some(#ty::new()); })
            } else {
                quote!(#place.#name = #has_all.then(#ty::new);)
            }
        }
    };
    Ok(Row { statement, types })
}

/// The member of this name, and the object that it is, if it is one.
fn member<'s>(schema: &'s Schema, owner: &str, wire: &str) -> Result<(&'s Field, Option<&'s str>)> {
    let (_, object) = object(schema, owner).with_context(|| format!("`{owner}` is not an object"))?;
    let field = object.fields.iter().find(|field| field.wire == wire);
    let field = field.with_context(|| format!("`{owner}` has no member `{wire}`"))?;
    let ty = match &field.ty {
        Type::Ref(name) => Some(name.as_str()),
        _ => None,
    };
    Ok((field, ty))
}
