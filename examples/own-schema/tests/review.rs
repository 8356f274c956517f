//! The types as JSON, and the method as a client calls it.

use acme_acp::messages::ClientRequest;
use acme_acp::methods::AcmeDevReview;
use acme_acp::{ReviewFocus, ReviewRequest, ReviewResponse, Reviewer};
use acp_agent::Transport;
use acp_types::method::Method as _;
use acp_types::v1::SessionId;
use acp_types::{from_str, from_str_reporting, to_string};

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

#[test]
fn the_method_is_known_by_its_name() {
    assert_eq!(AcmeDevReview::NAME, "_acme.dev/review");
    let params = acp_json::parse(r#"{"sessionId":"s","paths":[]}"#).unwrap();
    let request = ClientRequest::read(AcmeDevReview::NAME, params).unwrap();
    assert!(matches!(request, ClientRequest::AcmeDevReview(review) if review.paths.is_empty()));
}

#[tokio::test]
async fn a_client_asks_for_reviews() {
    let (ours, theirs) = Transport::duplex();
    let serving = tokio::spawn(acp_agent::serve(Reviewer, ours));
    let agent = acp_client::connect(theirs).await.unwrap();
    let session = agent.new_session("/work").await.unwrap();
    let review = |paths: &[&str]| {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        ReviewRequest::new(session.id().clone(), paths)
    };

    let fine: ReviewResponse =
        agent.ext_request(AcmeDevReview::NAME, &review(&["/work/main.rs"])).await.unwrap();
    assert!(fine.approved && fine.remarks.is_empty());
    let secret = review(&["/work/main.rs", "/work/me.key"]);
    let refused: ReviewResponse = agent.ext_request(AcmeDevReview::NAME, &secret).await.unwrap();
    assert_eq!(
        (refused.approved, refused.remarks.as_slice()),
        (false, &["/work/me.key is a secret".to_owned()][..])
    );
    let error = agent.ext_request::<ReviewResponse>(AcmeDevReview::NAME, &review(&[])).await.unwrap_err();
    assert!(error.to_string().contains("nothing to review"), "{error}");

    agent.close().await;
    serving.await.unwrap().unwrap();
}

#[cfg(feature = "schemars")]
#[test]
fn the_types_have_a_json_schema() {
    let schema = schemars::schema_for!(ReviewRequest);
    assert_eq!(schema.get("title").unwrap(), "ReviewRequest");
    assert_eq!(schema.pointer("/properties/sessionId/$ref").unwrap(), "#/$defs/v1.SessionId");
    assert_eq!(schema.pointer("/$defs/ReviewFocus/anyOf/0/const").unwrap(), "security");
}
