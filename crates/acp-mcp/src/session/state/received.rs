//! Notifications of a server, passed to the state and to the handlers.

use rmcp::model::{ServerNotification, SubscriptionFilter};

use super::entry::Entry;

impl Entry {
    /// Takes a notification of the server, and passes it on.
    pub(in crate::session) fn received(&self, notification: &ServerNotification) {
        match notification {
            ServerNotification::ToolListChangedNotification(_) => self.tools_changed.notify_one(),
            ServerNotification::ProgressNotification(progress) => self.progress.received(&progress.params),
            ServerNotification::ResourceUpdatedNotification(updated) => {
                self.subscriptions.received(&self.name, &updated.params.uri);
            }
            _ => {}
        }
        self.notifications.received(&self.name, notification);
    }

    /// Acts as if the server had reported that its lists have changed. They may have changed while
    /// nobody listened.
    pub(in crate::session) fn lists_may_have_changed(&self, accepted: &SubscriptionFilter) {
        use ServerNotification as Sent;
        for (is_sent, notification) in [
            (accepted.tools_list_changed, Sent::ToolListChangedNotification(Default::default())),
            (accepted.prompts_list_changed, Sent::PromptListChangedNotification(Default::default())),
            (accepted.resources_list_changed, Sent::ResourceListChangedNotification(Default::default())),
        ] {
            if is_sent == Some(true) {
                self.received(&notification);
            }
        }
    }
}
