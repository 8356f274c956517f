//! The statements for the members of objects.

use super::code::{Code, text};
use crate::codegen::ir::{Bounds, Field, Object, Presence};

/// A statement for each member of `object`, a variable, one for the union that lies flat among
/// them, and one for those that have no name.
pub(super) fn members<'d>(
    code: &mut Code,
    object: &str,
    of: &Object,
    wording: impl Fn(&Field) -> Option<&'d str>,
) {
    of.fields.iter().for_each(|one| member(code, object, one, wording(one)));
    if let Some(union) = &of.union {
        code.line(false, &format!("{object}.part::<{}>(generator);", union.type_name));
    }
    if of.others {
        code.line(false, &format!("{object}.others();"));
    }
}

/// One member.
pub(super) fn member(code: &mut Code, object: &str, one: &Field, wording: Option<&str>) {
    let ty = &one.ty;
    let call = match one.presence {
        Presence::Required => format!("required::<{ty}>"),
        Presence::RequiredNullable => format!("required::<Option<{ty}>>"),
        Presence::Optional | Presence::Patch => format!("optional::<{ty}>"),
        Presence::Default(_) => format!("defaulted::<{ty}>"),
    };
    let wire = format!("{:?}", one.wire);
    code.call(one.unstable, &format!("{object}.{call}"), &["generator", &wire, &text(wording)]);
    bounds(code, &one.bounds, one.unstable, &format!("{object}.bound({wire}, "));
}

/// A call for each bound, of which the beginning is given.
pub(super) fn bounds(code: &mut Code, bounds: &Bounds, unstable: bool, call: &str) {
    for (keyword, value) in bounds {
        code.line(unstable, &format!("{call}{keyword:?}, {value});"));
    }
}
