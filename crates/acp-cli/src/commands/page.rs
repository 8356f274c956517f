//! The Markdown page of a command.

use clap::{Arg, Command};

/// Returns the page of a command, made from the definition that `--help` is made from.
pub(super) fn markdown(command: &Command) -> String {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let usage: Vec<&str> = usage.lines().map(str::trim).collect();
    let mut page = format!("# `{name}`\n\n<!-- `acp man --markdown docs/cli` writes this page. -->\n\n");
    page.push_str(&format!("{}.\n\n```text\n{}\n```\n", about(command), usage.join("\n")));
    let commands: Vec<&Command> =
        command.get_subcommands().filter(|command| !command.is_hide_set()).collect();
    if !commands.is_empty() {
        page.push_str("\n## Commands\n\n");
    }
    for command in commands {
        let file = command.get_display_name().unwrap_or(command.get_name());
        let name = command.get_bin_name().unwrap_or(command.get_name());
        page.push_str(&format!("* [`{name}`]({file}.md): {}\n", about(command)));
    }
    let (named, placed): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(|arg| !arg.is_hide_set()).partition(|arg| !arg.is_positional());
    for (heading, args) in [("Arguments", placed), ("Options", named)] {
        if !args.is_empty() {
            page.push_str(&format!("\n## {heading}\n\n"));
        }
        args.into_iter().for_each(|arg| page.push_str(&item(arg)));
    }
    if let Some(after) = command.get_after_help() {
        after_help(&mut page, &after.to_string());
    }
    page
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}

/// Returns the item of an argument in a list.
fn item(arg: &Arg) -> String {
    let value = arg.get_value_names().map(|names| names.join(" ")).unwrap_or_default();
    let takes_value = arg.get_action().takes_values();
    let mut names = Vec::new();
    names.extend(arg.get_short().map(|short| format!("-{short}")));
    names.extend(arg.get_long().map(|long| format!("--{long}")));
    let mut shown = names.join("`, `");
    if takes_value {
        shown = if shown.is_empty() { value } else { format!("{shown} {value}") };
    }
    let help = arg.get_help().map(|help| format!(": {help}")).unwrap_or_default();
    format!("* `{shown}`{}\n", escaped(&help))
}

/// Keeps a page from reading words of a help as HTML or links.
fn escaped(help: &str) -> String {
    help.replace('<', "\\<").replace("[default", "\\[default")
}

/// Writes the paragraphs under the options. Those that are set as a block stay one.
fn after_help(page: &mut String, after: &str) {
    for paragraph in after.split("\n\n") {
        match paragraph.split_once('\n') {
            Some((title, block)) if title.ends_with(':') => {
                let mut name = title.trim_end_matches(':').to_owned();
                if let Some(first) = name.get_mut(..1) {
                    first.make_ascii_uppercase();
                }
                page.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", unindented(block)));
            }
            _ => page.push_str(&format!("\n{paragraph}\n")),
        }
    }
}

fn unindented(block: &str) -> String {
    block.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
}
