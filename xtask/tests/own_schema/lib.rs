//! Acme's extension of the Agent Client Protocol: reviews.

#![deny(missing_docs, warnings)]

#[rustfmt::skip]
mod generated;

pub use generated::*;

#[cfg(test)]
mod tests {
    use acp_types::method::Method;
    use acp_types::v1::SessionId;
    use acp_types::{from_str, from_str_reporting, to_string};

    use super::messages::ClientRequest;
    use super::methods::AcmeDevReview;
    use super::{ReviewFocus, ReviewRequest, ReviewResponse};

    #[test]
    fn the_types_read_and_write_like_those_of_the_protocol() {
        let session: SessionId = "session-1".into();
        let request = ReviewRequest::new(session, ["/work/main.rs".to_owned()]).focus(ReviewFocus::Security);
        let json = r#"{"sessionId":"session-1","paths":["/work/main.rs"],"focus":"security"}"#;
        assert_eq!(to_string(&request), json);
        assert_eq!(from_str::<ReviewRequest>(json).unwrap(), request);

        let (later, _) = from_str_reporting::<ReviewRequest>(&json.replace("security", "speed")).unwrap();
        assert_eq!(later.focus, Some(ReviewFocus::Unknown("speed".into())));
        let (odd, report) = from_str_reporting::<ReviewRequest>(&json.replace("\"security\"", "7")).unwrap();
        assert_eq!((odd.focus, report.notes().len()), (None, 1));
        assert_eq!(to_string(&ReviewResponse::new(true)), r#"{"approved":true}"#);
    }

    #[cfg(feature = "schemars")]
    #[test]
    fn the_types_have_a_json_schema() {
        let schema = schemars::schema_for!(ReviewRequest);
        assert_eq!(schema.get("title").unwrap(), "ReviewRequest");
        assert_eq!(schema.pointer("/properties/sessionId/$ref").unwrap(), "#/$defs/v1.SessionId");
        assert_eq!(schema.pointer("/$defs/ReviewFocus/anyOf/0/const").unwrap(), "security");
    }

    #[test]
    fn the_method_is_known_by_its_name() {
        assert_eq!(AcmeDevReview::NAME, "_acme.dev/review");
        let params = acp_json::parse(r#"{"sessionId":"s","paths":[]}"#).unwrap();
        let request = ClientRequest::read(AcmeDevReview::NAME, params).unwrap();
        assert!(matches!(request, ClientRequest::AcmeDevReview(review) if review.paths.is_empty()));
    }
}
