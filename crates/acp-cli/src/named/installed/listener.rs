//! The answer to `initialize` among the bytes of an agent, while they pass.

use serde_json::Value;

use super::answered::Answered;

/// The most bytes of an agent's first lines that are searched for its answer.
const SEARCHED: usize = 256 * 1024;

/// Searches the first lines of an agent for its answer, while they pass.
#[derive(Debug)]
pub(crate) struct Listener {
    line: Vec<u8>,
    searched: usize,
}

impl Listener {
    pub(crate) const fn new() -> Self {
        Self { line: Vec::new(), searched: 0 }
    }

    /// Hears bytes of the agent. Returns its answer once.
    pub(crate) fn hear(&mut self, bytes: &[u8]) -> Option<Answered> {
        if self.searched > SEARCHED {
            return None;
        }
        self.searched += bytes.len();
        let mut found = None;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                found = found.or_else(|| answer(&self.line));
                self.line.clear();
            }
        }
        if found.is_some() || self.searched > SEARCHED {
            *self = Self { line: Vec::new(), searched: SEARCHED + 1 };
        }
        found
    }
}

/// Reads the answer in a line of an agent. Returns `None` for any other line.
fn answer(line: &[u8]) -> Option<Answered> {
    let message: Value = serde_json::from_slice(line).ok()?;
    let result = message.get("result")?;
    let has = |name: &str| result.get(name).is_some_and(|member| !member.is_null());
    let protocol = match result.get("protocolVersion")?.as_u64()? {
        // Some agents repeat any number, and answer in the form of version 1.
        2 if has("agentInfo") || has("agentCapabilities") => 1,
        1 => 1,
        2 => 2,
        _ => return None,
    };
    let info = result.get("agentInfo").or_else(|| result.get("info"));
    let text = |name: &str| info.and_then(|info| info.get(name)).and_then(Value::as_str);
    Some(Answered::new(protocol, text("name"), text("version")))
}
