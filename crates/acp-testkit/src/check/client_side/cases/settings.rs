//! Modes and config options in the answer that opens a session.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client::with;
use crate::check::client_side::agent::pace;
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v1-cfg-05", "an option of a type that nobody has", unknown_type).fresh().survives(),
    case!("v1-cfg-07", "options of an unknown category and of none", categories).fresh().survives(),
    case!("v1-cfg-16", "an option whose values stand in groups", groups).fresh().survives(),
    case!("v1-mode-06", "modes, and a config option for the mode", both).fresh().survives(),
];

/// Lets the client work with these options, as far as it comes.
async fn works(t: &mut Stage, options: Value, of: &str) -> Step {
    t.agent = t.agent.clone().opens("configOptions", options);
    t.ready_with_less().await?;
    t.goes_on(of).await
}

async fn unknown_type(t: &mut Stage) -> Step {
    let odd = with(with(pace(), "type", "acp_check".into()), "id", "odd".into());
    works(t, json!([odd, pace()]), "an option of an unknown type").await
}

async fn categories(t: &mut Stage) -> Step {
    let unknown = with(pace(), "category", "acp_check".into());
    let options = json!([unknown, with(pace(), "id", "other".into())]);
    works(t, options, "options of an unknown category").await
}

async fn groups(t: &mut Stage) -> Step {
    let values = pace().get("options").cloned().unwrap_or_default();
    let groups = json!([{"group": "g", "name": "Group", "options": values}]);
    works(t, json!([with(pace(), "options", groups)]), "an option with groups").await
}

async fn both(t: &mut Stage) -> Step {
    let mode = with(with(pace(), "category", "mode".into()), "id", "mode".into());
    // A rule over all lines looks at what the client does.
    works(t, json!([mode]), "modes and an option for the mode").await
}
