//! The contrast of colours, computed from their file: WCAG 2.2, level AA.

use std::collections::HashMap;

const TOKENS: &str = include_str!("../../../src/page/tokens.css");

/// Text and the grounds that it stands on.
const TEXT: [(&str, &[&str]); 20] = [
    ("--text", &["--ground", "--surface", "--raised", "--chosen", "--hover"]),
    ("--muted", &["--ground", "--surface", "--raised", "--chosen", "--hover"]),
    ("--accent", &["--ground", "--surface", "--chosen", "--hover"]),
    ("--on-accent", &["--accent"]),
    ("--request", &["--surface", "--chosen", "--hover"]),
    ("--response", &["--surface", "--chosen", "--hover"]),
    ("--notification", &["--surface", "--chosen", "--hover"]),
    ("--other", &["--surface", "--raised", "--chosen", "--hover"]),
    ("--error", &["--surface", "--chosen", "--hover", "--error-ground"]),
    ("--added", &["--surface", "--added-ground"]),
    ("--removed", &["--surface", "--removed-ground"]),
    ("--json-key", &["--surface"]),
    ("--json-string", &["--surface"]),
    ("--json-number", &["--surface"]),
    ("--json-word", &["--surface"]),
    ("--text", &["--added-ground", "--removed-ground"]),
    ("--muted", &["--error-ground"]),
    ("--other", &["--ground"]),
    ("--response", &["--ground"]),
    ("--error", &["--ground"]),
];

/// Lines that must be seen: the focus, the edges of fields, and marks.
const LINES: [(&str, &[&str]); 3] = [
    ("--accent", &["--ground", "--surface", "--chosen"]),
    ("--edge", &["--ground", "--surface"]),
    ("--marked", &["--surface", "--chosen"]),
];

/// Returns the colours of a scheme. Those that a dark scheme does not set are those of the light one.
fn colours(is_dark: bool) -> HashMap<String, [f64; 3]> {
    let (light, dark) = TOKENS.split_once("@media (prefers-color-scheme: dark)").expect("two schemes");
    let parts = if is_dark { vec![light, dark] } else { vec![light] };
    let lines = parts.into_iter().flat_map(str::lines);
    lines
        .filter_map(|line| {
            let (name, value) = line.trim().trim_end_matches(';').split_once(": #")?;
            let part = |at: usize| u8::from_str_radix(&value[at..at + 2], 16).expect("a colour");
            Some((name.to_owned(), [part(0), part(2), part(4)].map(|part| f64::from(part) / 255.0)))
        })
        .collect()
}

fn luminance(colour: [f64; 3]) -> f64 {
    let [red, green, blue] =
        colour.map(|part| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn black_on_white_has_the_contrast_of_the_standard() {
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 0.001);
}

#[test]
fn all_text_and_all_lines_are_seen_in_both_schemes() {
    for is_dark in [false, true] {
        let colours = colours(is_dark);
        let pairs = [(4.5, TEXT.as_slice()), (3.0, LINES.as_slice())];
        for (least, pairs) in pairs {
            for (front, grounds) in pairs {
                for ground in *grounds {
                    let found = contrast(colours[*front], colours[*ground]);
                    assert!(found >= least, "{front} on {ground}, dark: {is_dark}: {found:.2} of {least}");
                }
            }
        }
    }
}
