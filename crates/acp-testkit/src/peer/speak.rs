//! Requests, notifications and answers of a scripted peer.

use serde_json::{Value, json};

use super::difference::Difference;
use super::fault::{Fault, FaultKind};
use super::message::Message;
use super::{ScriptedPeer, cut};

impl ScriptedPeer {
    /// Takes the next message, which must be a request or a notification of this method.
    ///
    /// # Errors
    /// Fails if another message comes, or none in time.
    pub async fn expect(&mut self, method: &str) -> Result<Message, Fault> {
        let expected = format!("a call of `{method}`");
        let Some(message) = self.message_or(&expected).await? else {
            return Err(self.fault(FaultKind::Closed { expected }));
        };
        if message.method() == Some(method) {
            return Ok(message);
        }
        Err(self.unexpected(expected, &message, None))
    }

    /// Takes the next message like [`expect`](Self::expect). Its params must have at least these
    /// members, with these values: see [`Difference::between`].
    ///
    /// # Errors
    /// Fails if another message comes, or none in time.
    pub async fn expect_with(&mut self, method: &str, params: &Value) -> Result<Message, Fault> {
        let message = self.expect(method).await?;
        match Difference::between(params, &message.params_like(params)) {
            None => Ok(message),
            Some(difference) => {
                let expected = format!("`{method}` with {}", cut(&params.to_string()));
                Err(self.unexpected(expected, &message, Some(difference)))
            }
        }
    }

    /// Answers a request, a [`Message`] or its JSON, with a result.
    ///
    /// # Errors
    /// Fails like [`send`](Self::send).
    pub async fn answer(&mut self, request: &Value, result: Value) -> Result<(), Fault> {
        self.send(&json!({"jsonrpc": "2.0", "id": request.get("id"), "result": result})).await
    }

    /// Answers a request with an error.
    ///
    /// # Errors
    /// Fails like [`send`](Self::send).
    pub async fn fail(&mut self, request: &Value, code: i64, message: &str) -> Result<(), Fault> {
        self.fail_with(request, json!({"code": code, "message": message})).await
    }

    /// Answers a request with an error object of any form.
    ///
    /// # Errors
    /// Fails like [`send`](Self::send).
    pub async fn fail_with(&mut self, request: &Value, error: Value) -> Result<(), Fault> {
        self.send(&json!({"jsonrpc": "2.0", "id": request.get("id"), "error": error})).await
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// Fails like [`send`](Self::send).
    pub async fn notify(&mut self, method: &str, params: Value) -> Result<(), Fault> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await
    }

    /// Sends a `session/update` of a session.
    ///
    /// # Errors
    /// Fails like [`send`](Self::send).
    pub async fn update(&mut self, session: &str, update: Value) -> Result<(), Fault> {
        self.notify("session/update", json!({"sessionId": session, "update": update})).await
    }

    /// Sends a request and returns its id: 1, 2 and so on, or from
    /// [another number](Self::ids_from) on.
    ///
    /// # Errors
    /// Fails like [`send`](Self::send).
    pub async fn request(&mut self, method: &str, params: Value) -> Result<Value, Fault> {
        self.next_id += 1;
        let id = Value::from(self.next_id);
        self.ask(&id, method, params).await?;
        Ok(id)
    }

