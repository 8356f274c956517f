//! `cargo xtask <command>`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool")]

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask codegen [--check]        write the generated code, or fail when a file is stale, missing or extra
cargo xtask codegen --schema <file> [--overlay <file>] [--docs <folder>] --out <folder> [--check]
                                     the same for a schema of your own, as `acp-codegen` does
cargo xtask schema update …          import the canonical schemas: --npm <version> | --dir <folder> | --file <file>
cargo xtask schema diff …            report what changed since: <git revision> | --dir <folder>; --write keeps it
cargo xtask schema replay            import, generate and compile the releases of the past, one after the other
cargo xtask schema check             compare schema/ with the hashes in schema/UPSTREAM.toml
cargo xtask schema missing-docs      list what has no wording in schema/docs/ yet
cargo xtask rules [--check]          write docs/rules/ from crates/acp-testkit/rules/, and which of them lack a test
cargo xtask floors [--imports] [crate…]
                                     print which folder of a crate stands on which, circles of files, and what is wrong
cargo xtask map [--check]            write docs/MAP.md and the floors in docs/ARCHITECTURE.md
cargo xtask roundtrip [--transcripts <folder>]
                                     decode and re-encode the values on stdin, or recorded traffic
cargo xtask interop [--list] [--only <text>] [--write] [--require] [--keep-logs]
                                     run our agents and client against other implementations
cargo xtask interop conformance [--only <text>] [--write]
                                     run the public conformance tool of MCP against acp-mcp
cargo xtask interop mcp [--only <text>] [--write]
                                     run acp-mcp with real MCP servers, over stdio and HTTP
cargo xtask conformance [--list] [--only <text>] [--render]
                                     run `acp check` against our examples, other SDKs and real agents, and write
                                     docs/CONFORMANCE.md
cargo xtask start                    measure the start of `acp --help` beside an empty program, and the size of `acp`
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) =
        args.split_first().map_or(("help", &[][..]), |(first, rest)| (first.as_str(), rest));
    let result = match command {
        "codegen" => xtask::codegen::run(rest),
        "schema" => xtask::releases::run(rest),
        "rules" => xtask::rules::run(rest),
        "floors" => xtask::floors::run(rest),
        "map" => xtask::map::run(rest),
        "roundtrip" => xtask::roundtrip::run(rest),
        "interop" => xtask::interop::run(rest),
        "start" => xtask::start::run(rest),
        "conformance" => xtask::conformance::run(rest),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        other => Err(anyhow::anyhow!("there is no command `{other}`; `cargo xtask help` lists them")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
