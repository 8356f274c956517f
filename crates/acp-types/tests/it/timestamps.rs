//! Times as text.

use std::time::{Duration, UNIX_EPOCH};

use acp_types::v1::ext::{format_timestamp, read_timestamp};

#[test]
fn times_are_written_as_rfc_3339() {
    for (seconds, millis, text) in [
        (0, 0, "1970-01-01T00:00:00.000Z"),
        (951_782_399, 999, "2000-02-28T23:59:59.999Z"),
        (951_782_400, 0, "2000-02-29T00:00:00.000Z"),
        (951_868_800, 0, "2000-03-01T00:00:00.000Z"),
        (1_709_251_199, 0, "2024-02-29T23:59:59.000Z"),
        (4_107_542_400, 1, "2100-03-01T00:00:00.001Z"),
    ] {
        let time = UNIX_EPOCH + Duration::from_millis(seconds * 1000 + millis);
        assert_eq!(format_timestamp(time).as_deref(), Some(text));
        assert_eq!(read_timestamp(text), Some(time));
    }
}

#[test]
fn times_are_read_with_any_part_of_a_second() {
    let time = UNIX_EPOCH + Duration::from_nanos(951_782_399_120_000_000);
    assert_eq!(read_timestamp("2000-02-28T23:59:59.12Z"), Some(time));
    assert_eq!(read_timestamp("2000-02-28T23:59:59Z"), Some(time - Duration::from_millis(120)));
    for odd in [
        "",
        "2000-02-28",
        "2000-02-28T23:59:59",
        "2000-02-28T23:59:59+01:00",
        "2000-13-28T23:59:59Z",
        "2000-02-28T24:59:59Z",
        "2000-02-28T23:59:59.Z1Z",
        "2000-02-28T23:59:59.1234567890Z",
        "1969-12-31T23:59:59Z",
        "-1-12-31T23:59:59Z",
        "99999999999999999999-12-31T23:59:59Z",
    ] {
        assert_eq!(read_timestamp(odd), None, "{odd}");
    }
}

#[test]
fn a_time_before_1970_is_not_written() {
    assert_eq!(format_timestamp(UNIX_EPOCH - Duration::from_millis(1)), None);
}
