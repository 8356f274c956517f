//! Ways to log in.

use acp_types::v1::AuthMethod;
use acp_types::{UnknownVariant, v2};

/// Returns the way to log in, or nothing if it has no id and name.
pub(super) fn auth_method(method: AuthMethod) -> Option<v2::AuthMethod> {
    match method {
        AuthMethod::Agent(method) => {
            let mut agent = v2::AuthMethodAgent::new(method.id, method.name);
            agent.description = method.description;
            agent.meta = method.meta;
            Some(agent.into())
        }
        AuthMethod::Terminal(method) => {
            let mut terminal = v2::AuthMethodTerminal::new(method.id, method.name);
            terminal.description = method.description;
            terminal.args = method.args;
            let variables = method.env.iter();
            terminal.env = variables.map(|(name, value)| v2::EnvVariable::new(name, value)).collect();
            terminal.meta = method.meta;
            Some(terminal.into())
        }
        AuthMethod::Unknown(method) => unknown(&method),
        _ => None,
    }
}

/// Renames the member that has another name in this version.
fn unknown(method: &UnknownVariant) -> Option<v2::AuthMethod> {
    let members = method.members();
    let text = |name: &str| Some(members.get(name)?.as_str()?.to_owned());
    let (id, name) = (text("id")?, text("name")?);
    let others = members.iter().filter(|(name, _)| !matches!(&**name, "id" | "name"));
    let others = others.map(|(name, value)| (name.to_owned(), value.clone())).collect();
    let other = UnknownVariant::new(method.tag(), others);
    Some(v2::AuthMethod::Unknown { method_id: id.into(), name, other })
}
