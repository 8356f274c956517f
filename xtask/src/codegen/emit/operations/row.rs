//! A row of the overlay: an operation with everything that is known of it.

use anyhow::{Context as _, Result, ensure};
use proc_macro2::{Ident, TokenStream};

use super::convert::{Argument, Conversion, argument, conversion, part};
use super::half::{AGENTS, CLIENTS, Half};
use super::membership::{Membership, SESSIONS, membership};
use crate::codegen::emit::context::{gate, ident};
use crate::codegen::ir::{Method, Schema};
use crate::codegen::names;
use crate::codegen::overlay::Overlay;

/// A method of the protocol, and the function that answers it.
pub(super) struct Operation<'s> {
    pub(super) half: &'static Half,
    pub(super) name: String,
    pub(super) marker: String,
    pub(super) doc: &'s str,
    pub(super) method: &'s Method,
    pub(super) session: Membership,
    /// Arguments of its own, as Rust has them.
    pub(super) takes: Vec<(&'s str, Argument)>,
    /// Results besides the response, as Rust has them.
    pub(super) returns: Vec<(&'s str, Conversion)>,
    /// The type of the library that stands for the response.
    pub(super) answer: Option<&'s str>,
    /// The library has the code around its handler.
    pub(super) by_hand: bool,
    /// The library answers the method, and calls the function for a part of the answer.
    pub(super) hook: bool,
    /// It is served before the login as well.
    pub(super) before_login: bool,
    /// An agent with a store has it without a function.
    pub(super) stored: bool,
    /// The text of the tables.
    pub(super) advertised: String,
}

impl Operation<'_> {
    pub(super) fn is_request(&self) -> bool {
        self.method.response.is_some()
    }

    pub(super) fn opens(&self) -> bool {
        matches!(self.session, Membership::Opens { .. })
    }

    /// The capability, as a path below `agentCapabilities` or `clientCapabilities`. A side does not
    /// advertise the capabilities of the other one.
    pub(super) fn capability(&self) -> Option<&str> {
        let path = self.method.capability.as_deref()?;
        let of_others = [&AGENTS, &CLIENTS].into_iter().filter(|half| half.side != self.half.side);
        let is_other = of_others.map(|half| half.capabilities).any(|prefix| path.starts_with(prefix));
        (!is_other).then(|| path.strip_prefix(self.half.capabilities).unwrap_or(path))
    }

    pub(super) fn gate(&self) -> TokenStream {
        gate(self.method.unstable)
    }

    pub(super) fn marker(&self) -> Ident {
        ident(&self.marker)
    }
}

/// The operations of one side, in the order of their names.
pub(super) fn collect<'s>(
    schema: &'s Schema,
    overlay: &'s Overlay,
    half: &'static Half,
) -> Result<Vec<Operation<'s>>> {
    let names = overlay.keys(half.section);
    let row = |name| row(schema, overlay, half, name).with_context(|| format!("[{}.{name}]", half.section));
    names.map(row).collect()
}

fn row<'s>(
    schema: &'s Schema,
    overlay: &'s Overlay,
    half: &'static Half,
    name: &'s str,
) -> Result<Operation<'s>> {
    let Half { section, side, .. } = half;
    let text = |key: &str| overlay.nested(section, name, key);
    let required =
        |key: &str, example: &str| text(key).with_context(|| format!("`{key}` is missing: write {example}"));
    let wire = required("method", "the name on the wire, such as `method = \"session/prompt\"`")?;
    let method = method(schema, half, name, wire)?;
    let session = required("session", &format!("`session = \"none\"`, or {SESSIONS}"))?;
    let session = membership(schema, method, *side, session)?;
    let answer = text("answer");
    let flag = |key| overlay.nested_flag(section, name, key);
    let (by_hand, hook) = (flag("by_hand"), flag("hook"));
    let takes = overlay.nested_list(section, name, "takes").into_iter();
    let takes = takes.map(|ty| Ok((ty, argument(schema, method, ty)?))).collect::<Result<_>>()?;
    let returns = overlay.nested_list(section, name, "returns").into_iter();
    let returns = returns.map(|ty| match hook {
        true => Ok((ty, part(schema, method, ty)?)),
        false => Ok((ty, conversion(schema, method, session, answer.is_some(), ty)?)),
    });
    let mut operation = Operation {
        half,
        name: name.to_owned(),
        marker: names::pascal(if hook { wire } else { name }),
        doc: required("doc", "a sentence that begins with a verb, such as `doc = \"Answers a prompt.\"`")?,
        method,
        session,
        takes,
        returns: returns.collect::<Result<_>>()?,
        answer,
        by_hand,
        hook,
        before_login: flag("before_login"),
        stored: flag("stored"),
        advertised: String::new(),
    };
    check(&operation)?;
    operation.advertised = match (text("advertised"), operation.capability()) {
        (Some(text), _) => text.to_owned(),
        (None, Some(path)) => format!("`{path}`"),
        (None, None) => String::new(),
    };
    Ok(operation)
}

/// Finds the method of this name that the side handles.
fn method<'s>(schema: &'s Schema, half: &Half, name: &str, wire: &str) -> Result<&'s Method> {
    let Half { article, attribute, side, .. } = half;
    let mut methods = schema.methods.iter().filter(|method| method.name == wire).peekable();
    let handled = schema.methods.iter().filter(|method| method.handler == *side);
    ensure!(
        methods.peek().is_some(),
        "the schema has no method \"{wire}\": write `method` with one that {article} {attribute} handles: {}",
        handled.map(|method| format!("\"{}\"", method.name)).collect::<Vec<_>>().join(", ")
    );
    let other = if *side == AGENTS.side { &CLIENTS } else { &AGENTS };
    methods.find(|method| method.handler == *side).with_context(|| {
        let section = other.section;
        format!("\"{wire}\" is not handled by {article} {attribute}: write the row as [{section}.{name}]")
    })
}

/// Refuses columns that the schema or another column contradicts.
fn check(operation: &Operation<'_>) -> Result<()> {
    let Operation { half, session, hook, before_login, stored, by_hand, .. } = operation;
    let is_agents = half.side == AGENTS.side;
    let named = [(*hook, "hook"), (*before_login, "before_login"), (*stored, "stored")];
    for (_, column) in named.iter().filter(|(is_said, _)| *is_said) {
        ensure!(is_agents, "`{column}` is for operations of agents: remove `{column} = true`");
        ensure!(
            operation.is_request(),
            "`{column}`, but \"{}\" is a notification: remove `{column} = true`",
            operation.method.name
        );
    }
    let opens_or_on = operation.opens() || *session == Membership::On;
    ensure!(
        !(*before_login && opens_or_on),
        "`before_login`, but there is no session before the login: remove `before_login = true`"
    );
    if *stored {
        let is_found = match session {
            Membership::Opens { named_by_client } => *named_by_client,
            Membership::Ends => true,
            Membership::On => false,
            Membership::None => operation.returns.iter().any(|(ty, _)| *ty == "Vec<SessionInfo>"),
        };
        ensure!(
            is_found,
            "`stored`, but neither do its params name a stored session nor does it list them: remove `stored = true`"
        );
        ensure!(
            *by_hand || operation.opens(),
            "`stored`: the library has the code for it, so write `by_hand = true` as well"
        );
    }
    if *hook {
        let is_whole = operation.takes.is_empty() && operation.returns.len() == 1;
        ensure!(
            is_whole && *by_hand,
            "`hook`: it takes the params and returns one type, so leave out `takes` and write `by_hand = true` and \
             one type in `returns`, such as `returns = [\"Vec<AuthMethod>\"]`"
        );
    }
    Ok(())
}
