//! The reader of a connection: lines in, calls of the chain out.

use std::fmt;
use std::sync::Arc;

use acp_rpc::lines::{Head, Lines};
use acp_rpc::{BoxFuture, CloseReason, Error, Fault, Id, Noise};

use super::link::Link;
use crate::flow::responder::Responder;
use crate::wire::forms::{CANCEL, ELICIT, INITIALIZE, PROXY_INITIALIZE, error_text};
use crate::wire::member::{at, member, with_at};
use crate::wire::message::{Answer, BadEnvelope, Call, Message, id_of_text};
use crate::wire::spelling::{Heard, MARK, Side, Spelling};

/// A message of the peer that belongs to the chain. It is a request if it has a responder.
pub(crate) enum Event<'a> {
    /// It came as it is.
    Plain(Call<'a>, Option<Responder>),
    /// It came within `proxy/successor`.
    Enveloped(Call<'a>, Option<Responder>),
}

/// The place of a connection in the chain.
pub(crate) trait Site: Send + Sync + 'static {
    /// Takes a message, on the reader.
    fn event(&self, link: &Arc<Link>, event: Event<'_>);

    /// Tells whether the peer has a successor, to which it may send.
    fn takes_envelopes(&self) -> bool;

    /// Returns a future to wait for before more is read.
    fn pause(&self, link: &Arc<Link>) -> Option<BoxFuture>;

    /// Takes a problem that is worth logging.
    fn fault(&self, fault: Fault<'_>);

    /// Notes that the peer sends no more.
    fn ended(&self, link: &Arc<Link>, reason: &CloseReason) -> BoxFuture;
}

/// Reads the lines of a connection.
pub(crate) struct Reader<S> {
    pub(crate) link: Arc<Link>,
    pub(crate) site: S,
    pub(crate) noise: Noise,
}

impl<S: Site> Reader<S> {
    fn request(&self, id: Id, call: &Call<'_>) {
        let heard = self.link.speech.hear(&call.method);
        let is_enveloped = matches!(heard, Some((Heard::Envelope, _)));
        let call = match heard {
            Some((Heard::Envelope, spelling)) => self.unwrapped(call, spelling),
            Some((Heard::Initialize, spelling)) => {
                self.link.speech.adopt(spelling);
                Ok(Call { method: PROXY_INITIALIZE.into(), params: call.params })
            }
            None => Ok(call.clone()),
        };
        let call = match call {
            Ok(call) => call,
            Err(error) => return self.link.refuse(&id, &error),
        };
        let Some(responder) = self.link.received(id) else { return };
        if call.method == INITIALIZE && !is_enveloped && self.is_marked(&call) {
            return self.initialize_marked(&call, responder);
        }
        // A request about another one names it by an id that is only known on this connection.
        let about = call.params.filter(|_| call.method == ELICIT);
        let about = about.and_then(|params| self.link.with_origin(params));
        let call = Call { params: about.as_deref().or(call.params), method: call.method };
        let event = if is_enveloped { Event::Enveloped } else { Event::Plain };
        self.site.event(&self.link, event(call, Some(responder)));
    }

    fn notification(&self, call: Call<'_>) {
        if call.method == CANCEL {
            return self.cancel(&call);
        }
        let spelling = match self.link.speech.hear(&call.method) {
            Some((Heard::Envelope, spelling)) => spelling,
            // Nobody waits for the answer, so it says nothing.
            Some((Heard::Initialize, _)) => return,
            None => return self.site.event(&self.link, Event::Plain(call, None)),
        };
        match self.unwrapped(&call, spelling) {
            // Older SDKs wrap it. It names the outer request all the same.
            Ok(call) if call.method == CANCEL => self.cancel(&call),
            Ok(call) => self.site.event(&self.link, Event::Enveloped(call, None)),
            Err(error) => {
                let reason = &error.message;
                self.site.fault(Fault::Ignored { method: &call.method, reason });
            }
        }
    }

    /// Takes a call out of its envelope. A message of the other side must not be forged.
    fn unwrapped<'a>(&self, call: &Call<'a>, spelling: Spelling) -> Result<Call<'a>, Error> {
        if !self.site.takes_envelopes() {
            return Err(Error::invalid_request("only a proxy with a successor may send `proxy/successor`"));
        }
        let inner = Call::enveloped(call.params).map_err(|bad| match bad {
            BadEnvelope::NoMethod => Error::invalid_params("`proxy/successor` needs a `method`"),
            BadEnvelope::BadParams => {
                Error::invalid_params("`params` of `proxy/successor` must be an object or an array")
            }
        })?;
        match self.link.speech.hear(&inner.method) {
            Some((Heard::Envelope, _)) => {
                Err(Error::invalid_request("`proxy/successor` within another is not allowed"))
            }
            Some((Heard::Initialize, _)) => {
                Err(Error::invalid_request("only a conductor sends `proxy/initialize`"))
            }
            None => {
                self.link.speech.adopt(spelling);
                Ok(inner)
            }
        }
    }

    /// Tells whether an `initialize` is that of a proxy, in the oldest spelling.
    fn is_marked(&self, call: &Call<'_>) -> bool {
        let speech = &self.link.speech;
        speech.takes_older()
            && speech.side == Side::Proxy
            && call.params.and_then(|params| at(params, &MARK)) == Some("true")
    }

    /// Takes the `initialize` of a proxy in the oldest spelling. The mark is for this hop, and the
    /// answer has it, too.
    fn initialize_marked(&self, call: &Call<'_>, responder: Responder) {
        self.link.speech.adopt(Spelling::SendReceive);
        let unmarked = call.params.and_then(|params| with_at(params, &MARK, "false"));
        let responder = responder.seen_by(|answer, pass| match answer {
            Answer::Result(result) => match with_at(result, &MARK, "true") {
                Some(marked) => pass(Answer::Result(&marked)),
                None => pass(answer),
            },
            Answer::Error(_) => pass(answer),
        });
        let call = Call { method: PROXY_INITIALIZE.into(), params: unmarked.as_deref().or(call.params) };
        self.site.event(&self.link, Event::Plain(call, Some(responder)));
    }

    fn cancel(&self, call: &Call<'_>) {
        let named = call.params.and_then(|params| member(params, "requestId"));
        match named.and_then(id_of_text) {
            Some(id) => self.link.cancelled(&id),
            None => self.site.fault(Fault::BadCancel),
        }
    }

    fn not_read(&self, head: &Head, error: &Error) {
        match &head.id {
            Some(id) if head.is_response => {
                self.link.answered(id, Answer::Error(&error_text(error)));
            }
            Some(id) if head.is_call => self.link.refuse(id, error),
            _ if self.noise == Noise::Answer => self.link.refuse(&Id::Null, error),
            _ => {}
        }
    }
}

