//! A sequence diagram as SVG.

use std::fmt::Write;

use super::row::ends;
use crate::store::Store;
use crate::store::entry::{Kind, Marks};

/// The most messages of a diagram.
const MOST: u64 = 500;
const LEFT: u32 = 140;
const RIGHT: u32 = 660;
const TOP: u32 = 50;
const STEP: u32 = 26;

/// Draws the messages from one number to another, at most 500. The texts of peers are escaped.
pub(crate) fn sequence(store: &Store, from: u64, to: u64) -> String {
    let state = store.lock();
    let from = from.max(1);
    let to = to.min(from.saturating_add(MOST - 1)).min(state.entries.len() as u64);
    let rows = u32::try_from((to + 1).saturating_sub(from)).unwrap_or_default();
    let height = TOP + STEP * (rows + 1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"{height}\" viewBox=\"0 0 800 {height}\" \
         font-family=\"sans-serif\" font-size=\"12\"><rect width=\"800\" height=\"{height}\" fill=\"white\"/>\
         <defs><marker id=\"a\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\">\
         <path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n"
    );
    for (x, lane) in [(LEFT, "client"), (RIGHT, "agent")] {
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"20\" text-anchor=\"middle\">{lane}</text>\
             <line x1=\"{x}\" y1=\"28\" x2=\"{x}\" y2=\"{height}\" stroke=\"gray\"/>"
        );
    }
    for (row, seq) in (0..).zip(from..=to) {
        let Some(entry) = state.entry(seq) else { break };
        let y = TOP + STEP * row;
        let (start, end) = if ends(&state, entry).0 == "client" { (LEFT, RIGHT) } else { (RIGHT, LEFT) };
        let dash = if entry.kind == Kind::Response { " stroke-dasharray=\"4 3\"" } else { "" };
        let colour = if entry.marks.has(Marks::ERROR) { "firebrick" } else { "black" };
        let name = state.updates.name(entry.update).or_else(|| state.methods.name(entry.method));
        let _ = writeln!(
            svg,
            "<line x1=\"{start}\" y1=\"{y}\" x2=\"{end}\" y2=\"{y}\" stroke=\"{colour}\"{dash} \
             marker-end=\"url(#a)\"/><text x=\"400\" y=\"{}\" text-anchor=\"middle\" fill=\"{colour}\">{seq} {}</text>",
            y - 5,
            escaped(name.unwrap_or("(no message)"))
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Makes a text of a peer safe within XML. Characters that XML does not have, and those that change
/// the direction of text, become U+FFFD.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for character in text.chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => {
                safe.push('\u{fffd}')
            }
            _ if character.is_control() => safe.push('\u{fffd}'),
            _ => safe.push(character),
        }
    }
    safe
}
