//! Texts as a whole, and in pieces.

use super::*;

/// Shows a text that comes as a whole, with readable names for its colours.
fn shown(text: &str) -> String {
    let mut markdown = Markdown::default();
    let shown = markdown.push(text) + &markdown.finish();
    shown.replace("\x1b[0m", "}").replace("\x1b[", "{")
}

const TABLE: [(&str, &str); 36] = [
    ("plain text\n", "plain text\n"),
    ("# Title\ntext", "{1mTitle}\ntext"),
    ("### A `b` c\n", "{1mA }{1;36mb}{1m c}\n"),
    ("#hashtag\n#", "#hashtag\n#"),
    ("####### seven\n", "####### seven\n"),
    ("**bold** and *italic*, ***both***.", "{1mbold} and {3mitalic}, {1;3mboth}."),
    ("__bold__ and _italic_ but snake_case_name", "{1mbold} and {3mitalic} but snake_case_name"),
    ("2 * 3 * 4 and 2*3", "2 * 3 * 4 and 2*3"),
    ("**open\nnext", "**open\nnext"),
    ("*a **b** c*", "{3ma }{3;1mb}{3m c}"),
    ("use `a*b*c` here", "use {36ma*b*c} here"),
    ("``a`b`` `` ` ``", "{36ma`b} {36m`}"),
    ("an open `code", "an open `code"),
    ("*an open `code` span", "*an open {36mcode} span"),
    (r"\*not\* \a", r"*not* \a"),
    ("- one\n  * two\n+ three\n1. four", "• one\n  • two\n• three\n1. four"),
    ("-1 is negative", "-1 is negative"),
    ("**Note**: this", "{1mNote}: this"),
    ("* *a* b", "• {3ma} b"),
    (
        "---\n***\n___\n",
        "{2m────────────────────────}\n{2m────────────────────────}\n{2m────────────────────────}\n",
    ),
    ("--\n-- x", "--\n-- x"),
    ("> quoted `c`\n>not\n", "{2m│ quoted }{2;36mc}{2m}\n>not\n"),
    ("```rust\nlet **a** = 1;\n```\n*b*", "{2m```rust}\n{36mlet **a** = 1;}\n{2m```}\n{3mb}"),
    ("````\n```\n````\n", "{2m````}\n{36m```}\n{2m````}\n"),
    ("~~~\n# no title\n~~~", "{2m~~~}\n{36m# no title}\n{2m~~~}"),
    ("```\nnever closed", "{2m```}\n{36mnever closed}"),
    ("```\n\n    in\n", "{2m```}\n\n{36m    in}\n"),
    ("```inline``` code", "{36minline} code"),
    ("| a | b |\n|---|---|\n| *c* | d |", "| a | b |\n|---|---|\n| {3mc} | d |"),
    ("[text](https://a_b_c.example/*)", "[text](https://a_b_c.example/*)"),
    ("", ""),
    ("\n\n", "\n\n"),
    ("`", "`"),
    ("**", "**"),
    ("a ****", "a ****"),
    ("ends with \\", "ends with \\"),
];

#[test]
fn texts_have_their_colours() {
    for (text, wants) in TABLE {
        assert_eq!(shown(text), wants, "{text:?}");
    }
}

#[test]
fn pieces_show_the_same_as_the_whole() {
    for (text, _) in TABLE {
        let whole = shown(text);
        for at in text.char_indices().map(|(at, _)| at) {
            let mut markdown = Markdown::default();
            let (first, second) = text.split_at(at);
            let pieces = markdown.push(first) + &markdown.push(second) + &markdown.finish();
            assert_eq!(pieces.replace("\x1b[0m", "}").replace("\x1b[", "{"), whole, "{text:?} at {at}");
        }
    }
}

#[test]
fn text_is_shown_before_its_line_ends() {
    let mut markdown = Markdown::default();
    assert_eq!(markdown.push("Hello "), "Hello ");
    assert_eq!(markdown.push("**wor"), "");
    assert_eq!(markdown.push("ld** an"), "\x1b[1mworld\x1b[0m an");
    assert_eq!(markdown.push("d\n# Ti"), "d\n\x1b[1mTi");
    assert_eq!(markdown.finish(), "\x1b[0m");
    assert_eq!(markdown.push("```\nco"), "\x1b[2m```\x1b[0m\n\x1b[36mco");
    assert_eq!(markdown.finish(), "\x1b[0m");
    assert_eq!(markdown.push("text"), "text", "a block of code ends with its message");
}

#[test]
fn a_span_without_an_end_does_not_hold_the_text_back_for_ever() {
    let long = format!("*{}", "word ".repeat(500));
    let mut markdown = Markdown::default();
    assert!(markdown.push(&long).len() > long.len() - MOST_HELD - 1);
    for signs in ["*", "`", "_", "\\", "*a", "`a", "**a*", "*`"] {
        let text = signs.repeat(3000);
        let mut markdown = Markdown::default();
        let shown = markdown.push(&text) + &markdown.finish();
        assert!(shown.len() < text.len() * 12, "{signs}");
    }
}
