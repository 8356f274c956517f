//! The methods that carry the session in their params, for transports that sort messages by it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::codegen::format::Item;
use crate::codegen::ir::{Kind, Method, Presence, Schema, Side};
use crate::codegen::version::Version;

/// Methods that the schemas have lost and clients in use still call.
const REMOVED: [&str; 1] = ["session/set_model"];

pub(super) fn emit(schemas: &[(&Version, Schema)]) -> Vec<Item> {
    let mut names: BTreeSet<&str> = REMOVED.into();
    for (_, schema) in schemas {
        let methods =
            schema.methods.iter().filter(|method| matches!(method.handler, Side::Agent | Side::Both));
        names.extend(
            methods.filter(|method| needs_session(schema, method)).map(|method| method.name.as_str()),
        );
    }
    let mut table = "/// Methods of clients whose params must have a `sessionId`, in the order of names.\n\
        pub(crate) const SESSION_METHODS: &[&str] = &[\n"
        .to_owned();
    for name in names {
        let _ = writeln!(table, "    \"{name}\",");
    }
    table.push_str("];\n");
    vec![Item::Text(table)]
}

fn needs_session(schema: &Schema, method: &Method) -> bool {
    let definition = schema.definitions.iter().find(|definition| definition.name == method.params);
    let Some(Kind::Object(params)) = definition.map(|definition| &definition.kind) else { return false };
    params.fields.iter().any(|field| field.wire == "sessionId" && field.presence == Presence::Required)
}