    /// Sends a request with an id of any kind.
    ///
    /// # Errors
    /// Fails like [`send`](Self::send).
    pub async fn ask(&mut self, id: &Value, method: &str, params: Value) -> Result<(), Fault> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await
    }

    /// Sends a request and takes its answer: see [`answer_to`](Self::answer_to).
    ///
    /// # Errors
    /// Fails if no answer comes in time, or a request without a [standing answer](Self::respond).
    pub async fn call(&mut self, method: &str, params: Value) -> Result<Message, Fault> {
        let id = self.request(method, params).await?;
        self.answer_to(&id).await
    }

    /// Takes the answer to a request of this side. Notifications that come before it are kept for
    /// [`take_notifications`](Self::take_notifications).
    ///
    /// # Errors
    /// Fails if no answer comes in time, if an answer to another request comes, or a request
    /// without a [standing answer](Self::respond).
    pub async fn answer_to(&mut self, id: &Value) -> Result<Message, Fault> {
        let expected = format!("the answer to the request {id}");
        let patience = self.patience;
        let answer = tokio::time::timeout(patience, self.take_answer(id, &expected)).await;
        answer.unwrap_or_else(|_| Err(self.fault(FaultKind::Silent { expected, patience })))
    }

    /// Takes the next message, which must be the answer to a request of this side.
    ///
    /// # Errors
    /// Fails if another message comes, or none in time.
    pub async fn expect_answer(&mut self, id: &Value) -> Result<Message, Fault> {
        let expected = format!("the answer to the request {id}, and nothing before it");
        match self.message_or(&expected).await? {
            None => Err(self.fault(FaultKind::Closed { expected })),
            Some(message) if message.is_answer() && message.id() == Some(id) => Ok(message),
            Some(message) => Err(self.unexpected(expected, &message, None)),
        }
    }

    /// Returns the notifications that came while answers were awaited, and forgets them.
    pub fn take_notifications(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.notices)
    }

    /// Sets a standing answer: the result, or the error object, for the params of each request of
    /// this method that comes while this side waits for an answer.
    pub fn respond(
        &mut self,
        method: &str,
        answer: impl FnMut(&Value) -> Result<Value, Value> + Send + 'static,
    ) {
        self.standing.set(method, Box::new(answer));
    }

    /// Gives the standing answer to a request. Returns false if its method has none.
    ///
    /// # Errors
    /// Fails like [`send`](Self::send).
    pub async fn respond_to(&mut self, request: &Message) -> Result<bool, Fault> {
        let method = request.method().unwrap_or_default();
        let Some(answer) = self.standing.answer(method, request.params()) else { return Ok(false) };
        let message = match answer {
            Ok(result) => json!({"jsonrpc": "2.0", "id": request.id(), "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": request.id(), "error": error}),
        };
        self.send(&message).await?;
        Ok(true)
    }

    /// Takes the end of the connection.
    ///
    /// # Errors
    /// Fails if a line comes instead, or nothing in time.
    pub async fn expect_end(&mut self) -> Result<(), Fault> {
        let expected = "the end of the connection";
        match self.line_or(expected).await? {
            None => Ok(()),
            Some(line) => {
                let seen = line.text().into_owned();
                Err(self.fault(FaultKind::Unexpected {
                    expected: expected.to_owned(),
                    seen,
                    difference: None,
                }))
            }
        }
    }

    /// Takes all messages until the other side closes the connection.
    ///
    /// # Errors
    /// Fails as [`next`](Self::next) does.
    pub async fn rest(&mut self) -> Result<Vec<Message>, Fault> {
        let mut messages = Vec::new();
        while let Some(message) = self.message_or("a message, or the end of the connection").await? {
            messages.push(message);
        }
        Ok(messages)
    }

    async fn take_answer(&mut self, id: &Value, expected: &str) -> Result<Message, Fault> {
        loop {
            let Some(message) = self.message_or(expected).await? else {
                return Err(self.fault(FaultKind::Closed { expected: expected.to_owned() }));
            };
            match message.method() {
                None if message.id() == Some(id) => return Ok(message),
                Some(_) if message.is_notification() => self.notices.push(message),
                Some(_) if self.respond_to(&message).await? => {}
                _ => return Err(self.unexpected(expected.to_owned(), &message, None)),
            }
        }
    }

    /// Returns the id of the next request.
    pub(crate) fn new_id(&mut self) -> Value {
        self.next_id += 1;
        self.next_id.into()
    }

    fn unexpected(&self, expected: String, message: &Message, difference: Option<Difference>) -> Fault {
        self.fault(FaultKind::Unexpected {
            expected,
            seen: message.to_string(),
            difference: difference.map(Box::new),
        })
    }
}
