//! JSON that changes nothing on a terminal.

use acp_client::sanitize::deceives;

/// Escapes the characters that would change a terminal or deceive its reader. In JSON they can
/// stand in strings only, so the value stays the same.
pub(crate) fn inert(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for char in json.chars() {
        if char == '\n' || !(char.is_control() || deceives(char)) {
            shown.push(char);
            continue;
        }
        for unit in char.encode_utf16(&mut [0; 2]) {
            shown.push_str(&format!("\\u{unit:04x}"));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_stays_and_its_text_is_inert() {
        let value = serde_json::json!({"a\u{202e}": "x\u{1b}[31m\u{9b}\u{200b}\u{e0041}\u{7f} ü🙂\n"});
        let shown = inert(&value.to_string());
        assert_eq!(shown, r#"{"a\u202e":"x\u001b[31m\u009b\u200b\udb40\udc41\u007f ü🙂\n"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).expect("JSON"), value);
    }
}
