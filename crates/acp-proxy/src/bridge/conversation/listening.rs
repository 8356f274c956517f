//! Changes of a server that a client of the legacy era is told. The modern era has a request that
//! is open as long as somebody listens.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Conversation;
use crate::bridge::hearer::Hearer;
use crate::flow::cancel::Cancel;
use crate::wire::member::at;
use crate::wire::message::Call;

/// The lists that may change, and the members that ask for the news.
const LISTS: [(&str, &str); 3] =
    [("tools", "toolsListChanged"), ("prompts", "promptsListChanged"), ("resources", "resourcesListChanged")];

/// The request that listens, and the resources that it names.
#[derive(Default)]
pub(super) struct Listening {
    /// The addresses, as JSON text.
    resources: BTreeSet<Box<str>>,
    open: Option<Arc<Cancel>>,
}

impl Listening {
    pub(super) fn end(&mut self) {
        if let Some(open) = self.open.take() {
            open.fire();
        }
    }
}

impl Conversation {
    /// Adds or removes a resource, and listens anew.
    pub(super) fn subscribe(self: &Arc<Self>, uri: &str, is_added: bool) {
        {
            let resources = &mut self.state().listening.resources;
            let _ = if is_added { resources.insert(uri.into()) } else { resources.remove(uri) };
        }
        self.listen();
    }

    /// Listens to all changes that the client wants to be told.
    pub(super) fn listen(self: &Arc<Self>) {
        let cancel = Arc::<Cancel>::default();
        let (params, before) = {
            let mut state = self.state();
            let Some(legacy) = state.legacy.clone().filter(|_| !state.is_over) else { return };
            let mut wanted: Vec<String> = LISTS
                .into_iter()
                .filter(|(list, _)| at(&legacy.server, &[list, "listChanged"]) == Some("true"))
                .map(|(_, member)| format!(r#""{member}":true"#))
                .collect();
            let resources: Vec<_> = state.listening.resources.iter().map(|uri| &**uri).collect();
            if !resources.is_empty() {
                wanted.push(format!(r#""resourceSubscriptions":[{}]"#, resources.join(",")));
            }
            let params = format!(r#"{{"notifications":{{{}}}}}"#, wanted.join(","));
            let params = legacy.params(Some(&params)).filter(|_| !wanted.is_empty());
            let open = params.is_some().then(|| Arc::clone(&cancel));
            (params, std::mem::replace(&mut state.listening.open, open))
        };
        if let Some(params) = params {
            let call = Call { method: "subscriptions/listen".into(), params: Some(&params) };
            let listener = Arc::downgrade(self);
            let hearer = Hearer::Listener(listener);
            // A server that does not tell changes refuses, and then there are none.
            self.shared.ask(&self.offer, &call, hearer, cancel, |_| {});
        }
        // No change in between is lost.
        if let Some(before) = before {
            before.fire();
        }
    }
}