impl<S: Site> Lines for Reader<S> {
    fn line(&self, line: &str) {
        match Message::split(line) {
            Message::Request { id, call } => self.request(id, &call),
            Message::Notification(call) => self.notification(call),
            Message::Response { id, answer } => {
                if !self.link.answered(&id, answer) {
                    self.site.fault(Fault::UnknownResponse { id: &id });
                }
            }
            Message::Invalid { id, problem } => {
                let error = Error::invalid_request(problem);
                self.site.fault(Fault::Refused { id: &id, error: &error });
                self.link.refuse(&id, &error);
            }
            Message::NotJson => {
                let bytes = line.as_bytes();
                self.site.fault(Fault::NotJson { line: bytes, column: 1 });
                self.not_read(&Head::of(bytes), &Error::parse_error());
            }
        }
    }

    fn skipped(&self, head: &Head, fault: Fault<'_>) {
        let error = match fault {
            Fault::Oversized { limit, .. } => {
                Error::invalid_request(format!("the message is longer than the limit of {limit} bytes"))
            }
            _ => Error::parse_error(),
        };
        self.site.fault(fault);
        self.not_read(head, &error);
    }

    fn pause(&self) -> Option<BoxFuture> {
        self.site.pause(&self.link)
    }

    fn fault(&self, fault: Fault<'_>) {
        self.site.fault(fault);
    }

    fn ended(&self, reason: &CloseReason) -> BoxFuture {
        self.site.ended(&self.link, reason)
    }
}

impl<S> fmt::Debug for Reader<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}
