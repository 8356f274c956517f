//! A sequence diagram as SVG.

use std::fmt::Write;

use super::unseen::is_unseen;
use crate::store::entry::{Entry, Kind, Marks};
use crate::store::{State, Store};

/// The most messages of a diagram.
const MOST: u64 = 500;
const LEFT: u32 = 120;
/// The width between the first lane and the last of two.
const WIDTH: u32 = 560;
/// The width between neighbours of more lanes.
const LANE: u32 = 280;
const TOP: u32 = 64;
const STEP: u32 = 28;

/// An arrow of the diagram: a message, or a stream of them.
struct Arrow {
    entry: Entry,
    first: u64,
    last: u64,
}

/// Draws the messages from one number to another, at most 500. With `fold`, neighbouring chunks are one
/// arrow. The texts of peers are escaped.
pub(crate) fn sequence(store: &Store, from: u64, to: u64, fold: bool) -> String {
    let state = store.lock();
    let from = from.max(1);
    let to = to.min(from.saturating_add(MOST - 1)).min(state.entries.len() as u64);
    let arrows = arrows(&state, from, to, fold);
    let height = TOP + STEP * u32::try_from(arrows.len()).unwrap_or_default();
    let lanes = state.lanes();
    let width = 2 * LEFT + step(&lanes) * u32::try_from(lanes.len() - 1).unwrap_or_default();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"12\">\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\
         <defs><marker id=\"a\" markerWidth=\"9\" markerHeight=\"8\" refX=\"8\" refY=\"4\" orient=\"auto\">\
         <path d=\"M0 0L9 4L0 8z\" fill=\"context-stroke\"/></marker></defs>\n"
    );
    for lane in &lanes {
        let (x, lane) = (place(&lanes, lane), escaped(lane));
        let _ = writeln!(
            svg,
            "<line x1=\"{x}\" y1=\"34\" x2=\"{x}\" y2=\"{height}\" stroke=\"#b8c0ca\"/>\
             <rect x=\"{}\" y=\"10\" width=\"100\" height=\"24\" rx=\"5\" fill=\"#eef0f3\" stroke=\"#b8c0ca\"/>\
             <text x=\"{x}\" y=\"26\" text-anchor=\"middle\" fill=\"#1a1f26\" font-weight=\"600\">{lane}</text>",
            x - 50
        );
    }
    for (row, arrow) in (0..).zip(&arrows) {
        draw(&mut svg, &state, arrow, TOP + STEP * row);
    }
    svg.push_str("</svg>\n");
    svg
}

fn arrows(state: &State, from: u64, to: u64, fold: bool) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = Vec::new();
    for seq in from..=to {
        let Some(entry) = state.entry(seq) else { break };
        let is_chunk = state.updates.name(entry.update).is_some_and(|name| name.ends_with("_chunk"));
        match arrows.last_mut() {
            Some(last)
                if fold
                    && is_chunk
                    && (last.entry.update, last.entry.session) == (entry.update, entry.session)
                    && last.entry.marks.link() == entry.marks.link() =>
            {
                last.last = seq;
            }
            _ => arrows.push(Arrow { entry: *entry, first: seq, last: seq }),
        }
    }
    arrows
}

/// Returns the width between two lanes.
fn step(lanes: &[&str]) -> u32 {
    if lanes.len() == 2 { WIDTH } else { LANE }
}

/// Returns the place of a lane from the left.
fn place(lanes: &[&str], lane: &str) -> u32 {
    let at = lanes.iter().position(|known| *known == lane).unwrap_or_default();
    LEFT + step(lanes) * u32::try_from(at).unwrap_or_default()
}

fn draw(svg: &mut String, state: &State, arrow: &Arrow, y: u32) {
    let Arrow { entry, first, last } = arrow;
    let (lanes, (from, to)) = (state.lanes(), state.ends(entry));
    let (start, end) = (place(&lanes, from), place(&lanes, to));
    let dash = if entry.kind == Kind::Response { " stroke-dasharray=\"5 3\"" } else { "" };
    let colour = match entry.kind {
        _ if entry.marks.has(Marks::ERROR) => "#b0221b",
        Kind::Request => "#1a50b8",
        Kind::Response => "#0a6548",
        Kind::Notification => "#6a3aa2",
        Kind::Other => "#755000",
    };
    let name = state.updates.name(entry.update).or_else(|| state.methods.name(entry.method));
    let name = escaped(name.unwrap_or("(no message)"));
    let count = if first == last { String::new() } else { format!(" × {}", last + 1 - first) };
    let _ = writeln!(
        svg,
        "<line x1=\"{start}\" y1=\"{y}\" x2=\"{end}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"1.5\"{dash} \
         marker-end=\"url(#a)\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#525b67\">{first}</text>\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"{colour}\">{name}{count}</text>",
        LEFT - 16,
        y + 4,
        start.midpoint(end),
        y - 5,
    );
}

/// Makes a text of a peer safe within XML. Characters that are not seen, and those that XML does not
/// have, become JSON escapes.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for character in text.chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escape(&mut safe, character),
            _ if is_unseen(character) => escape(&mut safe, character),
            _ => safe.push(character),
        }
    }
    safe
}

fn escape(safe: &mut String, character: char) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        let _ = write!(safe, "\\u{unit:04x}");
    }
}
