//! `acp completions` and `acp man`: texts that are made from the definition of the command line.

use std::path::Path;
use std::{fs, io};

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args;
use crate::commands::page;

/// Returns the completions for a shell: a script that the shell reads.
pub(crate) fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::definition(), "acp", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Writes the man pages into a folder, and returns their paths, one a line. Without a folder it
/// returns the page of `acp` itself.
///
/// # Errors
/// The folder or a page cannot be written.
pub(crate) fn pages(folder: Option<&Path>) -> Result<String, String> {
    let mut definition = args::definition().disable_help_subcommand(true);
    definition.build();
    let Some(folder) = folder else {
        let mut page = Vec::new();
        Man::new(definition).render(&mut page).map_err(|error| error.to_string())?;
        return Ok(String::from_utf8_lossy(&page).into_owned());
    };
    write_all(folder, "man pages", everything(&definition), |command| {
        let mut page = Vec::new();
        let name = format!("{}.1", name_of(command));
        Man::new(command.clone()).title(name_of(command)).render(&mut page)?;
        Ok((name, String::from_utf8_lossy(&page).into_owned()))
    })
}

/// Writes a Markdown page for each command into a folder, and a list of them, and returns their
/// paths, one a line.
///
/// # Errors
/// The folder or a page cannot be written.
pub(crate) fn markdown(folder: &Path) -> Result<String, String> {
    let mut definition = args::definition().disable_help_subcommand(true);
    definition.build();
    write_all(folder, "pages", everything(&definition), |command| {
        let is_root = command.get_name() == definition.get_name();
        let name = if is_root { "README".to_owned() } else { name_of(command) };
        Ok((format!("{name}.md"), page::markdown(command)))
    })
}

/// Returns a command with all commands below it.
fn everything(command: &Command) -> Vec<&Command> {
    std::iter::once(command).chain(command.get_subcommands().flat_map(everything)).collect()
}

/// Returns the name of a command, with those above it: `acp-sessions-list`.
fn name_of(command: &Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_owned()
}

fn write_all(
    folder: &Path,
    kind: &str,
    commands: Vec<&Command>,
    page: impl Fn(&Command) -> io::Result<(String, String)>,
) -> Result<String, String> {
    let failed = |error: io::Error| format!("the {kind} cannot be written to {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let mut written = String::new();
    for command in commands {
        let (name, text) = page(command).map_err(failed)?;
        let file = folder.join(name);
        fs::write(&file, text).map_err(failed)?;
        written.push_str(&format!("{}\n", file.display()));
    }
    Ok(written)
}
