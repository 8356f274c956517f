//! The rules as people read them.

use std::fmt::Write as _;

use super::book::{Area, Book, Chapter, Force, Rule};

/// The folder of the pages.
pub const PAGES: &str = "docs/rules";

const HEADER: &str = "<!-- `cargo xtask rules` writes this page from crates/acp-testkit/rules/. -->\n\n";

/// The front page: the chapters with their counts.
#[must_use]
pub fn index(book: &Book) -> String {
    let mut page = format!(
        "{HEADER}# Rule book\n\nThe rules of the protocol in our words. Code, tests and docs name them by their ids.\n\n\
         | chapter | rules | binding | seen on the wire |\n| --- | ---: | ---: | ---: |\n"
    );
    for chapter in &book.chapters {
        let rules: Vec<&Rule> = chapter.areas.iter().flat_map(|area| &area.rules).collect();
        let binding = rules.iter().filter(|rule| rule.force == Force::Binding);
        let seen = binding.clone().filter(|rule| rule.seen.is_some()).count();
        let _ = writeln!(
            page,
            "| [{}]({}.md) | {} | {} | {seen} |",
            chapter.title,
            chapter.name,
            rules.len(),
            binding.count()
        );
    }
    page.push_str(
        "\n*Binding* rules can be broken by somebody; the others permit or explain. The last column counts the binding\n\
         rules of which a breach shows on the wire.\n",
    );
    page
}

/// The page of a chapter. Each rule has an anchor of its id.
#[must_use]
pub fn chapter(chapter: &Chapter) -> String {
    let mut page = format!("{HEADER}# {}\n\n{}\n", chapter.title, chapter.intro);
    for area in &chapter.areas {
        write_area(&mut page, area);
    }
    page
}

fn write_area(page: &mut String, area: &Area) {
    let _ = write!(page, "\n## {}\n\n", area.title);
    if let Some(source) = &area.page {
        let _ = write!(page, "[Specification]({source})\n\n");
    }
    page.push_str("| id | binds | strength | rule | seen |\n| --- | --- | --- | --- | --- |\n");
    for rule in &area.rules {
        let strength = match rule.force {
            Force::Binding => rule.strength.word().to_owned(),
            Force::Informative => format!("{}, informative", rule.strength.word()),
        };
        let _ = writeln!(
            page,
            "| <a id=\"{id}\"></a>`{id}` | {} | {strength} | {} | {} |",
            rule.binds.join(", "),
            cell(&text(rule)),
            cell(rule.seen.as_deref().unwrap_or("*not on the wire*")),
            id = rule.id,
        );
    }
}

fn text(rule: &Rule) -> String {
    let mut text = rule.text.clone();
    if let Some(gate) = &rule.gate {
        let _ = write!(text, " *Only with:* {gate}.");
    }
    if let Some(reason) = &rule.unchecked {
        let _ = write!(text, " *Not checked:* {reason}.");
    }
    if let Some(reason) = &rule.unchecked_of_clients {
        let _ = write!(text, " *Clients are not checked:* {reason}.");
    }
    if let Some(others) = &rule.others {
        let _ = write!(text, " *Others:* {others}");
    }
    text
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
