//! A user interface that looks only at the parts that a change names.

use std::collections::VecDeque;

use acp_client::v1::{ContentBlock, Plan, UsageUpdate};
use acp_client::{Change, Entry, Transcript};

#[derive(Default)]
pub(crate) struct View {
    entries: VecDeque<(usize, Entry)>,
    plan: Option<Plan>,
    usage: Option<UsageUpdate>,
    title: Option<String>,
    notices: usize,
}

impl View {
    pub(crate) fn draw(&mut self, change: Change, transcript: &Transcript) {
        match change {
            Change::Added(number) => {
                self.entries.push_back((number, transcript.entry(number).expect("it was added").clone()));
                while self.entries.len() > transcript.entries().len() {
                    self.entries.pop_front();
                }
            }
            Change::Updated(number) => {
                *self.entry(number) = transcript.entry(number).expect("it is there").clone()
            }
            Change::Appended { entry, block, offset } => {
                let grown = transcript.entry(entry).expect("it is there");
                append(self.entry(entry), grown, block, offset);
            }
            Change::Plan => self.plan = transcript.plan().cloned(),
            Change::Usage => self.usage = transcript.usage().cloned(),
            Change::Info => self.title = transcript.title().map(str::to_owned),
            Change::Notice => self.notices += 1,
            _ => assert_eq!(change, Change::Nothing),
        }
    }

    pub(crate) fn shows(&self, transcript: &Transcript) -> bool {
        let entries: VecDeque<(usize, Entry)> =
            transcript.entries().map(|(number, entry)| (number, entry.clone())).collect();
        self.entries == entries
            && self.plan.as_ref() == transcript.plan()
            && self.usage.as_ref() == transcript.usage()
            && self.title.as_deref() == transcript.title()
            && self.notices >= transcript.notices().len()
    }

    fn entry(&mut self, number: usize) -> &mut Entry {
        let found = self.entries.iter_mut().find(|(at, _)| *at == number);
        &mut found.expect("only what is shown changes").1
    }
}

fn append(shown: &mut Entry, grown: &Entry, block: usize, offset: usize) {
    let (shown, grown) = match (shown, grown) {
        (Entry::Message(shown), Entry::Message(grown)) => {
            shown.meta.clone_from(&grown.meta);
            (&mut shown.content, &grown.content)
        }
        (Entry::Compaction(shown), Entry::Compaction(grown)) => {
            shown.meta.clone_from(&grown.meta);
            (&mut shown.summary, &grown.summary)
        }
        other => panic!("these do not grow: {other:?}"),
    };
    assert_eq!(block + 1, grown.len());
    match (shown.get_mut(block), &grown[block]) {
        (Some(ContentBlock::Text(shown)), ContentBlock::Text(grown)) => {
            assert_eq!(shown.text.len(), offset);
            shown.text.push_str(&grown.text[offset..]);
        }
        (None, new) => {
            assert_eq!((shown.len(), offset), (block, 0));
            shown.push(new.clone());
        }
        other => panic!("only text grows: {other:?}"),
    }
}
