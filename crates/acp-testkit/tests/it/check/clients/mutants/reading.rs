//! Tool calls, content and updates that a client cannot read.

use super::Mutant;
use super::faults::{full, tool};
use crate::check::mutant::Fault::{DiesOf, Refuse};

const ASKED: &str = "session/request_permission";

pub(super) const MUTANTS: &[Mutant] = &[
    full("v1-tool-04", Refuse(ASKED, |p| tool(p).get("kind").is_some_and(|kind| kind.is_null()))),
    full("v1-tool-05", Refuse(ASKED, |p| tool(p)["name"].is_string())),
    full("v1-tool-06", Refuse(ASKED, |p| tool(p)["status"] == "failed")),
    full("v1-tool-07", Refuse(ASKED, |p| tool(p)["kind"] == "switch_mode")),
    full("v1-tool-08", Refuse(ASKED, |p| tool(p)["content"][2]["type"] == "terminal")),
    full(
        "v1-tool-09",
        Refuse(ASKED, |p| tool(p)["content"][0].get("oldText").is_some_and(|old| old.is_null())),
    ),
    full("v1-tool-12", Refuse(ASKED, |p| tool(p)["locations"][1].get("line").is_some())),
    full("v1-tool-13", Refuse(ASKED, |p| tool(p)["content"][0] == 5)),
    full("v1-tool-14", Refuse(ASKED, |p| tool(p)["rawInput"].is_boolean())),
    full("v1-tool-15", DiesOf("acp-check-unseen")).also(&["v1-cmp-03"]),
    full("v1-cont-07", Refuse(ASKED, |p| tool(p)["content"][0]["content"]["annotations"].is_number())),
    full("v1-plan-06", DiesOf("\"priority\":\"low\"")),
    full("v1-cmd-02", DiesOf("acp-check-not")),
    full("v1-info-01", DiesOf("\"updatedAt\":null")),
    full("v1-cmp-02", DiesOf("\"summary\":[]")),
    full("v1-cmp-03", DiesOf("compaction_summary_chunk")),
    full("v1-mode-03", DiesOf("current_mode_update")),
    full("v1-cfg-13", DiesOf("config_option_update")),
];
