//! Every value that the schemas define passes through a chain byte for byte.

use acp_proxy::{Conductor, Next, Pass, Policy, Proxy, Toward};
use serde_json::{Map, Value, json};

use super::common::{End, end, serve};
use super::forwarding::initialized;

/// How deep a value that refers to itself goes.
const DEPTH: usize = 6;

/// The definitions of a schema.
struct Schema(Map<String, Value>);

impl Schema {
    fn load(version: &str) -> Self {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema");
        let text = std::fs::read_to_string(format!("{path}/{version}/schema.unstable.json")).unwrap();
        let mut schema: Value = serde_json::from_str(&text).unwrap();
        match schema["$defs"].take() {
            Value::Object(definitions) => Self(definitions),
            other => panic!("{other}"),
        }
    }

    /// Returns examples of a schema: one for each of its variants, with all members.
    fn examples(&self, schema: &Value, depth: usize) -> Vec<Value> {
        let mut found = vec![self.plain(schema, depth)];
        for word in ["oneOf", "anyOf"] {
            let Some(variants) = schema[word].as_array() else { continue };
            let variants = variants.iter().flat_map(|variant| self.examples(variant, depth));
            let base = found.remove(0);
            found = variants.map(|variant| merged(base.clone(), variant)).collect();
        }
        found
    }

    fn example(&self, schema: &Value, depth: usize) -> Value {
        self.examples(schema, depth).into_iter().next_back().unwrap_or_default()
    }

    fn plain(&self, schema: &Value, depth: usize) -> Value {
        let mut value = schema.get("const").cloned().unwrap_or_default();
        if value.is_null() {
            value = self.typed(schema, depth);
        }
        let name = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/"));
        let referred = name.and_then(|name| self.0.get(name)).filter(|_| depth < DEPTH);
        let parts = schema["allOf"].as_array().into_iter().flatten().chain(referred);
        parts.fold(value, |value, part| merged(value, self.example(part, depth + 1)))
    }

    fn typed(&self, schema: &Value, depth: usize) -> Value {
        let kinds = [&schema["type"], &schema["type"][0]];
        match kinds.into_iter().find_map(Value::as_str) {
            Some("object") => {
                let members = schema["properties"].as_object().into_iter().flatten();
                let members = members.map(|(name, member)| (name.clone(), self.example(member, depth + 1)));
                Value::Object(members.collect())
            }
            Some("array") => json!([self.example(&schema["items"], depth + 1)]),
            Some("string") => json!("Grüße \u{1F642} \"\\\n"),
            Some("integer") => json!(9_007_199_254_740_993_i64),
            Some("number") => json!(0.1),
            Some("boolean") => json!(true),
            _ => Value::Null,
        }
    }
}

/// Returns an object with the members of both, or else the value that says more.
fn merged(base: Value, more: Value) -> Value {
    match (base, more) {
        (Value::Object(mut base), Value::Object(more)) => {
            base.extend(more);
            base.into()
        }
        (base, Value::Null) => base,
        (_, more) => more,
    }
}

/// Writes a value as no serializer of ours would: with spaces, escapes and an unknown member.
fn oddly(value: &Value) -> String {
    let text = value.to_string().replace('ü', "\\u00FC");
    match text.strip_prefix('{') {
        Some("}") => r#"{ "_x":1.0 }"#.to_owned(),
        Some(members) => format!(r#"{{ "_x" : 1.0e0,{members}"#),
        None => format!("[ {text} ]"),
    }
}

/// Sends a text as params, result and `data` of an error, from one side to the other and back.
async fn round(from: &mut End, to: &mut End, method: &str, text: &str) {
    from.send(format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{text}}}"#)).await;
    let line = to.line().await;
    assert!(line.ends_with(&format!(r#""params":{text}}}"#)), "{line} instead of {text}");
    let failed = format!(r#"{{"code":-7,"message":"","data":{text}}}"#);
    for (member, answer) in [("result", text), ("error", failed.as_str())] {
        from.send(format!(r#"{{"jsonrpc":"2.0","id":"i","method":"{method}","params":{text}}}"#)).await;
        let line = to.line().await;
        assert!(line.ends_with(&format!(r#""params":{text}}}"#)), "{line} instead of {text}");
        let id = serde_json::from_str::<Value>(&line).unwrap()["id"].clone();
        to.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{answer}}}"#)).await;
        assert_eq!(from.line().await, format!(r#"{{"jsonrpc":"2.0","id":"i","{member}":{answer}}}"#));
    }
}

/// px-env-02, px-fwd-01: an example of each variant of each definition, stable and unstable, of
/// both versions, as params, result and error, in both directions, through a proxy of this process
/// with handlers, one without, and one that is a process.
#[tokio::test]
async fn every_definition_passes_as_bytes() {
    let handled = |proxy: Proxy, toward| {
        proxy.raw_request(toward, "_handled", async |_, next: Next| next.run().await).raw_notification(
            toward,
            "_handled",
            async |_, pass: Pass| pass.run(),
        )
    };
    let proxy = handled(handled(Proxy::new("p"), Toward::Agent), Toward::Client);
    let process = super::programs::component("proxy", None);
    let (transport, mut agent) = end();
    let conductor = Conductor::new().proxy(proxy).process(process, Policy::Required).proxy(Proxy::new("q"));
    let (mut client, serving) = serve(conductor.agent(transport));
    initialized(&mut client, &mut agent).await;
    for version in ["v1", "v2"] {
        let schema = Schema::load(version);
        let mut count = 0;
        for definition in schema.0.values() {
            for example in schema.examples(definition, 0) {
                let text = oddly(&example);
                round(&mut client, &mut agent, "_handled", &text).await;
                round(&mut agent, &mut client, "_other", &text).await;
                count += 1;
            }
        }
        assert!(count > 250, "only {count} examples of {version}");
    }
    client.close().await;
    serving.await.unwrap().unwrap();
}
