//! The effect of updates that replace, append and clear: most need version 2 of the protocol.

use acp_types::v1::{ContentBlock, MessageId, TerminalId, ToolCallContent, ToolCallId, ToolCallUpdate};
use acp_types::{Maybe, Meta};

use super::timeline::Key;
use super::{Change, DisplayTerminal, Entry, Message, MessageKind, ToolRun, Transcript, content};
use crate::event::{Cleared, TerminalChange};

impl Transcript {
    pub(super) fn fold_replaced(
        &mut self,
        kind: MessageKind,
        id: MessageId,
        blocks: Option<Vec<ContentBlock>>,
        meta: Maybe<Meta>,
    ) -> Change {
        if let Some((number, message)) = self.message_for(kind, Some(&id)) {
            message.replace(blocks, meta);
            return Change::Updated(number);
        }
        let mut message = Message::new(kind, Some(id));
        message.replace(blocks, meta);
        let is_echo = kind == MessageKind::User && self.echo.take_if(|echo| echo.is_blank()).is_some();
        if is_echo { self.fold_received_echo(message) } else { self.add(Entry::Message(message)) }
    }

    pub(super) fn fold_tool_content(&mut self, id: ToolCallId, item: ToolCallContent) -> Change {
        match self.timeline.find_mut(&Key::ToolCall(id.clone())) {
            Some((number, Entry::ToolCall(run))) => {
                run.call.content.push(item);
                Change::Updated(number)
            }
            _ => {
                let update = ToolCallUpdate::new(id).content(vec![item]);
                self.add(Entry::ToolCall(Box::new(ToolRun::unannounced(update))))
            }
        }
    }

    pub(super) fn fold_terminal(&mut self, id: TerminalId, change: TerminalChange) -> Change {
        if let Some((number, terminal)) = self.terminals.find_mut(&id) {
            terminal.change(change);
            return Change::Terminal(number);
        }
        let mut terminal = DisplayTerminal::new(id);
        terminal.change(change);
        Change::Terminal(self.terminals.push(terminal, self.timeline.limit()))
    }

    pub(super) fn fold_cleared(&mut self, cleared: Cleared) -> Change {
        match cleared {
            Cleared::ToolCall { id, members } => match self.timeline.find_mut(&Key::ToolCall(id)) {
                Some((number, Entry::ToolCall(run))) => {
                    run.clear(&members);
                    Change::Updated(number)
                }
                _ => Change::Nothing,
            },
            Cleared::Cost => match &mut self.usage {
                Some(usage) => {
                    usage.cost = None;
                    Change::Usage
                }
                None => Change::Nothing,
            },
            Cleared::SessionMeta => {
                content::patch_meta(&mut self.meta, Maybe::Null);
                Change::Info
            }
        }
    }
}
