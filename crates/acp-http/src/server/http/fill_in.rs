//! The session of a header, put into the params of a message.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::{RawValue, to_raw_value};

use crate::server::refusal::Refused;

/// Adds `params.sessionId` to a message. The values of all other members stay as they are.
pub(super) fn fill_in(message: &[u8], session: &str) -> Result<Vec<u8>, Refused> {
    let mut members: BTreeMap<Cow<'_, str>, &RawValue> =
        serde_json::from_slice(message).map_err(|_| Refused::NOT_JSON)?;
    let session = to_raw_value(session).map_err(|_| Refused::BROKEN)?;
    let mut params: BTreeMap<Cow<'_, str>, &RawValue> = match members.get("params") {
        // `null` counts as absent.
        Some(params) if params.get() != "null" => {
            serde_json::from_str(params.get()).map_err(|_| Refused::NO_PARAMS_OBJECT)?
        }
        _ => BTreeMap::new(),
    };
    params.insert(Cow::Borrowed("sessionId"), &session);
    let params = to_raw_value(&params).map_err(|_| Refused::BROKEN)?;
    members.insert(Cow::Borrowed("params"), &params);
    serde_json::to_vec(&members).map_err(|_| Refused::BROKEN)
}
