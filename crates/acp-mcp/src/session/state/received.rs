//! Notifications of a server, on their way to those who want them.

use rmcp::model::{ServerNotification, SubscriptionFilter};

use super::entry::Entry;

impl Entry {
    /// Hands a notification to those who want it.
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

    /// Acts as if the server had said that its lists have changed: after a time of not listening they may have.
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
