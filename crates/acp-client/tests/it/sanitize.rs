//! Text of agents for a terminal or a page: the parts that could deceive are made visible.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use acp_client::sanitize::{deceives, label, line, strip_ansi, text};

/// All ranges that are made visible, with harmless characters right before and behind each.
const DECEIVES: [(RangeInclusive<char>, &str); 12] = [
    ('\0'..='\u{8}', "\t"),
    // Carriage returns are left out: see below.
    ('\u{b}'..='\u{c}', "\n"),
    ('\u{e}'..='\u{1f}', " "),
    ('\u{7f}'..='\u{9f}', "~\u{a0}"),
    ('\u{61c}'..='\u{61c}', "\u{61b}\u{61d}"),
    ('\u{180e}'..='\u{180e}', "\u{180d}\u{180f}"),
    ('\u{200b}'..='\u{200f}', "\u{200a}\u{2010}"),
    // Separators, and characters that turn the direction of writing.
    ('\u{2028}'..='\u{202e}', "\u{2027}\u{202f}"),
    // Joiners and operators without a width, isolates, and deprecated characters.
    ('\u{2060}'..='\u{206f}', "\u{205f}\u{2070}"),
    ('\u{feff}'..='\u{feff}', "\u{fefe}\u{ff00}"),
    ('\u{fff9}'..='\u{fffb}', "\u{fff8}\u{fffc}"),
    // Tags.
    ('\u{e0000}'..='\u{e007f}', "\u{dffff}\u{e0080}"),
];

#[test]
fn what_deceives_is_made_visible() {
    for (range, around) in DECEIVES {
        for c in range {
            assert!(deceives(c), "{c:?}");
            let given = format!("a{c}b");
            assert_eq!(text(&given), "a\u{fffd}b", "{c:?}");
            assert_eq!(line(&given), "a\u{fffd}b", "{c:?}");
            assert_eq!(label(&given, 80), "a\u{fffd}b", "{c:?}");
        }
        for c in around.chars() {
            assert!(!deceives(c), "{c:?}");
            assert_eq!(text(&format!("a{c}b")), format!("a{c}b"), "{c:?}");
        }
    }
    // Nothing else without a width or with a line end stays, whatever stands around it.
    let all: String = DECEIVES.into_iter().flat_map(|(range, _)| range).collect();
    assert_eq!(text(&all), "\u{fffd}".repeat(all.chars().count()));
    assert_eq!(label(&all, 3), "\u{fffd}\u{fffd}…");
}

#[test]
fn text_that_deceives_nobody_stays() {
    assert_eq!(text("a\r\n\tb é漢🙂 ab\u{301}"), "a\n\tb é漢🙂 ab\u{301}");
    assert_eq!(line("  a\r\n  b\r"), "  a   b");
    assert!(matches!(text("plain\n"), Cow::Borrowed("plain\n")));
    assert!(matches!(line("plain\t"), Cow::Borrowed("plain\t")));
}

#[test]
fn labels_have_one_short_line() {
    assert_eq!(label(" Yes\n  2 or a \t\u{3000} No\u{2028}x", 80), "Yes 2 or a No\u{fffd}x");
    assert_eq!(label("漢字漢字漢字", 4), "漢字漢…");
    assert_eq!((label("four", 4).as_str(), label("", 4).as_str(), label("x", 0).as_str()), ("four", "", "…"));
}

#[test]
fn sequences_of_terminals_are_left_out() {
    for (written, kept) in [
        ("\u{1b}[1;31mred\u{1b}[0m", "red"),
        ("\u{1b}[38:2::1:2:3mx\u{1b}[Ky", "xy"),
        ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\b", "ab"),
        ("\u{1b}Pq#0\u{1b}\\a\u{9b}2Jb\u{9d}t\u{9c}c", "abc"),
        ("\u{1b}(Ba\u{1b}7b\u{1b}=c", "abc"),
        // A truncated sequence does not remove the text behind it.
        ("a\u{1b}", "a"),
        ("a\u{1b}[31", "a"),
        ("a\u{1b}[漢", "a漢"),
        ("a\u{1b}]0;open\nb", "a0;open\nb"),
        ("a\u{1b}\u{1b}[31mb", "ab"),
        ("\u{1b}漢", "漢"),
        ("plain\u{7}", "plain\u{7}"),
    ] {
        assert_eq!(strip_ansi(written), kept, "{written:?}");
    }
}
