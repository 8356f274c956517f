//! `docs/CONFORMANCE.md`, and the lines of the wire beside it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::json;

use super::results::{Broken, Checked, FILE, Results, Run};
use super::subject::Group;
use super::verified::Verified;
use crate::interop::table::{plain, row};
use crate::output::Output;

/// The page, below the root of the project.
pub(super) const PAGE: &str = "docs/CONFORMANCE.md";

/// The folder of the lines and the results, below the root of the project.
pub(super) const FOLDER: &str = "docs/conformance";

const HEAD: &str = "\
# Conformance

Verdicts of [`acp check`](check/README.md) about our examples, about agents and clients that are built on other SDKs, and
about real agents. `cargo xtask conformance` runs the checks and writes this page; `cargo xtask conformance --render` writes
it again from [the results](conformance/results.json). A row tells who was checked, in which version, and when.

**Method.** Each program runs as it does for its users, over stdin and stdout, and each rule of the [rule
book](rules/README.md) that shows on the wire is judged ([how](check/README.md)). Real agents run without a network, beside [a
stand-in for their model](check/MODEL_STUB.md). The programs on other SDKs are the scripted ones of [the
interoperation tests](INTEROP.md), where the SDK has no example. A verdict that such a script decides, and not the SDK, counts
as not applicable, and the end of this page lists it. Some of our examples never ask for permission, have no turn that lasts, or
never cancel one. Their checks are told so by `--never`, and rules about that do not apply. Rules about permissions and about
cancelling stay open if the program does the thing after all.

**States.** *pass*: the rule was seen to be kept. *fail*: a MUST was seen to be broken, or a definition by a program of ours.
*warn*: a SHOULD was. *differs*: a program of others does not do what the schemas and the official implementations do, such as
another code of an error, where no sentence of the specification says MUST or SHOULD. *not applicable*: the program does not
offer the thing, or has said nothing of its kind. *inconclusive*: the step was never reached. A breach of a MUST or SHOULD by a
program of others is printed after somebody has compared it with the text of the specification. Until then it counts as
inconclusive here, and only the results have it.

A breach has its lines of the wire: their structure, with words of the protocol. Other texts are numbered, and the content
of opaque members is left out.
";

/// Builds the page and the files of lines.
#[must_use]
pub fn render(results: &Results, verified: &Verified) -> Vec<Output> {
    let view = View { results, verified };
    let mut outputs = vec![Output { path: PAGE.into(), text: view.page() }];
    for (subject, run) in view.runs() {
        let lines: String = view.shown(subject, run).map(|(broken, _)| lines(broken)).collect();
        if !lines.is_empty() {
            let path = PathBuf::from(FOLDER).join(format!("{}.ndjson", name(subject, run)));
            outputs.push(Output { path, text: lines });
        }
    }
    outputs
}

fn name(subject: &Checked, run: &Run) -> String {
    format!("{}-v{}", subject.id, run.protocol)
}

fn lines(broken: &Broken) -> String {
    let line = |seen: &super::results::Seen| {
        let line = json!({
            "rule": broken.id, "number": seen.number, "from": seen.from, "message": seen.message,
        });
        format!("{line}\n")
    };
    broken.lines.iter().map(line).collect()
}

/// The part that a failure has in the page.
enum Class<'a> {
    /// It is shown with this sentence.
    Breach(&'a str),
    Differs,
    Dismissed,
    /// Nobody has compared it with the specification yet.
    Hidden,
}

struct View<'a> {
    results: &'a Results,
    verified: &'a Verified,
}

impl<'a> View<'a> {
    fn runs(&self) -> impl Iterator<Item = (&'a Checked, &'a Run)> {
        self.results.subjects.iter().flat_map(|subject| subject.runs.iter().map(move |run| (subject, run)))
    }

