//! The access token that goes with each message.

#[cfg(feature = "oauth")]
use std::sync::Arc;

#[cfg(feature = "oauth")]
use super::oauth::Authorization;

/// The access token of a server, if there is an authorization.
#[derive(Clone, Default)]
pub(super) struct Bearer {
    #[cfg(feature = "oauth")]
    authorization: Option<Arc<Authorization>>,
}

impl Bearer {
    #[cfg(feature = "oauth")]
    pub(super) const fn new(authorization: Arc<Authorization>) -> Self {
        Self { authorization: Some(authorization) }
    }

    #[cfg_attr(
        not(feature = "oauth"),
        allow(clippy::unused_async, reason = "there is none without the feature")
    )]
    pub(super) async fn token(&self) -> Option<String> {
        #[cfg(feature = "oauth")]
        if let Some(authorization) = &self.authorization {
            return authorization.token().await;
        }
        None
    }

    #[cfg(feature = "sse")]
    pub(super) async fn sign(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match self.token().await {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }
}
