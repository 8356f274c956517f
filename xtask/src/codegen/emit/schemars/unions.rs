//! `JsonSchema` of unions: each variant once, and what else the reader takes.

use super::code::{Code, text};
use super::members::{bounds, member, members};
use crate::codegen::emit::context::Context;
use crate::codegen::ir::{Definition, Payload, Peek, Tagged, Unknown, Untagged, Variant};

const NEW: &str = "json_schema::Object::new()";

pub(super) fn tagged(
    code: &mut Code,
    context: &Context<'_>,
    definition: &Definition,
    union: &Tagged,
    description: &str,
) {
    code.line(false, &format!("let mut union = json_schema::Tagged::new({:?});", union.tag));
    for one in &union.variants {
        let wire = format!("{:?}", one.wire);
        variant(code, context, definition, one, "union.variant", &[&wire]);
    }
    if let Some(one) = &union.default {
        let call = match union.unknown {
            Unknown::KeepAsDefault => "union.without_known_tag",
            Unknown::Keep | Unknown::KeepWith(_) => "union.without_tag",
        };
        variant(code, context, definition, one, call, &[]);
    }
    match &union.unknown {
        Unknown::KeepWith(typed) => {
            code.line(false, &format!("let mut unknown = {NEW};"));
            members(code, "unknown", typed, |_| None);
            code.line(false, "union.unknown(unknown);");
        }
        // What the schema closes, a writer must not extend.
        Unknown::Keep if union.open => code.line(false, &format!("union.unknown({NEW});")),
        Unknown::Keep | Unknown::KeepAsDefault => {}
    }
    code.last_call("union.schema", &[description]);
}

/// The call that adds a variant: after the arguments given, its payload and its wording.
fn variant(
    code: &mut Code,
    context: &Context<'_>,
    definition: &Definition,
    variant: &Variant,
    call: &str,
    arguments: &[&str],
) {
    let payload = match &variant.payload {
        Payload::None => NEW.to_owned(),
        Payload::Ref { name, .. } => format!("json_schema::Object::of::<{name}>(generator)"),
        Payload::Inline(fields) => {
            code.line(variant.unstable, &format!("let mut members = {NEW};"));
            for one in fields {
                let wording = context.docs.variant_field(&definition.described_by, &variant.wire, &one.wire);
                let one = crate::codegen::ir::Field { unstable: variant.unstable, ..one.clone() };
                member(code, "members", &one, wording);
            }
            "members".to_owned()
        }
    };
    let wording = text(context.variant_text(definition, &variant.wire));
    let arguments = [arguments, &[&payload, &wording]].concat();
    code.call(variant.unstable, call, &arguments);
}

pub(super) fn untagged(
    code: &mut Code,
    context: &Context<'_>,
    definition: &Definition,
    union: &Untagged,
    description: &str,
) {
    code.line(false, "let mut union = json_schema::Untagged::new();");
    for (index, arm) in union.arms.iter().enumerate() {
        let wording = text(context.variant_text(definition, &arm.key));
        let ty = arm.ty.as_ref().map_or_else(|| "()".to_owned(), ToString::to_string);
        let others = deciding(union, index);
        if others.is_empty() {
            code.call(false, &format!("union.arm::<{ty}>"), &["generator", &wording]);
        } else {
            let others = format!("&{others:?}");
            code.call(false, &format!("union.arm_without::<{ty}>"), &["generator", &others, &wording]);
        }
        bounds(code, &arm.bounds, false, "union.bound(");
    }
    code.last_call("union.schema", &[description]);
}

/// The members by which the reader takes an object for another arm than this one.
fn deciding(union: &Untagged, index: usize) -> Vec<&str> {
    if union.by != Peek::Member {
        return Vec::new();
    }
    let others = union.arms.iter().enumerate();
    let others = others.filter(|(other, _)| *other < index || (union.exclusive && *other != index));
    others.filter_map(|(_, other)| other.member.as_deref()).collect()
}
