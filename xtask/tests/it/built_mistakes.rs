//! Mistakes that the compiler finds when it builds a program, and not when it checks one.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::own_schema::{fresh, in_target_folder};

const MANIFEST: &str = r#"
[package]
name = "built-mistakes"
version = "0.1.0"
edition = "2024"
publish = false

[dependencies]
acp-agent = { path = "{crates}/acp-agent" }
acp-client = { path = "{crates}/acp-client" }

[workspace]
"#;

/// A `Router` with a marker that has the name of a method of the protocol.
const ROUTER: &str = r#"
use {library}::method::{Method, Request, Side};
use {library}::types::{PlanEntry, UsageUpdate};
use {library}::{Result, Router, op};

enum Marker {}

impl Method for Marker {
    const NAME: &'static str = "{method}";
    const HANDLER: Side = Side::{side};
    type Params = PlanEntry;
}

impl Request for Marker {
    type Response = UsageUpdate;
}

async fn handle(_: &(), entry: PlanEntry) -> Result<UsageUpdate> {
    Ok(UsageUpdate::new(entry.content.len() as u64, 100_u64))
}

fn main() {
    let _ = Router::new({arguments}()).on::<op::Request<Marker>, _>(handle);
}
"#;

#[test]
fn a_marker_of_ones_own_does_not_take_a_method_of_the_protocol() {
    let folder = fresh("built_mistakes");
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("crates");
    fs::write(folder.join("Cargo.toml"), MANIFEST.replace("{crates}", crates.to_str().unwrap())).unwrap();
    fs::create_dir_all(folder.join("src/bin")).unwrap();
    let programs = [
        ("agent", "acp_agent", "Agent", "session/prompt", "\"bot\", \"1\", "),
        ("client", "acp_client", "Client", "fs/read_text_file", ""),
    ];
    for (name, library, side, method, arguments) in programs {
        let program =
            ROUTER.replace("{library}", library).replace("{side}", side).replace("{arguments}", arguments);
        for (kind, method) in [("own", "_acme/own"), ("taken", method)] {
            let path = folder.join(format!("src/bin/{name}_{kind}.rs"));
            fs::write(path, program.replace("{method}", method)).unwrap();
        }
        let build = |kind: &str| {
            let program = format!("{name}_{kind}");
            in_target_folder(
                Command::new(env!("CARGO")).args(["build", "--quiet", "--offline", "--bin", &program]),
                &folder,
            )
        };
        let (own, taken) = (build("own"), build("taken"));
        let said = String::from_utf8_lossy(&taken.stderr).into_owned();
        assert!(own.status.success(), "{}", String::from_utf8_lossy(&own.stderr));
        assert!(!taken.status.success(), "{name}");
        assert!(said.contains("the name of an extension method starts with `_`"), "{said}");
    }
}
