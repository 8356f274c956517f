//! `acp completions` and `acp man`: texts that are made from the definition of the command line.

use std::fs;
use std::path::Path;

use clap_complete::Shell;
use clap_mangen::Man;

use crate::args;

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
    let failed = |error| format!("the man pages cannot be written to {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let commands: Vec<_> = definition.get_subcommands().cloned().collect();
    let mut written = String::new();
    for command in std::iter::once(definition).chain(commands) {
        let page = Man::new(command).generate_to(folder).map_err(failed)?;
        written.push_str(&format!("{}\n", page.display()));
    }
    Ok(written)
}
