//! The headers in a server's configuration.

use std::collections::HashMap;

use acp_types::v1::HttpHeader;
use http::header::{ACCEPT, CONTENT_TYPE, COOKIE};
use http::{HeaderName, HeaderValue};

use crate::error::McpError;

/// Headers that go with every exchange.
pub(super) type Headers = HashMap<HeaderName, HeaderValue>;

/// The headers that the transport sets.
const RESERVED: &[&str] = &[
    "mcp-session-id",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
    "last-event-id",
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
    "trailer",
];
/// The headers that can be given only once.
const SINGLE: &[&str] = &["authorization", "proxy-authorization", "user-agent", "origin", "referer"];

/// Reads the headers to send with every exchange. Values under one name become one list (rule
/// `acp-mcp-07`).
pub(super) fn read(configured: &[HttpHeader]) -> Result<Headers, McpError> {
    let mut headers = Headers::new();
    for header in configured {
        let wrong = |problem| Err(McpError::Header { name: header.name.clone(), problem });
        let Ok(name) = header.name.parse::<HeaderName>() else {
            return wrong("this is not the name of a header");
        };
        let Ok(mut value) = HeaderValue::from_str(&header.value) else {
            return wrong("its value has characters that headers do not have");
        };
        if RESERVED.contains(&name.as_str()) || name.as_str().starts_with("mcp-param-") {
            return wrong("the transport sets it by itself");
        }
        // Configurations often have these two. They are sent in any case.
        if name == ACCEPT || (name == CONTENT_TYPE && is_json(&header.value)) {
            continue;
        }
        if name == CONTENT_TYPE {
            return wrong("messages are always sent as `application/json`");
        }
        if let Some(before) = headers.get(&name) {
            if SINGLE.contains(&name.as_str()) {
                return wrong("it is given twice");
            }
            let between = if name == COOKIE { "; " } else { ", " };
            let joined = [before.as_bytes(), between.as_bytes(), value.as_bytes()].concat();
            let Ok(joined) = HeaderValue::from_bytes(&joined) else { return wrong("it is given twice") };
            value = joined;
        }
        // It may be a credential, which `Debug` must not print.
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

fn is_json(value: &str) -> bool {
    value.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(configured: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let configured: Vec<_> =
            configured.iter().map(|(name, value)| HttpHeader::new(*name, *value)).collect();
        let headers = super::read(&configured).map_err(|error| error.to_string())?;
        let mut lines: Vec<String> =
            headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
        lines.sort();
        Ok(lines)
    }

    #[test]
    fn headers_are_sent_and_those_of_one_name_joined() {
        let lines = read(&[
            ("X-Key", "a"),
            ("Authorization", "Bearer t"),
            ("x-key", "b"),
            ("Cookie", "a=1"),
            ("cookie", "b=2"),
            ("Content-Type", "application/json; charset=utf-8"),
            ("Accept", "application/json"),
        ]);
        assert_eq!(lines.unwrap(), ["authorization: Bearer t", "cookie: a=1; b=2", "x-key: a, b"]);
    }

    #[test]
    fn what_cannot_be_sent_is_named_and_its_value_is_not() {
        for (headers, problem) in [
            (
                &[("Mcp-Session-Id", "secret")][..],
                "the header `Mcp-Session-Id` cannot be sent: the transport sets it by itself",
            ),
            (
                &[("MCP-Protocol-Version", "secret")],
                "the header `MCP-Protocol-Version` cannot be sent: the transport sets it by itself",
            ),
            (
                &[("Mcp-Param-x", "secret")],
                "the header `Mcp-Param-x` cannot be sent: the transport sets it by itself",
            ),
            (&[("Host", "secret")], "the header `Host` cannot be sent: the transport sets it by itself"),
            (&[("a b", "secret")], "the header `a b` cannot be sent: this is not the name of a header"),
            (
                &[("X", "secret\n")],
                "the header `X` cannot be sent: its value has characters that headers do not have",
            ),
            (
                &[("Content-Type", "text/secret")],
                "the header `Content-Type` cannot be sent: messages are always sent as `application/json`",
            ),
            (
                &[("Authorization", "secret"), ("authorization", "x")],
                "the header `authorization` cannot be sent: it is given twice",
            ),
        ] {
            assert_eq!(read(headers).unwrap_err(), problem);
        }
    }

    #[test]
    fn values_are_not_printed() {
        let headers = super::read(&[HttpHeader::new("Authorization", "Bearer secret")]).unwrap();
        assert!(!format!("{headers:?}").contains("secret"));
    }
}
