//! Values get the form that the version of a connection has, and losses are reported.

use std::sync::atomic::{AtomicU16, Ordering};

use acp_rpc::Fault;
use acp_types::v1::{PermissionOption, PromptResponse, SessionId, SessionUpdate};

use super::ask::Ask;
use super::loss::{Loss, Losses};
use super::settings::KnownSettings;
use super::setup::Setup;
#[cfg(feature = "v2")]
use super::v2;
use super::{Wire, v1};
#[cfg(feature = "tracing")]
use crate::error::Logged;
use crate::error::{Error, OnFault, Result, Shown};

/// The losses that were reported in a session, or outside of sessions.
#[derive(Debug, Default)]
pub(crate) struct Reports(AtomicU16);

impl Reports {
    /// Reports the losses that were not reported before.
    pub(crate) fn note(&self, losses: Losses, session: Option<&SessionId>, on_fault: Option<&OnFault>) {
        if losses == Losses::default() {
            return;
        }
        let before = Losses::from_bits(self.0.fetch_or(losses.bits(), Ordering::Relaxed));
        for loss in Loss::ALL.into_iter().filter(|loss| losses.has(*loss) && !before.has(*loss)) {
            let (what, instead) = (loss.what(), loss.instead());
            #[cfg(feature = "tracing")]
            tracing::warn!(
                session = session.map(|session| tracing::field::display(Logged(session))),
                what,
                instead,
                "the client's version has no form of this"
            );
            if let Some(on_fault) = on_fault {
                let of = session.map(|session| format!(" (session `{}`)", Shown(session)));
                let what = format!("{what}{}", of.unwrap_or_default());
                on_fault(&Fault::Degraded { what: &what, instead });
            }
        }
    }
}

#[cfg_attr(not(feature = "v2"), allow(unused_variables, reason = "version 1 needs no settings"))]
impl Wire {
    /// Gives an update what has a form in this version, and returns what is lost by that or when
    /// it is written.
    pub(crate) fn fit(&self, update: &mut SessionUpdate, settings: Option<&KnownSettings>) -> Losses {
        match self {
            Wire::V1 => v1::fit::update(update),
            #[cfg(feature = "v2")]
            Wire::V2 => v2::losses::of_update(update, settings),
        }
    }

    /// Returns what is lost when these settings of a session are written.
    pub(crate) fn lost_in(&self, setup: &Setup) -> Losses {
        match self {
            Wire::V1 => Losses::default(),
            #[cfg(feature = "v2")]
            Wire::V2 => v2::losses::of_setup(setup),
        }
    }

    /// Gives a request to the client what has a form in this version. Returns the request, unless
    /// it has that form already, and what is lost.
    ///
    /// # Errors
    /// Nothing of it has a form in this version.
    pub(crate) fn fit_request<Q: Ask>(&self, request: &Q) -> Result<(Option<Q>, Losses)> {
        match self {
            Wire::V1 => {
                let fitted = request.fit_v1().map_err(|what| self.unsupported(what))?;
                Ok(fitted.map_or_else(Default::default, |(fitted, losses)| (Some(fitted), losses)))
            }
            #[cfg(feature = "v2")]
            Wire::V2 => Ok((None, request.lost_in_v2())),
        }
    }

    /// Returns the error for a question without options that have a form in this version.
    pub(crate) fn no_option(&self) -> Error {
        self.unsupported(v1::fit::NO_OPTION)
    }

    /// Returns the error for something that this version does not have.
    fn unsupported(&self, what: &'static str) -> Error {
        Error::Unsupported { what: what.into(), version: self.version() }
    }

    /// Leaves out the options of a question that have no form in this version.
    pub(crate) fn fit_options(&self, options: &mut Vec<PermissionOption>) -> Losses {
        match self {
            Wire::V1 => v1::fit::options(options),
            #[cfg(feature = "v2")]
            Wire::V2 => Losses::default(),
        }
    }

    /// Gives the end of a turn a reason that has a form in this version.
    pub(crate) fn fit_end(&self, response: &mut PromptResponse) -> Losses {
        match self {
            Wire::V1 => v1::fit::end(response),
            #[cfg(feature = "v2")]
            Wire::V2 => Losses::default(),
        }
    }
}
