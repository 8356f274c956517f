//! What stands in the place of `store` without that feature: nothing of it can be there.

use std::convert::Infallible;
use std::marker::PhantomData;

use acp_rpc::{Encode, EncodeError, FlushBarrier, Reply};
use acp_types::Meta;
use acp_types::v1::{
    ContentBlock, NewSessionRequest, SessionConfigOption, SessionId, SessionModeState, SessionUpdate,
};

use crate::agent::Agent;
use crate::call::Scope;
use crate::connection::OnFault;
use crate::error::Result;
use crate::gate::Gate;
use crate::incoming::{Called, Incoming};
use crate::op::Operation;
use crate::opening::Opening;
use crate::opens::Opens;

pub(crate) enum Keeper {}

impl Keeper {
    pub(crate) const OPERATIONS: [Operation; 0] = [];

    pub(crate) fn of<A: Agent>(_: &A, _: Option<OnFault>) -> Option<Self> {
        None
    }

    pub(crate) const fn flush_barrier(&self) -> FlushBarrier {
        match *self {}
    }

    pub(crate) async fn create(&self, _: &SessionId, _: &str, _: &[String]) -> Result<Recorder> {
        match *self {}
    }

    pub(crate) async fn close(&self) {
        match *self {}
    }

    pub(crate) async fn delete(&self, _: &SessionId) -> Result<()> {
        match *self {}
    }
}

#[derive(Clone)]
pub(crate) enum Recorder {}

impl Recorder {
    pub(crate) async fn begin_turn(&self, _: &[ContentBlock]) -> Result<()> {
        match *self {}
    }

    pub(crate) fn end_turn(&self) {
        match *self {}
    }

    pub(crate) fn has_room(&self) -> bool {
        match *self {}
    }

    pub(crate) async fn keep<'a>(&'a self, _: &'a Gate, _: &'a SessionUpdate) -> Kept<'a> {
        match *self {}
    }

    pub(crate) fn keep_now<'a>(&'a self, _: &'a Gate, _: &'a SessionUpdate) -> Kept<'a> {
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

pub(crate) struct Kept<'a>(Infallible, PhantomData<&'a ()>);

impl Encode for Kept<'_> {
    fn encode(&self, _: &mut Vec<u8>) -> std::result::Result<(), EncodeError> {
        match self.0 {}
    }
}

#[derive(Clone)]
pub(crate) enum Reopening {}

impl Reopening {
    pub(crate) const fn session_id(&self) -> &SessionId {
        match *self {}
    }

    pub(crate) const fn request_for_new(&self) -> NewSessionRequest {
        match *self {}
    }

    pub(crate) const fn holds_updates(&self) -> bool {
        match *self {}
    }

    pub(crate) fn reply(
        self,
        _: Option<SessionModeState>,
        _: Option<Vec<SessionConfigOption>>,
        _: Option<Meta>,
    ) -> Reply {
        match self {}
    }
}

pub(crate) fn answer<A: Agent>(_: Operation, incoming: Incoming<'_, A>) -> Called {
    incoming.refuse()
}

pub(crate) async fn reopen<O: Opens, A: Agent>(keeper: &Keeper, _: &Scope<A>, _: &Opening<O>) -> Result<()> {
    match *keeper {}
}
