//! Names: strings with a type, such as the ids of sessions.

use std::collections::HashMap;
use std::sync::Arc;

use acp_types::v1::{SessionId, TerminalId};
use acp_types::{from_str, to_string};

#[test]
fn a_name_is_made_of_any_text() {
    let texts: [SessionId; 5] = [
        SessionId::new("s1"),
        SessionId::new("s1".to_owned()),
        SessionId::new(Arc::<str>::from("s1")),
        "s1".into(),
        from_str(r#""s1""#).unwrap(),
    ];
    for id in texts {
        assert_eq!((id.as_str(), id.to_string().as_str(), to_string(&id).as_str()), ("s1", "s1", r#""s1""#));
        assert_eq!(id, "s1");
    }
    // It is found by its text.
    assert_eq!(HashMap::from([(TerminalId::new("t"), 1)]).get("t"), Some(&1));
}
