//! Prompts, resources, templates of resources and completions.

use acp_mcp::rmcp::model::{
    ArgumentInfo, CompleteRequestParams, GetPromptRequestParams, GetPromptResult, ReadResourceResult,
    Reference,
};
use acp_mcp::{ElicitRequest, Elicitation, ElicitationModes, McpError, Server};
use acp_types::v1::{ElicitationAcceptAction, ElicitationAction, ElicitationContentValue};
use serde_json::{Value, json};

use super::place::{Binding, Place};

super::cases! {
    every_list_comes_whole_in_both_eras
    what_is_got_and_read_and_completed_in_both_eras
    d14_mcp_neg_14_what_was_not_declared_is_refused_before_anything_is_sent
    mcp_neg_15_a_missing_resource_is_said_in_each_era_by_its_own_code
    mcp_neg_12_mcp_neg_22_a_result_of_another_type_is_none
    mcp_neg_12_a_result_without_a_type_is_complete
    a_modern_server_asks_before_it_answers
    lists_without_end_are_not_taken_in
}

const ERAS: [&str; 2] = ["modern", "legacy"];

pub fn prompt(name: &str) -> GetPromptRequestParams {
    let arguments = json!({ "who": "world" }).as_object().unwrap().clone();
    GetPromptRequestParams::new(name).with_arguments(arguments)
}

pub fn words(result: &GetPromptResult) -> String {
    let messages = serde_json::to_value(&result.messages).unwrap();
    messages[0]["content"]["text"].as_str().unwrap_or_default().to_owned()
}

pub fn contents(result: &ReadResourceResult) -> String {
    let contents = serde_json::to_value(&result.contents).unwrap();
    contents[0]["text"].as_str().unwrap_or_default().to_owned()
}

fn completion() -> CompleteRequestParams {
    CompleteRequestParams::new(Reference::for_prompt("p0"), ArgumentInfo::new("who", "w"))
}

/// Returns the names in a list, or the reason why it failed.
async fn listed(server: &Server, list: &str) -> Result<Vec<String>, McpError> {
    Ok(match list {
        "prompts/list" => server.list_prompts().await?.into_iter().map(|prompt| prompt.name).collect(),
        "resources/list" => {
            server.list_resources().await?.into_iter().map(|resource| resource.name).collect()
        }
        _ => server.list_resource_templates().await?.into_iter().map(|template| template.name).collect(),
    })
}

const LISTS: [(&str, &str); 3] =
    [("prompts/list", "p"), ("resources/list", "r"), ("resources/templates/list", "t")];

async fn every_list_comes_whole_in_both_eras(binding: Binding) {
    for era in ERAS {
        let place = Place::new(binding, json!({ "era": era, "pages": [3, 2] })).await;
        let (session, server) = place.server().await;
        for (method, letter) in LISTS {
            let expected: Vec<_> = (0..6).map(|at| format!("{letter}{at}")).collect();
            assert_eq!(listed(&server, method).await.unwrap(), expected, "{era} {method}");
            let messages = place.messages();
            let asked = messages.iter().filter(|message| message["method"] == method);
            let cursors: Vec<_> = asked.map(|message| message["params"]["cursor"].clone()).collect();
            assert_eq!(cursors, [Value::Null, json!("1"), json!("2")], "{era} {method}");
        }
        session.shutdown().await;
    }
}

async fn what_is_got_and_read_and_completed_in_both_eras(binding: Binding) {
    for era in ERAS {
        let place = Place::new(binding, json!({ "era": era })).await;
        let (session, server) = place.server().await;
        assert_eq!(words(&server.get_prompt(prompt("p0")).await.unwrap()), "world", "{era}");
        assert_eq!(contents(&server.read_resource("x:1").await.unwrap()), "the text of x:1", "{era}");
        assert_eq!(server.complete(completion()).await.unwrap().completion.values, ["w1", "w2"], "{era}");
        let refused = server.get_prompt(prompt("missing")).await.unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the server answered `prompts/get` with error -32602: scripted",
            "{era}"
        );
        session.shutdown().await;
    }
}

async fn d14_mcp_neg_14_what_was_not_declared_is_refused_before_anything_is_sent(binding: Binding) {
    for era in ERAS {
        let place = Place::new(binding, json!({ "era": era, "capabilities": { "resources": {} } })).await;
        let session = place.connect().await;
        let server = session.server("fake").unwrap();
        let info = server.info().unwrap();
        assert!(info.supports_resources() && !info.supports_resource_subscribe(), "{era}");
        assert!(!info.supports_tools() && !info.supports_prompts() && !info.supports_completions(), "{era}");
        // It comes after everything that the session sends by itself.
        server.read_resource("x:1").await.unwrap();
        let sent = place.log().len();
        let not = |capability| Some(McpError::NotSupported { capability });
        assert_eq!(server.list_prompts().await.err(), not("prompts"), "{era}");
        assert_eq!(server.get_prompt(prompt("p0")).await.err(), not("prompts"), "{era}");
        assert_eq!(server.complete(completion()).await.err(), not("completions"), "{era}");
        assert_eq!(
            server.on_resource_updated("x:1", |_| ()).await.err(),
            not("resources.subscribe"),
            "{era}"
        );
        server.read_resource("x:1").await.unwrap();
        assert_eq!(place.log()[sent..], ["resources/read"], "{era}");
        session.shutdown().await;
        let place = Place::new(binding, json!({ "era": era, "capabilities": {} })).await;
        let session = place.connect().await;
        let server = session.server("fake").unwrap();
        for (method, _) in &LISTS[1..] {
            assert_eq!(listed(&server, method).await.err(), not("resources"), "{era} {method}");
        }
        assert_eq!(server.read_resource("x:1").await.err(), not("resources"), "{era}");
        session.shutdown().await;
    }
}

