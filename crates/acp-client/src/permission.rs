use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use acp_types::v1::{
    PermissionOptionId, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    SelectedPermissionOutcome,
};

use crate::{Client, Handlers};

/// How `session/request_permission` is answered: always the same way, or by asking.
///
/// The answer is chosen by the kind of the offered options, never by their place or name. When nothing fitting is
/// offered the answer is `cancelled`, which is no consent. An `allow always` may become an `allow once`, a rejection
/// may become the other kind of rejection; an `allow once` never becomes more.
///
/// ```
/// use acp_client::{Choice, PermissionPolicy};
///
/// let reads_only = PermissionPolicy::ask(async |request| match request.tool_call.kind {
///     Some(acp_client::v1::ToolKind::Read) => Choice::AllowOnce,
///     _ => Choice::RejectOnce,
/// });
/// ```
#[derive(Clone)]
pub struct PermissionPolicy(Rule);

/// An answer to a permission request, by kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// This one run of the tool.
    AllowOnce,
    /// This run and those like it.
    AllowAlways,
    /// Not this run.
    RejectOnce,
    /// Neither this run nor those like it.
    RejectAlways,
    /// The offered option with this id.
    Option(PermissionOptionId),
    /// No answer: the question was withdrawn.
    Cancel,
}

type Asked = Pin<Box<dyn Future<Output = Choice> + Send>>;

#[derive(Clone)]
enum Rule {
    Fixed(Choice),
    Ask(Arc<dyn Fn(RequestPermissionRequest) -> Asked + Send + Sync>),
}

impl PermissionPolicy {
    /// Rejects everything: what a client does that was told nothing else.
    #[must_use]
    pub const fn reject() -> Self {
        Self(Rule::Fixed(Choice::RejectOnce))
    }

    /// Allows every run, each for itself.
    #[must_use]
    pub const fn allow_once() -> Self {
        Self(Rule::Fixed(Choice::AllowOnce))
    }

    /// Allows everything, and lets the agent stop asking.
    #[must_use]
    pub const fn allow_always() -> Self {
        Self(Rule::Fixed(Choice::AllowAlways))
    }

    /// Asks `callback`. It runs as a task of its own, is dropped when the turn is cancelled meanwhile, and the answer
    /// is `cancelled` then.
    pub fn ask<F>(callback: impl Fn(RequestPermissionRequest) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Choice> + Send + 'static,
    {
        Self(Rule::Ask(Arc::new(move |request| Box::pin(callback(request)))))
    }

    /// Decides one request.
    pub async fn decide(&self, request: RequestPermissionRequest) -> RequestPermissionOutcome {
        match &self.0 {
            Rule::Fixed(choice) => choice.among(&request),
            Rule::Ask(callback) => {
                let choice = callback(request.clone()).await;
                choice.among(&request)
            }
        }
    }
}

impl Choice {
    /// The outcome of this choice among the options that a request offers.
    #[must_use]
    pub fn among(&self, request: &RequestPermissionRequest) -> RequestPermissionOutcome {
        use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
        let offered = &request.options;
        let of_kinds = |kinds: &[PermissionOptionKind]| {
            kinds.iter().find_map(|kind| offered.iter().find(|option| option.kind == *kind))
        };
        let chosen = match self {
            Self::AllowOnce => of_kinds(&[AllowOnce]),
            Self::AllowAlways => of_kinds(&[AllowAlways, AllowOnce]),
            Self::RejectOnce => of_kinds(&[RejectOnce, RejectAlways]),
            Self::RejectAlways => of_kinds(&[RejectAlways, RejectOnce]),
            Self::Option(id) => offered.iter().find(|option| option.option_id == *id),
            Self::Cancel => None,
        };
        match chosen {
            Some(option) => SelectedPermissionOutcome::new(option.option_id.clone()).into(),
            None => RequestPermissionOutcome::Cancelled,
        }
    }
}

impl Default for PermissionPolicy {
    fn default() -> Self {
        Self::reject()
    }
}

impl Client for PermissionPolicy {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        handlers.permission(&self, |policy, request, _| async move { policy.decide(request).await });
    }
}

impl fmt::Debug for PermissionPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Rule::Fixed(choice) => f.debug_tuple("PermissionPolicy").field(choice).finish(),
            Rule::Ask(_) => f.write_str("PermissionPolicy(ask)"),
        }
    }
}
