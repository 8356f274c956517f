//! A policy for what agents ask for.

mod action;
mod command;
mod path;
mod rule;

use std::fmt;
use std::sync::Arc;

use acp_json::Node;
use acp_rpc::Error;

use self::action::Action;
pub use self::rule::{Rule, Verdict};
use crate::audit::Audit;
use crate::flow::json::Json;
use crate::flow::reply::Reply;
use crate::flow::route::Toward;
use crate::proxy::{Next, Proxy};

/// A policy: rules that allow, deny or ask, by the kind of a tool, by path and by command. The
/// first rule that fits decides. Without one the user is asked.
///
/// # What it can enforce
///
/// A proxy sees only what an agent asks for. The policy decides about permission requests
/// (`session/request_permission`), and in version 1 about the files and commands of the client
/// (`fs/read_text_file`, `fs/write_text_file`, `terminal/create`). An agent that acts by itself,
/// without a question, is not stopped: a tool call that it reports has already begun. Run such an
/// agent in a sandbox, or in a mode in which it asks.
///
/// A denial is a rejecting option of the request, or `cancelled` if there is none, and an error for
/// files and commands. An allowance is an option that allows once; without one the user is asked.
/// Where a rule asks about files and commands, the user gets a permission request of the proxy.
///
/// ```
/// use acp_proxy::types::ToolKind;
/// use acp_proxy::{Rule, Rules};
///
/// let rules = Rules::new()
///     .rule(Rule::deny("no secrets").path("/home/me/.ssh"))
///     .rule(Rule::allow("reading is harmless").kind(ToolKind::Read).path("/home/me/project"))
///     .rule(Rule::allow("tests").command("cargo test"))
///     .rule(Rule::deny("nothing leaves").command("curl"));
/// # let _ = rules.proxy();
/// ```
#[derive(Clone, Default)]
pub struct Rules {
    rules: Arc<Vec<Rule>>,
    audit: Option<Audit>,
}

impl Rules {
    /// Makes a policy without rules, which asks about everything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a rule behind those before.
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        Arc::make_mut(&mut self.rules).push(rule);
        self
    }

    /// Records each decision with its rule, as a record of the kind `decision`. If that fails, the
    /// request is refused.
    #[must_use]
    pub fn audit(mut self, audit: &Audit) -> Self {
        self.audit = Some(audit.clone());
        self
    }

    /// Returns the proxy that keeps to the policy.
    #[must_use]
    pub fn proxy(&self) -> Proxy {
        let mut proxy = Proxy::new("policy");
        for method in action::METHODS {
            let rules = self.clone();
            proxy = proxy.raw_request(Toward::Client, method, move |params: Json, next: Next| {
                let rules = rules.clone();
                async move { rules.decide(&params, next).await }
            });
        }
        proxy
    }

    async fn decide(&self, params: &Json, next: Next) -> Reply {
        let method = next.method().to_owned();
        let Ok(node) = acp_json::parse(params.as_str()) else {
            return Error::invalid_params(format!("the params of `{method}` cannot be read")).into();
        };
        let action = Action::of(&method, &node);
        let rule = self.rules.iter().find(|rule| rule.fits(&action));
        let verdict = rule.map_or(Verdict::Ask, Rule::verdict);
        if let Err(error) = self.record(&method, &node, verdict, rule) {
            return error.into();
        }
        let is_question = method == action::PERMISSION;
        match (verdict, is_question) {
            (Verdict::Ask, true) | (Verdict::Allow, false) => next.run().await,
            (Verdict::Allow, true) => match action::chosen(&node, &["allow_once"]) {
                Some(reply) => reply,
                None => next.run().await,
            },
            (Verdict::Deny, true) => {
                let rejected = action::chosen(&node, &["reject_once", "reject_always"]);
                rejected.unwrap_or_else(action::cancelled)
            }
            (Verdict::Deny, false) => denied(rule),
            (Verdict::Ask, false) => {
                let question = action::question(&method, &node, &action);
                let answer = next.neighbor(Toward::Client).request(action::PERMISSION, &question).await;
                match answer {
                    Ok(answer) if action::allows(&answer) => next.run().await,
                    Ok(_) => denied(rule),
                    Err(error) => Error::from(error).into(),
                }
            }
        }
    }

    fn record(
        &self,
        method: &str,
        params: &Node<'_>,
        verdict: Verdict,
        rule: Option<&Rule>,
    ) -> Result<(), Error> {
        let Some(audit) = &self.audit else { return Ok(()) };
        let session = params.get("sessionId").cloned().unwrap_or_default();
        let reason = rule.map_or(Node::Null, |rule| Node::Str(rule.reason().into()));
        let decision = Node::Map(vec![
            ("method".into(), Node::Str(method.into())),
            ("sessionId".into(), session),
            ("verdict".into(), Node::Str(verdict.as_str().into())),
            ("reason".into(), reason),
        ]);
        let decision = Json::of(&decision).map_err(|error| Error::internal(error.to_string()))?;
        audit.note("decision", &decision)
    }
}

fn denied(rule: Option<&Rule>) -> Reply {
    let reason = rule.map_or("the user has not allowed it", Rule::reason);
    Error::internal(format!("the policy denies this: {reason}")).into()
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules").field("rules", &self.rules).finish_non_exhaustive()
    }
}
