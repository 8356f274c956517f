//! The relation of an operation to a session. The overlay says it, and the schema has to agree.

use anyhow::{Context as _, Result, bail, ensure};

use crate::codegen::emit::context::is_required;
use crate::codegen::ir::{Definition, Field, Kind, Method, Object, Schema, Side, Type};

/// The relation of an operation to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Membership {
    /// It opens one.
    Opens {
        /// The client names it, and not the agent in its answer.
        named_by_client: bool,
    },
    /// It is on an open one.
    On,
    /// It ends one, open or not.
    Ends,
    None,
}

/// The values of the column `session`, for messages.
pub(super) const SESSIONS: &str = "\"opens\", \"on\" or \"ends\" if it opens, works in or ends a session";

/// Reads the column `session`, if the schema agrees.
pub(super) fn membership(schema: &Schema, method: &Method, side: Side, text: &str) -> Result<Membership> {
    let Method { params, response, .. } = method;
    let names_session = names_session(schema, params);
    let session = match text {
        "opens" => {
            let response = response.as_deref().context(
                "a notification opens no session: write `session = \"on\"` or `session = \"none\"`",
            )?;
            Membership::Opens { named_by_client: !self::names_session(schema, response) }
        }
        "on" => Membership::On,
        "ends" => Membership::Ends,
        "none" => Membership::None,
        _ => bail!("`session` is not \"{text}\": write `session = \"none\"`, or {SESSIONS}"),
    };
    let needs_session = match session {
        Membership::On | Membership::Ends => true,
        Membership::Opens { named_by_client } => named_by_client,
        Membership::None => false,
    };
    ensure!(
        names_session || !needs_session,
        "`session = \"{text}\"`, but `{params}` has no required `sessionId`: write `session = \"none\"`"
    );
    if side == Side::Client {
        let (is, write) = if names_session { ("name", "on") } else { ("do not name", "none") };
        ensure!(
            names_session == (session == Membership::On),
            "the params {is} a session: for a client, write `session = \"{write}\"`"
        );
    }
    Ok(session)
}

/// Tells whether the object has a required `sessionId`.
fn names_session(schema: &Schema, name: &str) -> bool {
    let session = Type::Ref("SessionId".to_owned());
    let is_session = |field: &Field| field.wire == "sessionId" && is_required(field) && field.ty == session;
    object(schema, name).is_some_and(|(_, object)| object.fields.iter().any(is_session))
}

/// The object of this name.
pub(super) fn object<'s>(schema: &'s Schema, name: &str) -> Option<(&'s Definition, &'s Object)> {
    let definition = schema.definitions.iter().find(|definition| definition.name == name)?;
    match &definition.kind {
        Kind::Object(object) => Some((definition, object)),
        _ => None,
    }
}
