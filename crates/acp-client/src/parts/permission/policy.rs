//! Policies that answer permission requests.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use acp_types::v1::{RequestPermissionOutcome, RequestPermissionRequest, ToolKind};

use super::memory::{self, Memory};
use crate::PermissionAnswer;
use crate::{Client, Context, Handlers};

/// A policy for `session/request_permission`: one answer for all, by the kind of tool, or by
/// asking.
///
/// The policy chooses by the kind of the offered options, never by their place or name. If none
/// fits, the answer is `cancelled`, [which is not
/// consent](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-perm-08). An `allow always`
/// may become an `allow once`, and a rejection may become the other kind of rejection. An
/// `allow once` never becomes more. An option of an unknown kind is only chosen by its id.
///
/// If the turn is cancelled or the session or connection closed, every open request is [answered
/// with `cancelled`](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-cancel-03), once.
/// A later answer of the policy is ignored.
///
/// ```
/// use acp_client::types::ToolKind;
/// use acp_client::{PermissionAnswer, PermissionPolicy};
///
/// let policy = PermissionPolicy::by_kind([
///         (ToolKind::Read, PermissionPolicy::allow_once()),
///         (ToolKind::Search, PermissionPolicy::allow_once()),
///         (ToolKind::Delete, PermissionPolicy::reject()),
///     ])
///     .or_ask(async |request| {
///         // … show `request.tool_call` with `request.options` to the user …
///         PermissionAnswer::AllowAlways
///     })
///     .remember();
/// ```
#[derive(Clone)]
pub struct PermissionPolicy(Arc<Rule>);

type KeyOf = Box<dyn Fn(&RequestPermissionRequest) -> Option<String> + Send + Sync>;
type AnswerFuture = Pin<Box<dyn Future<Output = PermissionAnswer> + Send>>;

enum Rule {
    Fixed(PermissionAnswer),
    Ask(Box<dyn Fn(RequestPermissionRequest) -> AnswerFuture + Send + Sync>),
    ByKind(Vec<(ToolKind, PermissionPolicy)>),
    Or(PermissionPolicy, PermissionPolicy),
    Remember(PermissionPolicy, KeyOf, Memory),
}

/// The result of a rule.
#[derive(Debug)]
enum Verdict {
    /// An offered option fits this choice, or it needs none.
    Decided(PermissionAnswer),
    /// No offered option fits.
    NotOffered,
    /// The rule does not cover such a request.
    NoRule,
}

impl PermissionPolicy {
    /// Rejects everything. This is the policy of a client without another one.
    #[must_use]
    pub fn reject() -> Self {
        Self::of(Rule::Fixed(PermissionAnswer::RejectOnce))
    }

    /// Rejects everything, and lets the agent stop asking.
    #[must_use]
    pub fn reject_always() -> Self {
        Self::of(Rule::Fixed(PermissionAnswer::RejectAlways))
    }

    /// Allows every run, but only this one.
    #[must_use]
    pub fn allow_once() -> Self {
        Self::of(Rule::Fixed(PermissionAnswer::AllowOnce))
    }

    /// Allows everything, and lets the agent stop asking.
    #[must_use]
    pub fn allow_always() -> Self {
        Self::of(Rule::Fixed(PermissionAnswer::AllowAlways))
    }

    /// Asks `callback`. It runs as a task of its own. If the turn is cancelled meanwhile, it is
    /// dropped and the answer is `cancelled`.
    pub fn ask<F>(callback: impl Fn(RequestPermissionRequest) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = PermissionAnswer> + Send + 'static,
    {
        Self::of(Rule::Ask(Box::new(move |request| Box::pin(callback(request)))))
    }

    /// Decides by the kind of tool that the request names. The first rule for a kind counts. Other
    /// kinds, and requests without a kind, are rejected, or left to [`or`](Self::or) and
    /// [`or_ask`](Self::or_ask).
    ///
    /// The kind is the agent's claim about the tool, not a proof.
    #[must_use]
    pub fn by_kind(rules: impl IntoIterator<Item = (ToolKind, Self)>) -> Self {
        Self::of(Rule::ByKind(rules.into_iter().collect()))
    }

    /// Leaves requests to `other` if this policy has no rule for them, or none of the offered
    /// options fits.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::of(Rule::Or(self, other))
    }

