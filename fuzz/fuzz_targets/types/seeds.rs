//! The first inputs: a valid value of each kind of message, and the words of the schema.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::cases::CASES;
use crate::instances::Instances;
use crate::shape::Definitions;

/// Names the folder to write `corpus/` and `dictionary` to, instead of fuzzing.
const VARIABLE: &str = "ACP_FUZZ_SEEDS";

/// It stands here because a program of its own would build all dependencies of the target again.
pub(crate) fn write_if_asked() {
    let Some(folder) = std::env::var_os(VARIABLE) else { return };
    write(Path::new(&folder)).unwrap_or_else(|error| panic!("{VARIABLE}: {error}"));
    std::process::exit(0);
}

fn write(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder.join("corpus"))?;
    let mut words = BTreeSet::new();
    for version in ["v1", "v2"] {
        let definitions = definitions(version)?;
        words_of(&Json::Object(definitions.clone()), &mut words);
        let instances = Instances { definitions: &definitions, mixed: true };
        let cases = CASES.iter().enumerate().filter(|(_, case)| case.version == version);
        for (place, case) in cases {
            let choice = u16::try_from(place).map_err(std::io::Error::other)?.to_le_bytes();
            for (index, node) in instances.full(case.definition).iter().enumerate() {
                let json = acp_json::to_string(node);
                let seed = [&choice, json.as_bytes()].concat();
                fs::write(folder.join(format!("corpus/{place:03}-{index}")), seed)?;
            }
        }
    }
    let lines: String = words.iter().map(|word| format!("\"\\\"{word}\\\"\"\n")).collect();
    fs::write(folder.join("dictionary"), lines)
}

fn definitions(version: &str) -> std::io::Result<Definitions> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schema").join(version);
    let text = fs::read_to_string(root.join("schema.unstable.json"))?;
    let mut schema: Json = serde_json::from_str(&text)?;
    match schema["$defs"].take() {
        Json::Object(definitions) => Ok(definitions),
        _ => Err(std::io::Error::other(format!("the schema of {version} has no `$defs`"))),
    }
}

/// Names of members, tags and values of enums. Others are left out: they would need escapes.
fn words_of(schema: &Json, words: &mut BTreeSet<String>) {
    let mut add = |word: &str| {
        if word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-/.".contains(&byte)) {
            words.insert(word.to_owned());
        }
    };
    match schema {
        Json::Object(members) => {
            if let Some(Json::Object(properties)) = members.get("properties") {
                properties.keys().for_each(|name| add(name));
            }
            if let Some(Json::String(word)) = members.get("const") {
                add(word);
            }
            members.values().for_each(|schema| words_of(schema, words));
        }
        Json::Array(items) => items.iter().for_each(|schema| words_of(schema, words)),
        _ => {}
    }
}
