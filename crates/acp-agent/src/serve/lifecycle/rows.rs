//! The default service of an operation. The generated code calls these macros, one for each column
//! of the overlay. The operations whose row says `by_hand` are in the other files of this folder.

/// Admits an operation by its column `session`.
macro_rules! served {
    (on_session $marker:ident) => {
        impl<S: Send + Sync + 'static> ::acp_handlers::Admit<$crate::op::$marker> for $crate::Scope<S> {
            type Admission = $crate::Session<S>;

            fn admit(
                &self,
                params: &::std::sync::Arc<<$crate::op::$marker as $crate::Op>::Params>,
            ) -> ::std::result::Result<$crate::Session<S>, $crate::RpcError> {
                self.connection.sessions.find(&params.session_id)
            }
        }
    };
    // A session that is open is closed first (rule `v1-u-arch-01`).
    (ends_session $marker:ident) => {
        $crate::serve::lifecycle::close::ends!(
            $marker,
            |scope, id| $crate::session::closing::ClosingSession::take(&scope.connection.sessions, id),
            |_, closing| closing.release().await
        );
    };
    (opens_session $marker:ident, $request:ident => $response:ident, named_by_client) => {
        $crate::open::request::opens!(
            $marker, $request,
            named: |params| Some(&params.session_id), holds: true, answer: |_| $response::new()
        );
        $crate::serve::lifecycle::open::opens!($marker);
    };
    (opens_session $marker:ident, $request:ident => $response:ident, named_by_agent) => {
        $crate::open::request::opens!(
            $marker, $request, named: |_| None, holds: true, answer: |id| $response::new(id),
            forks: |params| Some(&params.session_id)
        );
        $crate::serve::lifecycle::open::opens!($marker);
    };
}

/// Gives handlers the session that was found on admission.
macro_rules! session {
    ($marker:ident) => {
        impl<S: Send + Sync + 'static> $crate::OnSession<$crate::op::$marker> for $crate::Scope<S> {
            type State = S;

            fn session(call: &$crate::Call<$crate::op::$marker, S>) -> $crate::Result<$crate::Session<S>> {
                Ok($crate::handler::on_session::HasSession::session(call.admission()).clone())
            }
        }
    };
}

/// Gives handlers the MCP servers of the session that is being opened.
macro_rules! mcp {
    ($marker:ident) => {
        #[cfg(feature = "mcp")]
        impl<S: Send + Sync + 'static> ::acp_handlers::FromCall<$crate::op::$marker, $crate::Scope<S>>
            for $crate::Mcp
        {
            fn from_call(call: &mut $crate::Call<$crate::op::$marker, S>) -> $crate::Argument<'_, Self> {
                $crate::handler::arguments::mcp_of_opening(&call.admission().opening).into()
            }
        }
    };
}

pub(crate) use {mcp, served, session};
