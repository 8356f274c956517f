//! The stand-in for `store` without that feature. None of its values can exist.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Arc;

use acp_rpc::{EncodeError, FlushBarrier};
use acp_types::v1::{
    ContentBlock, ListSessionsRequest, ListSessionsResponse, MessageId, SessionConfigOption, SessionId,
    SessionModeState, SessionUpdate,
};

use crate::client::Client;
use crate::error::Result;
use crate::wire::gate::Gate;
use crate::wire::update::UpdateParams;

#[derive(Clone)]
pub(crate) enum StoreHandle {}

impl StoreHandle {
    pub(crate) const fn flush_barrier(&self) -> FlushBarrier {
        match *self {}
    }

    pub(crate) async fn create(&self, _: &SessionId, _: &str, _: &[String]) -> Result<Recorder> {
        match *self {}
    }

    pub(crate) async fn reopen(&self, _: Option<Recorder>, _: &SessionId, _: &str) -> Result<Recorder> {
        match *self {}
    }

    pub(crate) async fn state(&self, _: Option<Recorder>, _: &SessionId) -> Result<StoredState> {
        match *self {}
    }

    pub(crate) async fn list(&self, _: &ListSessionsRequest) -> Result<ListSessionsResponse> {
        match *self {}
    }

    pub(crate) async fn close(&self) {
        match *self {}
    }

    pub(crate) async fn delete(&self, _: &SessionId) -> Result<()> {
        match *self {}
    }
}

/// The kinds of state that are kept.
pub(crate) enum RecordKind {
    Settings,
    Saved,
}

/// The state of a stored session.
#[derive(Clone, Debug)]
pub(crate) enum StoredState {}

impl StoredState {
    pub(crate) const fn modes(&self) -> Option<&SessionModeState> {
        match *self {}
    }

    pub(crate) const fn config_options(&self) -> Option<&[SessionConfigOption]> {
        match *self {}
    }

    pub(crate) const fn saved_json(&self) -> Option<&str> {
        match *self {}
    }
}

/// Nothing reads the settings without a store.
pub(crate) fn settings_json(_: Option<&SessionModeState>, _: Option<&[SessionConfigOption]>) -> Arc<str> {
    Arc::default()
}

#[derive(Clone)]
pub(crate) enum Recorder {}

impl Recorder {
    pub(crate) async fn begin_turn(&self, _: &[ContentBlock], _: Option<&MessageId>) -> Result<()> {
        match *self {}
    }

    pub(crate) fn message(&self, _: &[ContentBlock], _: Option<&MessageId>) -> Result<()> {
        match *self {}
    }

    pub(crate) async fn room(&self) {
        match *self {}
    }

    pub(crate) fn end_turn(&self) {
        match *self {}
    }

    pub(crate) fn has_room(&self) -> bool {
        match *self {}
    }

    pub(crate) async fn keep<'a>(&'a self, _: &'a Gate, _: UpdateParams<'a>) -> RecordedUpdate<'a> {
        match *self {}
    }

    pub(crate) async fn keep_state<J: AsRef<str>>(
        &self,
        _: RecordKind,
        _: impl FnOnce() -> J + Send,
    ) -> Result<()> {
        match *self {}
    }

    pub(crate) const fn keep_state_now<J: AsRef<str>>(&self, _: RecordKind, _: impl FnOnce() -> J) -> bool {
        match *self {}
    }

    pub(crate) async fn state(&self) -> Result<StoredState> {
        match *self {}
    }

    pub(crate) fn keep_now<'a>(&'a self, _: &'a Gate, _: UpdateParams<'a>) -> RecordedUpdate<'a> {
        match *self {}
    }

    pub(crate) async fn replay(&self, _: &Client) -> Result<()> {
        match *self {}
    }

    pub(crate) async fn set_directories(&self, _: &[String]) -> Result<()> {
        match *self {}
    }

    pub(crate) async fn commit(&self) -> Result<()> {
        match *self {}
    }

    pub(crate) async fn close(&self) -> Result<()> {
        match *self {}
    }
}

pub(crate) struct RecordedUpdate<'a>(Infallible, PhantomData<&'a ()>);

impl RecordedUpdate<'_> {
    pub(crate) fn encode(&self, _: &mut Vec<u8>) -> std::result::Result<(), EncodeError> {
        match self.0 {}
    }

    pub(crate) fn leaves(
        &self,
        _: &[u8],
        _: impl FnOnce(&SessionUpdate) -> Option<Arc<str>>,
    ) -> std::result::Result<(), EncodeError> {
        match self.0 {}
    }
}