    fn class(&self, subject: &Checked, broken: &'a Broken) -> Class<'a> {
        if self.verified.is_dismissed(&subject.id, &broken.id) {
            Class::Dismissed
        } else if subject.group == Group::Ours {
            // We may accuse ourselves.
            Class::Breach(&broken.reason)
        } else if let Some(sentence) = self.verified.sentence(&subject.id, &broken.id) {
            Class::Breach(sentence)
        } else if broken.strength == "fact" {
            Class::Differs
        } else {
            Class::Hidden
        }
    }

    /// The breaches that the page shows, each with the sentence about it.
    fn shown(&self, subject: &'a Checked, run: &'a Run) -> impl Iterator<Item = (&'a Broken, &'a str)> {
        run.broken.iter().filter_map(move |broken| match self.class(subject, broken) {
            Class::Breach(sentence) => Some((broken, sentence)),
            _ => None,
        })
    }

    /// The facts with which a program does not agree.
    fn differing(&self, subject: &'a Checked, run: &'a Run) -> impl Iterator<Item = &'a Broken> {
        run.broken.iter().filter(move |broken| matches!(self.class(subject, broken), Class::Differs))
    }

    fn page(&self) -> String {
        let mut page = HEAD.to_owned();
        let groups = [
            (Group::Ours, "Our examples"),
            (Group::Sdk, "Agents and clients on other SDKs"),
            (Group::Real, "Real agents"),
        ];
        for (group, title) in groups {
            let _ = write!(page, "\n## {title}\n\n");
            self.summary(&mut page, group);
            self.not_run(&mut page, group);
        }
        self.by_rule(&mut page);
        self.breaches(&mut page);
        self.differences(&mut page);
        self.dismissed(&mut page);
        page
    }

    fn summary(&self, page: &mut String, group: Group) {
        let columns = [
            "side",
            "package",
            "version",
            "pass",
            "fail",
            "warn",
            "differs",
            "not applicable",
            "inconclusive",
            "date",
        ];
        let runs: Vec<_> = self.runs().filter(|(subject, _)| subject.group == group).collect();
        if runs.is_empty() {
            return;
        }
        row(page, "program", columns.iter().map(|&title| title.to_owned()));
        row(page, "---", columns.iter().map(|_| "---".to_owned()));
        for (subject, run) in runs {
            let (warnings, failures): (Vec<_>, Vec<_>) =
                self.shown(subject, run).partition(|(broken, _)| broken.is_warning());
            let differs = self.differing(subject, run).count();
            let is = |wanted: fn(&Class<'_>) -> bool| {
                run.broken.iter().filter(|broken| wanted(&self.class(subject, broken))).count()
            };
            let counts = [
                run.pass.len(),
                failures.len(),
                warnings.len(),
                differs,
                run.not_applicable.len() + is(|class| matches!(class, Class::Dismissed)),
                run.inconclusive.len() + is(|class| matches!(class, Class::Hidden)),
            ];
            let mut cells =
                vec![subject.side.word().to_owned(), subject.package.clone(), run.protocol.to_string()];
            cells.extend(counts.iter().map(usize::to_string));
            cells.push(run.date.clone());
            row(page, &format!("`{}`", subject.id), cells.into_iter());
        }
    }

    fn not_run(&self, page: &mut String, group: Group) {
        let not_run = self.results.subjects.iter().filter(|subject| subject.group == group);
        let not_run: Vec<_> =
            not_run.filter_map(|subject| Some((&subject.id, subject.not_run.as_ref()?))).collect();
        if !not_run.is_empty() {
            page.push_str("\nNot run:\n\n");
        }
        for (id, reason) in not_run {
            let _ = writeln!(page, "- `{id}`: {}.", plain(reason));
        }
    }

    fn by_rule(&self, page: &mut String) {
        let mut rules = Rules::new();
        for (subject, run) in self.runs() {
            self.shown(subject, run).for_each(|(broken, _)| note(&mut rules, broken, subject));
        }
        page.push_str("\n## Rules that somebody breaks\n\n");
        if rules.is_empty() {
            page.push_str("None.\n");
            return;
        }
        row(page, "rule", ["strength", "sentence", "broken by"].into_iter().map(str::to_owned));
        row(page, "---", ["---"; 3].into_iter().map(str::to_owned));
        for (id, (broken, subjects)) in rules {
            let cells = [broken.strength.clone(), plain(&broken.text), subjects.join(", ")];
            row(page, &link(id), cells.into_iter());
        }
    }

