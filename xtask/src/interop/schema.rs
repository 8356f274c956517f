//! The check of our own messages against the schema of the version that was agreed on.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context as _, bail, ensure};
use jsonschema::ValidatorMap;
use serde_json::Value;

use super::wire::{Message, Side, Wire};

/// The part of a schema that a conversation is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Stable,
    /// The whole, for programs that are built with its unstable part.
    Unstable,
}

static SCHEMAS: LazyLock<anyhow::Result<[Schema; 4]>> = LazyLock::new(|| {
    Ok([
        Schema::load(1, Part::Stable)?,
        Schema::load(1, Part::Unstable)?,
        Schema::load(2, Part::Stable)?,
        Schema::load(2, Part::Unstable)?,
    ])
});

/// Checks every message of one side: the envelope, the params and the results. Extensions are not
/// in the schema.
pub(super) fn check(wire: &Wire, ours: Side, part: Part) -> anyhow::Result<()> {
    let mut version = 1;
    for message in &wire.messages {
        // A version holds from the message that names it.
        let named = match message.method() {
            Some("initialize") => message.json.pointer("/params/protocolVersion"),
            Some(_) => None,
            None => message.json.pointer("/result/protocolVersion"),
        };
        version = named.and_then(Value::as_u64).map_or(version, |version| version.clamp(1, 2));
        if message.from == ours {
            let checked = schema(version, part).and_then(|schema| schema.check(wire, message));
            checked.with_context(|| format!("not as schema v{version} has it: {}", message.json))?;
        }
    }
    Ok(())
}

fn schema(version: u64, part: Part) -> anyhow::Result<&'static Schema> {
    let schemas = SCHEMAS.as_ref().map_err(|error| anyhow::anyhow!("{error:#}"))?;
    let found = schemas.iter().find(|schema| schema.version == version && schema.part == part);
    found.with_context(|| format!("there is no schema of version {version}"))
}

struct Schema {
    version: u64,
    part: Part,
    validators: ValidatorMap,
    /// The definitions of params and of results, by the side that serves the method, and by method.
    params: BTreeMap<(String, String), String>,
    results: BTreeMap<(String, String), String>,
}

impl Schema {
    fn load(version: u64, part: Part) -> anyhow::Result<Self> {
        let file = if part == Part::Stable { "schema.json" } else { "schema.unstable.json" };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema");
        let path = root.join(format!("v{version}")).join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let schema: Value = serde_json::from_str(&text)?;
        let validators = jsonschema::validator_map_for(&schema)
            .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        let (mut params, mut results) = (BTreeMap::new(), BTreeMap::new());
        let definitions = schema.get("$defs").and_then(Value::as_object).context("no `$defs`")?;
        for (name, definition) in definitions {
            let text = |member| definition.get(member).and_then(Value::as_str).map(str::to_owned);
            let Some(key) = text("x-side").zip(text("x-method")) else { continue };
            let of_its_kind = if name.ends_with("Response") { &mut results } else { &mut params };
            of_its_kind.insert(key, name.clone());
        }
        Ok(Self { version, part, validators, params, results })
    }

    fn check(&self, wire: &Wire, message: &Message) -> anyhow::Result<()> {
        let json = &message.json;
        ensure!(json.get("jsonrpc") == Some(&"2.0".into()), "it is not JSON-RPC 2.0");
        let known = ["jsonrpc", "id", "method", "params", "result", "error"];
        let unknown =
            json.as_object().into_iter().flatten().find(|(name, _)| !known.contains(&name.as_str()));
        ensure!(unknown.is_none(), "unknown member {unknown:?}");
        if let Some(method) = message.method() {
            let params = json.get("params").unwrap_or(&Value::Null);
            return self.check_as(&self.params, message.from.other(), method, params);
        }
        if let Some(error) = json.get("error") {
            return self.validate("Error", error);
        }
        let result = json.get("result").context("neither a method nor a result nor an error")?;
        let request = wire
            .messages
            .iter()
            .find(|request| wire.answer(request).is_some_and(|answer| std::ptr::eq(answer, message)));
        let method = request.and_then(Message::method).context("an answer to nothing")?;
        self.check_as(&self.results, message.from, method, result)
    }

    /// Checks params or a result. `server` is the side that serves the method.
    fn check_as(
        &self,
        definitions: &BTreeMap<(String, String), String>,
        server: Side,
        method: &str,
        value: &Value,
    ) -> anyhow::Result<()> {
        if method.starts_with('_') {
            return Ok(());
        }
        let key = |side: &str| (side.to_owned(), method.to_owned());
        let found = definitions.get(&key(&server.to_string())).or_else(|| definitions.get(&key("protocol")));
        let Some(definition) = found else { bail!("the {server} has no method `{method}`") };
        self.validate(definition, value)
    }

    fn validate(&self, definition: &str, value: &Value) -> anyhow::Result<()> {
        let validator = self.validators.get(&format!("#/$defs/{definition}"));
        let validator = validator.with_context(|| format!("{definition} does not compile"))?;
        validator.validate(value).map_err(|error| anyhow::anyhow!("{definition}: {error}"))
    }
}
