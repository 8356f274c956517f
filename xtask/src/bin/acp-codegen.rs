//! `acp-codegen <options>`: types for a schema of one's own, outside of this workspace.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool")]

use std::process::ExitCode;

use xtask::codegen::own;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.is_empty() || args.iter().any(|arg| ["help", "--help", "-h"].contains(&arg.as_str())) {
        print!("{}", own::HELP);
        return ExitCode::SUCCESS;
    }
    match own::run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
