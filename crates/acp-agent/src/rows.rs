//! How an operation is served whose row in the overlay says nothing else. The generated code calls these macros, one
//! for each column: what is not here, an operation has by hand, in [`lifecycle`](crate::lifecycle).

/// Serves an operation by its column `session`.
macro_rules! served {
    (outside_sessions $marker:ident) => {
        impl $crate::Lifecycle for $crate::op::$marker {
            type Admitted<A: $crate::Agent> = ();
            $crate::rows::served!(@answer);

            fn admit<A: $crate::Agent>(
                _: &$crate::Scope<A>,
                _: &::std::sync::Arc<Self::Params>,
            ) -> ::std::result::Result<(), $crate::RpcError> {
                Ok(())
            }
        }
    };
    (on_session $marker:ident) => {
        impl $crate::Lifecycle for $crate::op::$marker {
            type Admitted<A: $crate::Agent> = $crate::Session<A::Session>;
            $crate::rows::served!(@answer);

            fn admit<A: $crate::Agent>(
                scope: &$crate::Scope<A>,
                params: &::std::sync::Arc<Self::Params>,
            ) -> ::std::result::Result<Self::Admitted<A>, $crate::RpcError> {
                scope.connection.sessions.find(&params.session_id)
            }
        }
    };
    // A session that is open is closed first (rule `v1-u-arch-01`).
    (ends_session $marker:ident) => {
        impl $crate::Lifecycle for $crate::op::$marker {
            type Admitted<A: $crate::Agent> = $crate::leaving::Leaving<A::Session>;
            type Answer<S: Send + Sync + 'static> = <Self as $crate::Op>::Response;

            fn admit<A: $crate::Agent>(
                scope: &$crate::Scope<A>,
                params: &::std::sync::Arc<Self::Params>,
            ) -> ::std::result::Result<Self::Admitted<A>, $crate::RpcError> {
                $crate::leaving::Leaving::take(&scope.connection.sessions, &params.session_id)
            }

            async fn wait<A: $crate::Agent>(
                _: &$crate::Scope<A>,
                leaving: &Self::Admitted<A>,
            ) -> $crate::Result<()> {
                leaving.turns_answered().await;
                Ok(())
            }

            async fn settle<A: $crate::Agent>(
                _: &$crate::Scope<A>,
                leaving: &Self::Admitted<A>,
                outcome: $crate::Result<<Self as $crate::Op>::Response>,
            ) -> ::std::result::Result<::acp_rpc::Reply, $crate::RpcError> {
                let closed = leaving.release().await;
                $crate::lifecycle::answer(outcome.and_then(|response| closed.map(|()| response)))
            }
        }
    };
    (opens_session $marker:ident, $request:ident => $response:ident, named_by_client) => {
        $crate::opens::opens!(
            $marker, $request,
            named: |params| Some(&params.session_id), holds: true, answer: |_| $response::new()
        );
    };
    (opens_session $marker:ident, $request:ident => $response:ident, named_by_agent) => {
        $crate::opens::opens!(
            $marker, $request, named: |_| None, holds: true, answer: |id| $response::new(id)
        );
    };
    // The answer is what the handler returned.
    (@answer) => {
        type Answer<S: Send + Sync + 'static> = <Self as $crate::Op>::Response;

        async fn settle<A: $crate::Agent>(
            _: &$crate::Scope<A>,
            _: &Self::Admitted<A>,
            outcome: $crate::Result<<Self as $crate::Op>::Response>,
        ) -> ::std::result::Result<::acp_rpc::Reply, $crate::RpcError> {
            $crate::lifecycle::answer(outcome)
        }
    };
}

/// Gives handlers the session that was found on admission.
macro_rules! session {
    ($marker:ident) => {
        impl $crate::OnSession for $crate::op::$marker {
            fn session<A: $crate::Agent>(
                call: &$crate::Call<Self, A>,
            ) -> $crate::Result<$crate::Session<A::Session>> {
                Ok($crate::lifecycle::HasSession::session(call.admitted()).clone())
            }
        }
    };
}

/// Gives handlers the MCP servers of the session that is being opened.
macro_rules! mcp {
    ($marker:ident) => {
        #[cfg(feature = "mcp")]
        impl<A: $crate::Agent> $crate::FromCall<$crate::op::$marker, A> for $crate::Mcp {
            fn from_call(call: &mut $crate::Call<$crate::op::$marker, A>) -> $crate::Result<Self> {
                $crate::Mcp::of_opening(&call.admitted().opening)
            }
        }
    };
}

/// Lets handlers ask the user. The client does not know a session before it is open, nor after it was closed: then a
/// question belongs to the request.
macro_rules! asks {
    (by_request $marker:ident) => {
        impl<A: $crate::Agent> $crate::FromCall<$crate::op::$marker, A> for $crate::Elicitation {
            fn from_call(call: &mut $crate::Call<$crate::op::$marker, A>) -> $crate::Result<Self> {
                $crate::Elicitation::of_request(call.scope())
            }
        }
    };
    (in_session $marker:ident) => {
        impl<A: $crate::Agent> $crate::FromCall<$crate::op::$marker, A> for $crate::Elicitation {
            fn from_call(call: &mut $crate::Call<$crate::op::$marker, A>) -> $crate::Result<Self> {
                let session = <$crate::op::$marker as $crate::OnSession>::session(call)?;
                Ok($crate::Elicitation::in_session(call.scope(), session.id()))
            }
        }
    };
}

pub(crate) use {asks, mcp, served, session};
