//! The servers that a request declares, and others in the place of those that the agent cannot use.

use std::collections::BTreeMap;
use std::sync::Arc;

use acp_rpc::Error;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::offers::{Offer, Offers};
use super::options::Shim;
use crate::shim;
use crate::wire::member::{member, text, with};

/// Members of a declaration that belong to one kind of server.
const OF_A_KIND: [&str; 9] = ["type", "name", "serverId", "command", "args", "env", "url", "headers", "cwd"];

/// The place where agents reach the servers of a bridge.
pub(super) enum Place<'a> {
    /// A process of this command, which connects to this address.
    Shim { shim: &'a Shim, address: &'a str, is_v2: bool },
    /// An address of HTTP, without the key of the server.
    #[cfg(feature = "mcp-http")]
    Http { origin: &'a str },
}

/// Params with other declarations.
pub(super) struct Replaced {
    pub(super) params: String,
    pub(super) offers: Vec<Arc<Offer>>,
}

/// Tells whether params declare a server of the type `acp`.
pub(super) fn has_any(params: &str) -> bool {
    servers(params).is_some_and(|servers| servers.iter().any(|server| is_acp(server)))
}

/// Declares other servers in the place of those of the type `acp`.
pub(super) fn replaced(params: &str, offers: &Offers, place: &Place<'_>) -> Result<Replaced, Error> {
    let mut made = Vec::new();
    let mut written = Vec::new();
    for server in servers(params).unwrap_or_default() {
        if !is_acp(server) {
            written.push(server.get().to_owned());
            continue;
        }
        let (Some(id), Some(name)) = (member(server.get(), "serverId"), text(server.get(), "name")) else {
            return Err(Error::invalid_params("an MCP server of the type `acp` needs `name` and `serverId`"));
        };
        let offer = offers.add(id, &name)?;
        written.push(place.declaration(&offer, server.get()));
        made.push(offer);
    }
    let params = with(params, "mcpServers", &format!("[{}]", written.join(",")));
    let params = params.ok_or_else(|| Error::invalid_params("`mcpServers` cannot be read"))?;
    Ok(Replaced { params, offers: made })
}

fn servers(params: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(member(params, "mcpServers")?).ok()
}

fn is_acp(server: &RawValue) -> bool {
    text(server.get(), "type").is_some_and(|kind| kind == "acp")
}

impl Place<'_> {
    /// Writes the declaration of a server. Members that all kinds have stay, such as `_meta`.
    fn declaration(&self, offer: &Offer, old: &str) -> String {
        let mut members = vec![("name", Value::from(&*offer.name))];
        match self {
            Self::Shim { shim, address, is_v2 } => {
                if *is_v2 {
                    members.insert(0, ("type", "stdio".into()));
                }
                let arguments = shim.arguments.iter().map(|argument| argument.to_string_lossy().into());
                members.push(("command", shim.program.to_string_lossy().into()));
                members.push(("args", arguments.collect::<Vec<Value>>().into()));
                members.push((
                    "env",
                    json!([
                        {"name": shim::ADDRESS, "value": address},
                        {"name": shim::TOKEN, "value": offer.token()},
                    ]),
                ));
            }
            #[cfg(feature = "mcp-http")]
            Self::Http { origin } => {
                members.insert(0, ("type", "http".into()));
                members.push(("url", format!("{origin}/mcp/{}", offer.key).into()));
                let bearer = format!("Bearer {}", offer.token());
                members.push(("headers", json!([{"name": "Authorization", "value": bearer}])));
            }
        }
        let others: BTreeMap<String, &RawValue> = serde_json::from_str(old).unwrap_or_default();
        let others = others.iter().filter(|(name, _)| !OF_A_KIND.contains(&name.as_str()));
        let written = members.iter().map(|(name, value)| format!("\"{name}\":{value}"));
        let kept = others.map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), value.get()));
        format!("{{{}}}", written.chain(kept).collect::<Vec<_>>().join(","))
    }
}
