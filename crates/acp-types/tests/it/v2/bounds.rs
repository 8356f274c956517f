//! Numbers that have fewer values than their type.

use acp_types::v2::{Annotations, TerminalSize, ToolCallLocation};

use super::{again, refusal};

#[test]
fn a_number_out_of_its_bounds_is_malformed() {
    for size in [r#"{"cols":1,"rows":65535}"#, r#"{"cols":80,"rows":24}"#] {
        assert_eq!(again::<TerminalSize>(size), size);
    }
    for (size, error) in [
        (r#"{"cols":0,"rows":24}"#, "`cols`: the number must be at least 1"),
        (r#"{"cols":80,"rows":0}"#, "`rows`: the number must be at least 1"),
        (r#"{"cols":65536,"rows":1}"#, "`cols`: the number does not fit an unsigned 16-bit integer"),
    ] {
        assert_eq!(refusal::<TerminalSize>(size), error);
    }
    // The schema says that a malformed one of these reads as absent.
    assert_eq!(again::<ToolCallLocation>(r#"{"path":"/p","line":0}"#), r#"{"path":"/p"}"#);
    assert_eq!(again::<ToolCallLocation>(r#"{"path":"/p","line":1}"#), r#"{"path":"/p","line":1}"#);
    for (priority, written) in [("0", "0.0"), ("1", "1.0"), ("0.5", "0.5")] {
        let text = again::<Annotations>(&format!(r#"{{"priority":{priority}}}"#));
        assert_eq!(text, format!(r#"{{"priority":{written}}}"#));
    }
    for priority in ["-0.1", "1.1", "1e300"] {
        assert_eq!(again::<Annotations>(&format!(r#"{{"priority":{priority}}}"#)), "{}");
    }
}
