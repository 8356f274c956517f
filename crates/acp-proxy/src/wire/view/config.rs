//! Config options: version 2 names their ids otherwise, and marks values that are ids.

use serde_json::{Value, json};

use super::members::{add, each, has, remove_text, rename};

pub(super) fn value_to_v1(params: &mut Value) {
    remove_text(params, "type", "id");
}

pub(super) fn value_to_v2(params: &mut Value) {
    add(params, "type", json!("id"));
}

pub(super) fn mode_to_v1(params: &mut Value) {
    rename(params, "value", "modeId");
}

pub(super) fn mode_to_v2(params: &mut Value) {
    rename(params, "modeId", "value");
}

pub(super) fn options_to_v1(update: &mut Value) {
    each(update, "configOptions", |option| rename(option, "configId", "id"));
}

pub(super) fn options_to_v2(update: &mut Value) {
    each(update, "configOptions", |option| {
        if has(option, "id") {
            rename(option, "id", "configId");
        }
    });
}
