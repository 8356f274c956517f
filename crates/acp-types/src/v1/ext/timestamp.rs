//! Times in the protocol's form: RFC 3339, in UTC.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Formats a time as the protocol writes it, in UTC and with milliseconds. It is `None` before
/// 1970.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
///
/// use acp_types::v1::ext::{format_timestamp, read_timestamp};
///
/// let time = UNIX_EPOCH + Duration::from_millis(1_769_860_800_250);
/// let text = format_timestamp(time);
/// assert_eq!(text.as_deref(), Some("2026-01-31T12:00:00.250Z"));
/// assert_eq!(read_timestamp("2026-01-31T12:00:00.250Z"), Some(time));
/// ```
#[must_use]
pub fn format_timestamp(time: SystemTime) -> Option<String> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let millis = since.subsec_millis();
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"))
}

/// Reads a time in UTC as [`format_timestamp`] writes it, with any number of digits of a second's
/// parts up to nine. It is `None` for other texts, and before 1970.
#[must_use]
pub fn read_timestamp(text: &str) -> Option<SystemTime> {
    let (day, time) = text.strip_suffix('Z')?.split_once('T')?;
    let [year, month, day] = numbers(day, '-')?;
    let (time, parts) = time.split_once('.').unwrap_or((time, ""));
    let [hour, minute, second] = numbers(time, ':')?;
    let is_day = (1..=12).contains(&month) && (1..=31).contains(&day) && year <= 9_999;
    if !is_day || hour > 23 || minute > 59 || second > 60 || parts.len() > 9 {
        return None;
    }
    let nanos = if parts.is_empty() { 0 } else { digits(&format!("{parts:0<9}"))? };
    // Years that begin in March, as below.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let seconds = days.checked_sub(719_468)? * 86_400 + hour * 3_600 + minute * 60 + second;
    UNIX_EPOCH.checked_add(Duration::new(seconds, u32::try_from(nanos).ok()?))
}

/// Reads three numbers with this sign between them.
fn numbers(text: &str, sign: char) -> Option<[u64; 3]> {
    let mut parts = text.split(sign).map(digits);
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Returns the date of a day since 1970. It counts in years that begin in March, so that the leap
/// day comes last.
const fn date(days: u64) -> (u64, u64, u64) {
    const DAYS_IN_400_YEARS: u64 = 146_097;
    let days = days + 719_468;
    let (era, day_of_era) = (days / DAYS_IN_400_YEARS, days % DAYS_IN_400_YEARS);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year_of_era + later, month, day)
}