async fn mcp_neg_15_a_missing_resource_is_said_in_each_era_by_its_own_code(binding: Binding) {
    for (era, uri, expected) in [
        ("modern", "x:missing", "the server has no resource `x:missing`"),
        ("legacy", "x:missing", "the server has no resource `x:missing`"),
        // A legacy server need not name the resource. In a modern one the code has no meaning.
        ("legacy", "x:not-said", "the server has no resource `x:not-said`"),
        ("modern", "x:not-said", "the server answered `resources/read` with error -32002: scripted"),
        // Something else is wrong with the request.
        ("modern", "x:refused", "the server answered `resources/read` with error -32602: scripted"),
        ("legacy", "x:refused", "the server answered `resources/read` with error -32602: scripted"),
    ] {
        let place = Place::new(binding, json!({ "era": era })).await;
        let (session, server) = place.server().await;
        let error = server.read_resource(uri).await.unwrap_err();
        assert_eq!(error.to_string(), expected, "{era} {uri}");
        assert_eq!(
            matches!(error, McpError::ResourceNotFound { .. }),
            expected.contains("no resource"),
            "{era}"
        );
        session.shutdown().await;
    }
}

async fn mcp_neg_12_mcp_neg_22_a_result_of_another_type_is_none(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "modern" })).await;
    let (session, server) = place.server().await;
    let other = "is not valid: its `resultType` was not agreed on";
    let error = server.get_prompt(prompt("odd")).await.unwrap_err();
    assert_eq!(error.to_string(), format!("the server's answer to `prompts/get` {other}"));
    let error = session.call_tool("fake__odd", Value::Null, Default::default()).await.unwrap_err();
    assert_eq!(error.to_string(), format!("the server's answer to `tools/call` {other}"));
    session.shutdown().await;
}

async fn mcp_neg_12_a_result_without_a_type_is_complete(binding: Binding) {
    for era in ERAS {
        let place = Place::new(binding, json!({ "era": era })).await;
        let (session, server) = place.server().await;
        assert_eq!(server.get_prompt(prompt("old")).await.unwrap().messages, [], "{era}");
        session.shutdown().await;
    }
}

struct Answers;

impl Elicitation for Answers {
    fn modes(&self) -> ElicitationModes {
        ElicitationModes::new(true, false)
    }

    fn elicit(&self, _: ElicitRequest) -> futures_util::future::BoxFuture<'_, ElicitationAction> {
        let content: acp_json::Map<ElicitationContentValue> =
            acp_json::from_str(r#"{"name":"Ada"}"#).unwrap();
        Box::pin(async { ElicitationAction::Accept(ElicitationAcceptAction::new().content(content)) })
    }
}

async fn a_modern_server_asks_before_it_answers(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "modern" })).await;
    let session = place.builder().elicitation(Answers).connect_all(&[place.entry()]).await;
    let server = session.server("fake").unwrap();
    assert_eq!(words(&server.get_prompt(prompt("ask")).await.unwrap()), "Ada");
    assert_eq!(contents(&server.read_resource("x:ask").await.unwrap()), "Ada");
    // A server that asks again and again is given up.
    let asked = place.count("prompts/get");
    let error = server.get_prompt(prompt("nosy")).await.unwrap_err();
    let again = "the server's answer to `prompts/get` is not valid: it asks for input too often";
    assert_eq!((error.to_string().as_str(), place.count("prompts/get") - asked), (again, 10));
    session.shutdown().await;
    let (session, server) = place.server().await;
    for error in [server.get_prompt(prompt("ask")).await.err(), server.read_resource("x:ask").await.err()] {
        assert!(matches!(error, Some(McpError::MissingClientCapability { .. })), "{error:?}");
    }
    session.shutdown().await;
}

async fn lists_without_end_are_not_taken_in(binding: Binding) {
    for (pages, expected) in [
        (json!([200, 1]), Ok(200)),
        (json!([201, 1]), Err("it has more than 200 pages")),
        (json!([3, 5000]), Err("it has more than 10000 entries")),
    ] {
        let place = Place::new(
            binding,
            json!({ "era": "modern", "pages": pages, "capabilities":
            { "prompts": {}, "resources": {} } }),
        )
        .await;
        let session = place.connect().await;
        let server = session.server("fake").unwrap();
        for (method, _) in LISTS {
            let listed = listed(&server, method).await;
            let expected = expected
                .map_err(|problem| format!("the server's answer to `{method}` is not valid: {problem}"));
            assert_eq!(
                listed.map(|names| names.len()).map_err(|error| error.to_string()),
                expected,
                "{pages}"
            );
        }
        session.shutdown().await;
    }
}
