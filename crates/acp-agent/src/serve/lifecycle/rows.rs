//! The default service of an operation. The generated code calls these macros, one for each column
//! of the overlay. The operations whose row says `by_hand` are in the other files of this folder.

use crate::session::Session;
use crate::session::running::Running;

/// Serves an operation by its column `session`.
macro_rules! served {
    (outside_sessions $marker:ident) => {
        impl $crate::ServeOperation for $crate::op::$marker {
            type Admission<S: Send + Sync + 'static> = ();
            $crate::serve::lifecycle::rows::served!(@answer);

            fn admit<S: Send + Sync + 'static>(
                _: &$crate::Scope<S>,
                _: &::std::sync::Arc<Self::Params>,
            ) -> ::std::result::Result<(), $crate::RpcError> {
                Ok(())
            }
        }
    };
    (on_session $marker:ident) => {
        impl $crate::ServeOperation for $crate::op::$marker {
            type Admission<S: Send + Sync + 'static> = $crate::Session<S>;
            $crate::serve::lifecycle::rows::served!(@answer);

            fn admit<S: Send + Sync + 'static>(
                scope: &$crate::Scope<S>,
                params: &::std::sync::Arc<Self::Params>,
            ) -> ::std::result::Result<Self::Admission<S>, $crate::RpcError> {
                scope.connection.sessions.find(&params.session_id)
            }
        }
    };
    // A session that is open is closed first (rule `v1-u-arch-01`).
    (ends_session $marker:ident) => {
        impl $crate::ServeOperation for $crate::op::$marker {
            type Admission<S: Send + Sync + 'static> = $crate::session::closing::ClosingSession<S>;
            type Answer<S: Send + Sync + 'static> = <Self as $crate::Op>::Response;

            fn admit<S: Send + Sync + 'static>(
                scope: &$crate::Scope<S>,
                params: &::std::sync::Arc<Self::Params>,
            ) -> ::std::result::Result<Self::Admission<S>, $crate::RpcError> {
                $crate::session::closing::ClosingSession::take(&scope.connection.sessions, &params.session_id)
            }

            async fn ready<S: Send + Sync + 'static>(
                _: &$crate::Scope<S>,
                closing: &Self::Admission<S>,
            ) -> $crate::Result<()> {
                closing.turns_answered().await;
                Ok(())
            }

            async fn finish<S: Send + Sync + 'static>(
                _: &$crate::Scope<S>,
                closing: &Self::Admission<S>,
                outcome: $crate::Result<<Self as $crate::Op>::Response>,
            ) -> ::std::result::Result<::acp_rpc::Reply, $crate::RpcError> {
                let closed = closing.release().await;
                $crate::serve::lifecycle::answer::answer(outcome.and_then(|response| closed.map(|()| response)))
            }
        }
    };
    (opens_session $marker:ident, $request:ident => $response:ident, named_by_client) => {
        $crate::open::request::opens!(
            $marker, $request,
            named: |params| Some(&params.session_id), holds: true, answer: |_| $response::new()
        );
    };
    (opens_session $marker:ident, $request:ident => $response:ident, named_by_agent) => {
        $crate::open::request::opens!(
            $marker, $request, named: |_| None, holds: true, answer: |id| $response::new(id),
            forks: |params| Some(&params.session_id)
        );
    };
    // The answer is what the handler returned.
    (@answer) => {
        type Answer<S: Send + Sync + 'static> = <Self as $crate::Op>::Response;

        async fn finish<S: Send + Sync + 'static>(
            _: &$crate::Scope<S>,
            _: &Self::Admission<S>,
            outcome: $crate::Result<<Self as $crate::Op>::Response>,
        ) -> ::std::result::Result<::acp_rpc::Reply, $crate::RpcError> {
            $crate::serve::lifecycle::answer::answer(outcome)
        }
    };
}

/// Gives handlers the session that was found on admission.
macro_rules! session {
    ($marker:ident) => {
        impl $crate::OnSession for $crate::op::$marker {
            fn session<S: Send + Sync + 'static>(
                call: &$crate::Call<Self, S>,
            ) -> $crate::Result<$crate::Session<S>> {
                Ok($crate::serve::lifecycle::rows::HasSession::session(call.admission()).clone())
            }
        }
    };
}

/// The admission of an operation on an open session.
pub(crate) trait HasSession<S> {
    /// The session.
    fn session(&self) -> &Session<S>;
}

impl<S> HasSession<S> for Session<S> {
    fn session(&self) -> &Session<S> {
        self
    }
}

impl<S> HasSession<S> for Running<S> {
    fn session(&self) -> &Session<S> {
        self.session()
    }
}

/// Gives handlers the MCP servers of the session that is being opened.
macro_rules! mcp {
    ($marker:ident) => {
        #[cfg(feature = "mcp")]
        impl<A: $crate::Agent> $crate::FromCall<$crate::op::$marker, A> for $crate::Mcp {
            fn from_call(call: &mut $crate::Call<$crate::op::$marker, A::Session>) -> $crate::Result<Self> {
                $crate::handler::arguments::mcp_of_opening(call)
            }
        }
    };
}

/// Lets handlers ask the user.
macro_rules! asks {
    (by_request $marker:ident) => {
        $crate::serve::lifecycle::rows::asks!($marker, elicitation_by_request);
    };
    (in_session $marker:ident) => {
        $crate::serve::lifecycle::rows::asks!($marker, elicitation_in_session);
    };
    ($marker:ident, $way:ident) => {
        impl<A: $crate::Agent> $crate::FromCall<$crate::op::$marker, A> for $crate::Elicitation {
            fn from_call(call: &mut $crate::Call<$crate::op::$marker, A::Session>) -> $crate::Result<Self> {
                $crate::handler::arguments::$way(call)
            }
        }
    };
}

pub(crate) use {asks, mcp, served, session};
