//! Parts of values that this version does not have.

use acp_types::v1::{RequestPermissionRequest, SessionUpdate, ToolCallContent};

use super::setup::mode_option;
use super::{tool_call, update};
use crate::wire::loss::{Loss, Losses};
use crate::wire::settings::KnownSettings;
use crate::wire::setup::Setup;

/// Returns what is lost when the update is written.
pub(in crate::wire) fn of_update(update: &SessionUpdate, settings: Option<&KnownSettings>) -> Losses {
    let content = match update {
        SessionUpdate::ToolCall(call) => call.content.as_slice(),
        SessionUpdate::ToolCallUpdate(call) => call.content.as_deref().unwrap_or_default(),
        SessionUpdate::CurrentModeUpdate(_) if !update::has_form(update, settings) => {
            return Losses::of(Loss::ModeWithoutModes);
        }
        _ => return Losses::default(),
    };
    of_content(content)
}

/// Returns what is lost when the settings of a session are written.
pub(in crate::wire) fn of_setup(setup: &Setup) -> Losses {
    let options = setup.config_options.as_deref().unwrap_or_default();
    let has_option = mode_option(options).is_none();
    if setup.modes.is_some() && has_option { Losses::of(Loss::ModesBesideOption) } else { Losses::default() }
}

/// Returns what is lost when the question is written.
pub(in crate::wire) fn of_question(question: &RequestPermissionRequest) -> Losses {
    of_content(question.tool_call.content.as_deref().unwrap_or_default())
}

/// Returns what is lost when items of a tool call's content are written.
fn of_content(content: &[ToolCallContent]) -> Losses {
    if content.iter().all(tool_call::has_form) { Losses::default() } else { Losses::of(Loss::ClientTerminal) }
}
