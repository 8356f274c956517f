//! Values get the form that the version of a connection has, or are refused before they are sent.

use acp_types::v1::{
    ClientCapabilities, ContentBlock, RequestPermissionOutcome, RequestPermissionResponse, Role,
    SessionConfigValue,
};

use crate::Error;
use crate::wire::Wire;
use crate::wire::loss::{Loss, Losses};

impl Wire {
    /// Leaves out the parts of content that this version does not have.
    pub(crate) fn fit_content(self, blocks: &mut [ContentBlock]) -> Losses {
        let mut losses = Losses::default();
        for block in blocks {
            match self {
                Self::V1 => without_own_roles(block, &mut losses),
                #[cfg(feature = "v2")]
                Self::V2 => within_bounds(block, &mut losses),
            }
        }
        losses
    }

    /// Puts the answer to a question as this version has it. One that it does not have is not
    /// consent.
    pub(crate) fn fit_answer(self, answer: &mut RequestPermissionResponse) -> Losses {
        let mut losses = Losses::default();
        match self {
            Self::V1 => {
                if let RequestPermissionOutcome::Unknown(_) = answer.outcome {
                    answer.outcome = RequestPermissionOutcome::Cancelled;
                    losses.add(Loss::Outcome);
                }
            }
            #[cfg(feature = "v2")]
            Self::V2 => {}
        }
        losses
    }

    /// Returns the offers of the client that agents of this version cannot take.
    pub(crate) fn lost_in(self, offered: &ClientCapabilities) -> Losses {
        let mut losses = Losses::default();
        match self {
            Self::V1 => {
                let _ = offered;
            }
            #[cfg(feature = "v2")]
            Self::V2 => {
                if offered.fs.read_text_file || offered.fs.write_text_file {
                    losses.add(Loss::Files);
                }
                if offered.terminal {
                    losses.add(Loss::Terminals);
                }
            }
        }
        losses
    }

    /// Checks that the version has values of this kind for config options.
    pub(crate) fn check_value(self, value: &SessionConfigValue, method: &'static str) -> Result<(), Error> {
        match (self, value) {
            // A text is taken for the id of a value, whatever its kind.
            (Self::V1, SessionConfigValue::Unknown(value))
                if value.members().get("value").and_then(|value| value.as_str()).is_none() =>
            {
                let what = "a value of a config option, of a kind of its own";
                Err(Error::Unsupported { method, what, version: self.version() })
            }
            _ => Ok(()),
        }
    }
}

fn without_own_roles(block: &mut ContentBlock, losses: &mut Losses) {
    let audience = block.annotations_mut().and_then(|annotations| annotations.audience.as_mut());
    let Some(audience) = audience else { return };
    let before = audience.len();
    audience.retain(|role| !matches!(role, Role::Unknown(_)));
    if audience.len() < before {
        losses.add(Loss::Role);
    }
}

#[cfg(feature = "v2")]
fn within_bounds(block: &mut ContentBlock, losses: &mut Losses) {
    if let ContentBlock::ResourceLink(link) = block
        && link.size.take_if(|size| *size < 0).is_some()
    {
        losses.add(Loss::Size);
    }
    if let Some(annotations) = block.annotations_mut()
        && annotations.priority.take_if(|priority| !(0.0..=1.0).contains(priority)).is_some()
    {
        losses.add(Loss::Priority);
    }
}
