//! Strings as JSON, of every length and with every character.

use acp_rpc::encode_str;

fn encoded(text: &str) -> String {
    let mut buffer = Vec::new();
    encode_str(text, &mut buffer).unwrap();
    String::from_utf8(buffer).unwrap()
}

#[test]
fn a_string_is_written_as_serde_json_writes_it() {
    let characters = (0..0x180).filter_map(char::from_u32).chain(['\u{2028}', '\u{ffff}', '\u{1f980}']);
    for character in characters {
        for length in 0..72 {
            for at in [0, length / 2, length] {
                let text = format!("{}{character}{}", "x".repeat(at), "é~\u{7f}".repeat(length - at));
                assert_eq!(encoded(&text), serde_json::to_string(&text).unwrap(), "{text:?}");
            }
        }
    }
    assert_eq!(encoded(""), r#""""#);
}

/// Two characters beside each other: what is subtracted from one must not reach the next.
#[test]
fn neighbours_do_not_change_each_other() {
    for first in 0..128_u8 {
        for second in 0..128_u8 {
            for length in [2, 8, 9, 15, 33] {
                let mut text = "~".repeat(length - 2);
                text.insert(length / 2 - 1, char::from(second));
                text.insert(length / 2 - 1, char::from(first));
                assert_eq!(encoded(&text), serde_json::to_string(&text).unwrap(), "{text:?}");
            }
        }
    }
}