    fn differences(&self, page: &mut String) {
        let mut rules = Rules::new();
        for (subject, run) in self.runs() {
            self.differing(subject, run).for_each(|broken| note(&mut rules, broken, subject));
        }
        if rules.is_empty() {
            return;
        }
        page.push_str("\n## Where programs differ\n\n");
        row(page, "fact", ["sentence", "done otherwise by"].into_iter().map(str::to_owned));
        row(page, "---", ["---"; 2].into_iter().map(str::to_owned));
        for (id, (broken, subjects)) in rules {
            row(page, &link(id), [plain(&broken.text), subjects.join(", ")].into_iter());
        }
    }

    fn dismissed(&self, page: &mut String) {
        let mut dismissals = self.verified.dismissals().peekable();
        if dismissals.peek().is_none() {
            return;
        }
        page.push_str("\n## Not counted\n\n");
        row(page, "rule", ["of", "reason"].into_iter().map(str::to_owned));
        row(page, "---", ["---"; 2].into_iter().map(str::to_owned));
        for (rule, subjects, reason) in dismissals {
            let subjects: Vec<_> = subjects.iter().map(|subject| format!("`{subject}`")).collect();
            row(page, &link(rule), [subjects.join(", "), plain(reason)].into_iter());
        }
    }

    fn breaches(&self, page: &mut String) {
        page.push_str("\n## What was seen\n");
        let mut is_empty = true;
        for (subject, run) in self.runs() {
            let shown: Vec<_> = self.shown(subject, run).collect();
            if shown.is_empty() {
                continue;
            }
            is_empty = false;
            let file = format!("conformance/{}.ndjson", name(subject, run));
            let _ = write!(
                page,
                "\n### {}, version {}\n\n[Lines of the wire]({file})\n\n",
                subject.id, run.protocol
            );
            for (broken, sentence) in shown {
                let word = if broken.is_warning() { "warn" } else { "fail" };
                let _ = writeln!(
                    page,
                    "- {} ({word}), {}: {}",
                    link(&broken.id),
                    broken.scenario,
                    plain(sentence)
                );
            }
        }
        if is_empty {
            page.push_str("\nNo breach.\n");
        }
    }
}

/// The rules by id, each with an example of a failure and the names of all who failed.
type Rules<'a> = BTreeMap<&'a str, (&'a Broken, Vec<String>)>;

fn note<'a>(rules: &mut Rules<'a>, broken: &'a Broken, subject: &Checked) {
    let subjects = &mut rules.entry(&broken.id).or_insert_with(|| (broken, Vec::new())).1;
    let name = format!("`{}`", subject.id);
    // It may have failed in both versions of the protocol.
    if subjects.last() != Some(&name) {
        subjects.push(name);
    }
}

fn link(id: &str) -> String {
    let page = id.split('-').next().unwrap_or_default();
    format!("[`{id}`](rules/{page}.md#{id})")
}

/// Returns what the results and the list of findings say of each other that is not so.
///
/// The list may be about more versions of a subject than one.
#[must_use]
pub fn contradictions(results: &Results, verified: &Verified) -> Vec<String> {
    let of = |id: &str| results.subjects.iter().find(|subject| subject.id == id);
    let is_broken = |subject: &str, rule: &str| {
        of(subject).is_some_and(|subject| {
            subject.runs.iter().flat_map(|run| &run.broken).any(|broken| broken.id == rule)
        })
    };
    let mut wrong: Vec<String> = verified.stale(is_broken);
    for subject in results.subjects.iter().filter(|subject| subject.group == Group::Ours) {
        for run in &subject.runs {
            wrong.extend(run.broken.iter().map(|broken| {
                format!(
                    "{} of our own {}, version {}: {}",
                    broken.id, subject.id, run.protocol, broken.reason
                )
            }));
        }
    }
    if results.format != 1 {
        wrong.push(format!("{FILE} has the unknown form {}", results.format));
    }
    wrong
}
