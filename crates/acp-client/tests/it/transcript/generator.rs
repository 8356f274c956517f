//! Random conversations.

use acp_client::v1::{
    CompactionSummaryChunk, CompactionUpdate, ContentBlock, ContentChunk, Notice, Plan, SessionInfoUpdate,
    TextContent, ToolCall, ToolCallUpdate, UsageUpdate,
};
use acp_client::{Change, Event, Map, Transcript, UnknownVariant};
use acp_types::Meta;
use testkit::Dice;

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Prompt(ContentBlock),
    Event(Event),
    Cancel,
}

impl Step {
    pub(crate) fn apply(self, transcript: &mut Transcript) -> Vec<Change> {
        match self {
            Self::Prompt(block) => vec![transcript.prompt(block)],
            Self::Event(event) => vec![transcript.fold(event)],
            Self::Cancel => transcript.cancel_tool_calls(),
        }
    }
}

/// Returns a conversation of this many steps. Ids and letters are few, so that they often meet.
pub(crate) fn conversation(dice: &Dice, steps: usize) -> Vec<Step> {
    (0..steps).map(|_| step(dice)).collect()
}

fn step(dice: &Dice) -> Step {
    match dice.below(24) {
        0..3 => Step::Prompt(block(dice)),
        3..7 => Step::Event(Event::UserMessage(chunk(dice))),
        7..11 => Step::Event(Event::Message(chunk(dice))),
        11..14 => Step::Event(Event::Thought(chunk(dice))),
        14 => Step::Event(Event::CompactionSummary(Box::new(CompactionSummaryChunk::new(
            *dice.pick(&["1", "2"]),
            block(dice),
        )))),
        15 => {
            let status = *dice.pick(&["in_progress", "completed"]);
            let mut update = CompactionUpdate::new(*dice.pick(&["1", "2"]), status);
            if dice.below(2) == 0 {
                update = update.summary(Vec::from([block(dice)]));
            }
            Step::Event(Event::Compaction(Box::new(update)))
        }
        16 => {
            let call = ToolCall::new(*dice.pick(&["1", "2", "3"]), text(dice));
            Step::Event(Event::ToolCall(Box::new(call)))
        }
        17 | 18 => {
            let update = ToolCallUpdate::new(*dice.pick(&["1", "2", "3"]));
            let update = update.status(*dice.pick(&["pending", "in_progress", "completed"]));
            Step::Event(Event::ToolCallUpdate(Box::new(update)))
        }
        19 => Step::Cancel,
        20 => Step::Event(Event::Missed(1)),
        _ => Step::Event(aside(dice)),
    }
}

/// An update that does not separate the entries around it.
fn aside(dice: &Dice) -> Event {
    match dice.below(5) {
        0 => Event::Usage(Box::new(UsageUpdate::new(dice.below(9), 9))),
        1 => Event::Notice(Box::new(Notice::new("info", text(dice)))),
        2 => Event::Plan(Plan::new(vec![text(dice).into()])),
        3 => Event::Info(Box::new(SessionInfoUpdate::new().title(text(dice)))),
        _ => Event::Unknown(UnknownVariant::new("_x/strange", Map::from([("type", text(dice).into())]))),
    }
}

fn chunk(dice: &Dice) -> ContentChunk {
    let chunk = ContentChunk::new(block(dice));
    let chunk = match dice.below(3) {
        0 => chunk.message_id(*dice.pick(&["1", "2"])),
        _ => chunk,
    };
    if dice.below(6) == 0 { chunk.meta(meta(dice)) } else { chunk }
}

fn block(dice: &Dice) -> ContentBlock {
    match dice.below(8) {
        0 => ContentBlock::link("n", *dice.pick(&["file:///1", "file:///2"])),
        1 => TextContent::new(text(dice)).meta(meta(dice)).into(),
        _ => ContentBlock::text(text(dice)),
    }
}

fn meta(dice: &Dice) -> Meta {
    Meta::new().with(*dice.pick(&["a", "b"]), *dice.pick(&[true, false]))
}

fn text(dice: &Dice) -> String {
    (0..dice.below(5)).map(|_| *dice.pick(&["a", "é", "😀"])).collect()
}

/// Cuts an update into pieces, with updates between them that do not separate them. Returns these,
/// and the equal updates without cuts.
pub(crate) fn split(dice: &Dice, whole: Step) -> (Vec<Step>, Vec<Step>) {
    let Some(content) = content_of(&whole).cloned() else { return (vec![whole.clone()], vec![whole]) };
    let ContentBlock::Text(content) = content else { return (vec![whole.clone()], vec![whole]) };
    let letters: Vec<char> = content.text.chars().collect();
    let (mut pieces, mut asides, mut from) = (Vec::new(), vec![whole.clone()], 0);
    loop {
        let is_last = dice.below(3) == 0;
        let to = if is_last { letters.len() } else { from + dice.index(letters.len() - from + 1) };
        let mut piece = content.clone();
        piece.text = letters[from..to].iter().collect();
        let mut part = whole.clone();
        if let Some(block) = content_of_mut(&mut part) {
            *block = piece.into();
        }
        pieces.push(part);
        if is_last {
            return (pieces, asides);
        }
        from = to;
        let aside = aside(dice);
        // An unknown update has a place of its own. Before anything was said, or while a message
        // may still repeat the prompt, it comes before the message.
        let has_begun = from > 0 && !matches!(whole, Step::Event(Event::UserMessage(_)));
        if dice.below(3) == 0 && (has_begun || !matches!(aside, Event::Unknown(_))) {
            let aside = Step::Event(aside);
            pieces.push(aside.clone());
            asides.push(aside);
        }
    }
}

fn content_of(step: &Step) -> Option<&ContentBlock> {
    match step {
        Step::Event(Event::Message(chunk) | Event::Thought(chunk) | Event::UserMessage(chunk)) => {
            Some(&chunk.content)
        }
        Step::Event(Event::CompactionSummary(chunk)) => Some(&chunk.content),
        _ => None,
    }
}

fn content_of_mut(step: &mut Step) -> Option<&mut ContentBlock> {
    match step {
        Step::Event(Event::Message(chunk) | Event::Thought(chunk) | Event::UserMessage(chunk)) => {
            Some(&mut chunk.content)
        }
        Step::Event(Event::CompactionSummary(chunk)) => Some(&mut chunk.content),
        _ => None,
    }
}
