//! The report as people read it.

use std::fmt::Write as _;

use super::change::{Api, Category, Change, Stability, Verb, VersionChanges, Wire};

const VERBS: [Verb; 6] =
    [Verb::Added, Verb::Removed, Verb::Changed, Verb::Promoted, Verb::Demoted, Verb::Renamed];

const CATEGORIES: [Category; 6] = [
    Category::Method,
    Category::Definition,
    Category::Field,
    Category::Variant,
    Category::Presence,
    Category::Hint,
];

const STABILITIES: [Stability; 2] = [Stability::Stable, Stability::Unstable];

const JUDGEMENT: &str = "\
*Wire*: breaking, when a peer of one release refuses or misreads what a peer of the other may send, going by the
schema: members that are not known are ignored, values and kinds that are not known are kept where the schema is open.
*Rust API*: what semantic versioning asks of `acp-types`; nothing is promised about the unstable part. *Renamed* is
a guess: of the same shape, one went and one came.
";

pub(super) fn render(old: &str, new: &str, versions: &[VersionChanges]) -> String {
    let mut text = String::from("# Changes of the schema\n\n");
    let _ = writeln!(
        text,
        "From {old} to {new}. Written by `cargo xtask schema update`; `cargo xtask schema diff` compares with\nany other state.\n"
    );
    summary(&mut text, versions);
    text.push('\n');
    text.push_str(JUDGEMENT);
    for version in versions {
        not_compared(&mut text, version);
        for stability in STABILITIES {
            let changes: Vec<&Change> =
                version.changes.iter().filter(|change| change.stability == stability).collect();
            if !changes.is_empty() {
                let _ = writeln!(text, "\n## {}, {}", version.version, part(stability));
                sections(&mut text, &changes);
            }
        }
    }
    text
}

fn summary(text: &mut String, versions: &[VersionChanges]) {
    text.push_str(
        "| version | part | added | removed | changed | promoted | demoted | renamed? | wire | Rust API |\n",
    );
    text.push_str("|---|---|--:|--:|--:|--:|--:|--:|---|---|\n");
    for version in versions {
        for stability in STABILITIES {
            let changes = || version.changes.iter().filter(|change| change.stability == stability);
            let _ = write!(text, "| {} | {} |", version.version, part(stability));
            for verb in VERBS {
                let _ = write!(text, " {} |", changes().filter(|change| change.verb == verb).count());
            }
            let worst = |judged: Option<&'static str>| judged.unwrap_or("unchanged");
            let _ = writeln!(
                text,
                " {} | {} |",
                worst(changes().map(|change| change.wire).max().map(wire)),
                worst(changes().map(|change| change.api).max().map(api))
            );
        }
    }
}

fn not_compared(text: &mut String, version: &VersionChanges) {
    if version.not_compared.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n## {}, not compared\n", version.version);
    text.push_str("A side of these fits no shape, or lacks a decision of the overlay.\n\n");
    for defect in &version.not_compared {
        let _ = writeln!(text, "- `{}` at `{}`: {}", defect.definition, defect.pointer, defect.message);
    }
}

fn sections(text: &mut String, changes: &[&Change]) {
    for category in CATEGORIES {
        let mut rows = changes.iter().filter(|change| change.category == category).peekable();
        if rows.peek().is_none() {
            continue;
        }
        let _ = writeln!(text, "\n### {}\n\n| | what | how | wire | Rust API |", heading(category));
        text.push_str("|---|---|---|---|---|\n");
        for row in rows {
            let _ = writeln!(
                text,
                "| {} | `{}` | {} | {} | {} |",
                verb(row.verb),
                row.name,
                row.detail.replace('|', "\\|"),
                wire(row.wire),
                api(row.api)
            );
        }
    }
}

fn part(stability: Stability) -> &'static str {
    match stability {
        Stability::Stable => "stable",
        Stability::Unstable => "unstable",
    }
}

fn heading(category: Category) -> &'static str {
    match category {
        Category::Method => "Methods",
        Category::Definition => "Definitions",
        Category::Field => "Fields",
        Category::Variant => "Values and variants",
        Category::Presence => "Presence and defaults",
        Category::Hint => "Rules for readers",
    }
}

fn verb(verb: Verb) -> &'static str {
    match verb {
        Verb::Added => "added",
        Verb::Removed => "removed",
        Verb::Changed => "changed",
        Verb::Promoted => "promoted",
        Verb::Demoted => "demoted",
        Verb::Renamed => "renamed?",
    }
}

fn wire(wire: Wire) -> &'static str {
    match wire {
        Wire::Compatible => "compatible",
        Wire::Breaking => "**breaking**",
    }
}

fn api(api: Api) -> &'static str {
    match api {
        Api::Patch => "patch",
        Api::Minor => "minor",
        Api::Major => "**major**",
    }
}