    /// Asks `callback` if this policy has no rule for a request, or none of the offered options
    /// fits: see [`ask`](Self::ask).
    #[must_use]
    pub fn or_ask<F>(self, callback: impl Fn(RequestPermissionRequest) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = PermissionAnswer> + Send + 'static,
    {
        self.or(Self::ask(callback))
    }

    /// Remembers the lasting decisions of this policy while the session is open, and decides the
    /// same run again without asking. So a user can decide for good even if an agent offers no
    /// option for that.
    ///
    /// Runs are the same if their requests agree in kind, title, files, content and input of the
    /// tool call. A run without a title is not remembered. Clones share their memory: up to 256
    /// decisions of a session.
    #[must_use]
    pub fn remember(self) -> Self {
        self.remember_by(memory::key)
    }

    /// Remembers decisions like [`remember`](Self::remember). Runs are the same if `key` returns
    /// the same text. A run for which it returns `None` is not remembered.
    ///
    /// ```
    /// # use acp_client::{PermissionAnswer, PermissionPolicy};
    /// // A user who has allowed edits of a file for always is not asked about its other edits.
    /// let policy = PermissionPolicy::ask(async |_| PermissionAnswer::AllowAlways);
    /// let policy = policy.remember_by(|request| {
    ///     let [file] = request.tool_call.locations.as_deref()? else { return None };
    ///     Some(format!("{:?} {}", request.tool_call.kind.as_ref()?, file.path))
    /// });
    /// ```
    #[must_use]
    pub fn remember_by(
        self,
        key: impl Fn(&RequestPermissionRequest) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self::of(Rule::Remember(self, Box::new(key), Memory::default()))
    }

    /// Decides one request.
    pub async fn decide(
        &self,
        request: RequestPermissionRequest,
        context: &Context,
    ) -> RequestPermissionOutcome {
        match self.judge(&request, context).await {
            Verdict::Decided(choice) => choice.among(&request),
            Verdict::NotOffered => RequestPermissionOutcome::Cancelled,
            Verdict::NoRule => PermissionAnswer::RejectOnce.among(&request),
        }
    }

    fn of(rule: Rule) -> Self {
        Self(Arc::new(rule))
    }

    /// Boxed, because policies contain policies.
    fn judge<'a>(
        &'a self,
        request: &'a RequestPermissionRequest,
        context: &'a Context,
    ) -> Pin<Box<dyn Future<Output = Verdict> + Send + 'a>> {
        Box::pin(async move {
            match &*self.0 {
                Rule::Fixed(choice) => Verdict::of(choice.clone(), request),
                Rule::Ask(callback) => Verdict::of(callback(request.clone()).await, request),
                Rule::ByKind(rules) => {
                    let kind = request.tool_call.kind.as_ref();
                    match rules.iter().find(|(known, _)| Some(known) == kind) {
                        Some((_, policy)) => policy.judge(request, context).await,
                        None => Verdict::NoRule,
                    }
                }
                Rule::Or(first, other) => match first.judge(request, context).await {
                    Verdict::NotOffered | Verdict::NoRule => other.judge(request, context).await,
                    decided => decided,
                },
                Rule::Remember(policy, key, memory) => {
                    policy.judge_once(request, context, key(request), memory).await
                }
            }
        })
    }

    async fn judge_once(
        &self,
        request: &RequestPermissionRequest,
        context: &Context,
        key: Option<String>,
        memory: &Memory,
    ) -> Verdict {
        let Some((session, key)) = context.session(&request.session_id).zip(key) else {
            return self.judge(request, context).await;
        };
        let known = memory.recall(&session, &key).map(|choice| Verdict::of(choice, request));
        if let Some(known @ Verdict::Decided(_)) = known {
            return known;
        }
        let verdict = self.judge(request, context).await;
        if let Verdict::Decided(choice) = &verdict
            && let Some(choice) = for_good(choice, request)
        {
            memory.keep(&session, key, choice);
        }
        verdict
    }
}

impl Verdict {
    fn of(choice: PermissionAnswer, request: &RequestPermissionRequest) -> Self {
        // Closing a question is a decision too, so nobody else is asked.
        let is_decided = choice == PermissionAnswer::Cancelled || choice.option(request).is_some();
        if is_decided { Self::Decided(choice) } else { Self::NotOffered }
    }
}

/// Returns the answer to later requests of the same run, if this answer holds for them.
fn for_good(answer: &PermissionAnswer, request: &RequestPermissionRequest) -> Option<PermissionAnswer> {
    let answer = match answer {
        PermissionAnswer::Option(_) => PermissionAnswer::from(&answer.option(request)?.kind),
        answer => answer.clone(),
    };
    matches!(answer, PermissionAnswer::AllowAlways | PermissionAnswer::RejectAlways).then_some(answer)
}

impl Default for PermissionPolicy {
    fn default() -> Self {
        Self::reject()
    }
}

impl Client for PermissionPolicy {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        handlers.permission(&self, |policy, request, context| async move {
            policy.decide(request, &context).await
        });
    }
}

impl fmt::Debug for PermissionPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Rule::Fixed(choice) => f.debug_tuple("PermissionPolicy").field(choice).finish(),
            Rule::Ask(_) => f.write_str("PermissionPolicy(ask)"),
            Rule::ByKind(rules) => {
                f.debug_map().entries(rules.iter().map(|(kind, rule)| (kind, rule))).finish()
            }
            Rule::Or(first, other) => f.debug_list().entry(first).entry(other).finish(),
            Rule::Remember(policy, ..) => f.debug_tuple("Remember").field(policy).finish(),
        }
    }
}
