//! The well-known forms of texts in forms.

use crate::v1::StringFormat;

impl StringFormat {
    /// Returns whether a text has this form. The checks of mail addresses and URIs refuse only
    /// texts that cannot be any. A form that this version of the protocol does not know takes every
    /// text.
    ///
    /// ```
    /// use acp_types::v1::StringFormat;
    ///
    /// assert!(StringFormat::Date.matches("2028-02-29"));
    /// assert!(!StringFormat::Date.matches("2027-02-29"));
    /// ```
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Email => is_email(text),
            Self::Uri => is_uri(text),
            Self::Date => is_date(text),
            Self::DateTime => is_date_time(text),
            Self::Unknown(_) => true,
        }
    }
}

/// Returns whether there is a local part, an `@` and a domain. The local part may be quoted, and
/// letters beyond ASCII are allowed in both.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_quoted = local.len() > 2 && local.starts_with('"') && local.ends_with('"');
    let is_local = |text: &str| !text.is_empty() && !text.contains(['@', ' ']);
    let is_plain = |text: &str| !text.contains(|letter: char| letter.is_control());
    let is_domain = !domain.is_empty() && !domain.contains(char::is_whitespace);
    is_plain(text) && (is_quoted || is_local(local)) && is_domain
}

/// Returns whether a scheme comes first, and only characters follow that a URI may have (RFC 3986).
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
    let is_allowed = |letter: char| letter.is_ascii_graphic() && !"\"<>\\^`{|}".contains(letter);
    is_scheme && rest.chars().all(is_allowed)
}

/// Returns whether the text is a day of the calendar, as `2026-03-31` (RFC 3339, `full-date`).
fn is_date(text: &str) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text.as_bytes() else { return false };
    let (Some(year), Some(month), Some(day)) =
        (number(&[y1, y2, y3, y4]), number(&[m1, m2]), number(&[d1, d2]))
    else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// Returns whether the text is a date, a time and an offset (RFC 3339, `date-time`). The sixtieth
/// second is a leap second.
fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else { return false };
    let Some(end) = time.find(['Z', 'z', '+', '-']) else { return false };
    let (time, offset) = time.split_at(end);
    let (time, has_fraction) = match time.split_once('.') {
        Some((time, fraction)) => (time, !fraction.is_empty() && is_digits(fraction.as_bytes())),
        None => (time, true),
    };
    let is_time = matches!(
        *time.as_bytes(),
        [h1, h2, b':', m1, m2, b':', s1, s2] if below(h1, h2, 24) && below(m1, m2, 60) && below(s1, s2, 61)
    );
    let is_offset = match *offset.as_bytes() {
        [b'Z' | b'z'] => true,
        [b'+' | b'-', h1, h2, b':', m1, m2] => below(h1, h2, 24) && below(m1, m2, 60),
        _ => false,
    };
    is_date(date) && is_time && has_fraction && is_offset
}

fn below(tens: u8, ones: u8, end: u16) -> bool {
    number(&[tens, ones]).is_some_and(|number| number < end)
}

fn number(digits: &[u8]) -> Option<u16> {
    let value = |number: u16, digit: &u8| number * 10 + u16::from(digit - b'0');
    is_digits(digits).then(|| digits.iter().fold(0, value))
}

fn is_digits(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_digit)
}
