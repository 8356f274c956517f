//! Questions of a server to a client of the legacy era. The modern era asks in its answers, and is
//! told in the next try.

use std::collections::BTreeMap;
use std::sync::Arc;

use acp_rpc::Error;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::{Conversation, Open};
use crate::bridge::hearer::Hearer;
use crate::bridge::out::Out;
use crate::flow::reply::Reply;
use crate::wire::forms;
use crate::wire::member::{member, text, with};
use crate::wire::message::{Answer, Call};

/// The most answers to one request that ask for more.
const MOST_ROUNDS: usize = 10;

/// A request that may have to be repeated with more input.
struct Round {
    method: Box<str>,
    params: String,
    number: usize,
}

impl Conversation {
    /// Passes a request on, and asks the client what the server asks.
    pub(super) fn ask_in_rounds(self: &Arc<Self>, method: &str, params: &str, open: Open) {
        self.ask_round(Round { method: method.into(), params: params.to_owned(), number: 0 }, params, open);
    }

    fn ask_round(self: &Arc<Self>, round: Round, params: &str, open: Open) {
        let hearer = Hearer::Client { out: open.out.clone(), id: open.id.clone() };
        let (this, cancel) = (Arc::clone(self), Arc::clone(&open.cancel));
        let call = Call { method: round.method.to_string().into(), params: Some(params) };
        self.shared.ask(&self.offer, &call, hearer, cancel, move |answer| match answer {
            Answer::Result(result) if text(result, "resultType").as_deref() == Some("input_required") => {
                let result = result.to_owned();
                tokio::spawn(async move { this.next_round(round, &result, open).await });
            }
            answer => this.answer(&open, answer),
        });
    }

    async fn next_round(self: Arc<Self>, round: Round, result: &str, open: Open) {
        if round.number >= MOST_ROUNDS {
            let error = Error::internal(format!("`{}` asked for input {MOST_ROUNDS} times", round.method));
            return self.answer(&open, Reply::from(error).as_answer());
        }
        let asked = tokio::select! {
            biased;
            () = open.cancel.fired() => return,
            asked = self.asked(result, &open) => asked,
        };
        match asked {
            Ok(responses) => {
                let state = member(result, "requestState");
                let params = with(&round.params, "inputResponses", &responses);
                let params = match state {
                    Some(state) => params.and_then(|params| with(&params, "requestState", state)),
                    None => params,
                };
                let params = params.unwrap_or_else(|| round.params.clone());
                self.ask_round(Round { number: round.number + 1, ..round }, &params, open);
            }
            Err(error) => self.answer(&open, error.as_answer()),
        }
    }

    /// Asks the client one thing after the other. Returns the answers, or the error of one.
    async fn asked(&self, result: &str, open: &Open) -> Result<String, Reply> {
        let requests = member(result, "inputRequests").unwrap_or("{}");
        let requests: BTreeMap<String, &RawValue> = serde_json::from_str(requests)
            .map_err(|error| Error::internal(format!("`inputRequests` cannot be read: {error}")))?;
        let mut responses = Vec::new();
        for (name, request) in requests {
            let method = text(request.get(), "method").unwrap_or_default();
            let call = Call { method, params: member(request.get(), "params") };
            let reply = self.ask_client(&call, open).await?;
            let Some(response) = reply.result() else { return Err(reply) };
            responses.push(format!("{}:{}", serde_json::Value::from(name), response.as_str()));
        }
        Ok(format!("{{{}}}", responses.join(",")))
    }

    async fn ask_client(&self, call: &Call<'_>, open: &Open) -> Result<Reply, Reply> {
        let (sender, answer) = oneshot::channel();
        let id = {
            let mut state = self.state();
            state.last_asked += 1;
            let id = state.last_asked;
            state.asked.insert(id, sender);
            id
        };
        open.out.push(|buffer| forms::plain(buffer, Some(id), call));
        let _question = Question { conversation: self, out: &open.out, id };
        answer.await.map_err(|_| Error::internal("the client has gone").into())
    }
}

/// A question to the client. If it has no answer, its drop forgets it and tells the client so.
struct Question<'a> {
    conversation: &'a Conversation,
    out: &'a Out,
    id: i64,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        let aside = {
            let mut state = self.conversation.state();
            if state.asked.remove(&self.id).is_none() {
                return;
            }
            state.aside.clone()
        };
        // The stream of the request that the question belongs to has ended with it.
        let out = aside.as_ref().unwrap_or(self.out);
        let params = format!(r#"{{"requestId":{}}}"#, self.id);
        let call = Call { method: "notifications/cancelled".into(), params: Some(&params) };
        out.push(|buffer| forms::plain(buffer, None, &call));
    }
}
