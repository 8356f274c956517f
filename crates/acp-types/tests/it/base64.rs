//! Bytes as text.

use acp_types::base64::{decode, encode};

#[test]
fn bytes_come_back() {
    let table: [(&[u8], &str); 8] = [
        (b"", ""),
        (b"f", "Zg=="),
        (b"fo", "Zm8="),
        (b"foo", "Zm9v"),
        (b"foob", "Zm9vYg=="),
        (b"fooba", "Zm9vYmE="),
        (b"foobar", "Zm9vYmFy"),
        (&[0xff, 0xfe, 0xfb, 0x00], "//77AA=="),
    ];
    for (bytes, text) in table {
        assert_eq!(encode(bytes), text);
        assert_eq!(decode(text).as_deref(), Some(bytes), "{text}");
        assert_eq!(decode(text.trim_end_matches('=')).as_deref(), Some(bytes), "{text} unpadded");
    }
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(decode(&encode(&all)), Some(all));
}

#[test]
fn other_text_is_refused() {
    for text in ["Z", "Zm9vY", "Zg=", "Zg===", "=", "====", "Zg==Zg==", "Z g=", "Zm9v\n", "Zm-_", "Zmä"] {
        assert_eq!(decode(text), None, "{text:?}");
    }
}
