//! `cargo xtask conformance`: `acp check` against our examples, other SDKs and real agents
//!
//! The results are data (`docs/conformance/results.json`). The page and the lines of the wire
//! beside it are rendered from them, and from the list of findings that were compared with the
//! specification (`xtask/conformance/verified.toml`).

mod check;
mod leftovers;
mod options;
mod page;
mod results;
mod start;
mod structure;
mod subject;
mod verified;

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, bail};

use self::options::{HELP, Options};
pub use self::page::{contradictions, render};
pub use self::results::{Broken, Checked, Results, Run};
pub use self::subject::{Group, Side};
use self::subject::{Start, Subject};
pub use self::verified::Verified;
use crate::interop::install;
use crate::interop::layout::Layout;
use crate::interop::print::print;
use crate::interop::recipes::Recipes;
use crate::output::{self, Mode, Output};

/// Runs `cargo xtask conformance` with the arguments after `conformance`.
///
/// # Errors
///
/// When our programs do not build, one of them breaks a rule, or a finding has no failure.
pub fn run(args: &[String]) -> anyhow::Result<()> {
    let options = Options::parse(args)?;
    if options.help {
        return print(HELP);
    }
    let root = crate::workspace::root();
    let subjects = subject::all();
    if options.list {
        return subjects.iter().try_for_each(|subject| print(&subject.to_string()));
    }
    if !options.render {
        check_all(&root, &subjects, &options)?;
    }
    generate(&root, Mode::Write)?;
    let wrong = contradictions(&Results::read(&root)?, &Verified::read(&root)?);
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(())
}

/// Writes the page and the lines beside it from the results, or fails if they differ.
///
/// # Errors
///
/// Fails if the results or the list of findings cannot be read, and as [`output::apply`] does.
pub fn generate(root: &Path, mode: Mode) -> anyhow::Result<()> {
    let results = Results::read(root)?;
    let mut outputs = render(&results, &Verified::read(root)?);
    outputs.push(Output { path: results::FILE.into(), text: results.text()? });
    output::apply(root, &[page::FOLDER.into()], &outputs, mode, "cargo xtask conformance --render")
}

fn check_all(root: &Path, subjects: &[Subject], options: &Options) -> anyhow::Result<()> {
    let wanted: Vec<&Subject> =
        subjects.iter().filter(|subject| options.wants(&subject.to_string())).collect();
    if wanted.is_empty() {
        bail!("no subject matches; `cargo xtask conformance --list` shows them");
    }
    let layout = Layout::find()?;
    let recipes = Recipes::find(&layout)?;
    if !options.again {
        install::examples_of_both_versions(&layout).context("our own programs do not build")?;
    }
    for subject in wanted {
        let checked = check(subject, &layout, recipes.as_ref(), options.again)?;
        // Each result is kept at once: a run of all takes long.
        let mut results = Results::read(root)?;
        results.add(checked);
        let place = |id: &str| subjects.iter().position(|subject| subject.id == id);
        results.subjects.retain(|subject| place(&subject.id).is_some());
        results.subjects.sort_by_key(|subject| place(&subject.id));
        let text = results.text()?;
        let path = root.join(results::FILE);
        std::fs::create_dir_all(path.parent().context("the file lies in a folder")?)?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Checks a subject by the rules of each version that it speaks.
fn check(
    subject: &Subject,
    layout: &Layout,
    recipes: Option<&Recipes>,
    again: bool,
) -> anyhow::Result<Checked> {
    let mut checked = Checked {
        id: subject.id.to_owned(),
        group: subject.group,
        side: subject.side,
        package: String::new(),
        not_run: None,
        runs: Vec::new(),
    };
    match start::prepare(subject, layout, recipes) {
        Ok(package) => checked.package = package,
        Err(reason) => {
            // Without folders of this machine.
            let reason = format!("{reason:#}").replace(&layout.root().display().to_string(), ".");
            print(&format!("skip  {subject}: {reason}"))?;
            checked.not_run = Some(reason);
            return Ok(checked);
        }
    }
    for &protocol in subject.versions {
        let started = Instant::now();
        let run = match again {
            true => check::again(subject, protocol, layout),
            false => check::run(subject, protocol, layout, recipes),
        };
        match run {
            Ok(run) => {
                print(&line(subject, &run, started))?;
                checked.runs.push(run);
            }
            // Ours must run.
            Err(error) if matches!(subject.start, Start::Example(..)) => {
                return Err(error.context(format!("{}, version {protocol}", subject.id)));
            }
            Err(error) => {
                print(&format!("skip  {subject}, version {protocol}: {error:#}"))?;
                checked.not_run = Some(format!("version {protocol}: {error:#}"));
            }
        }
    }
    Ok(checked)
}

fn line(subject: &Subject, run: &Run, started: Instant) -> String {
    let warnings = run.broken.iter().filter(|broken| broken.is_warning()).count();
    format!(
        "{subject}, version {}: {} pass, {} fail, {warnings} warn, {} not applicable, {} inconclusive ({:.0} s)",
        run.protocol,
        run.pass.len(),
        run.broken.len() - warnings,
        run.not_applicable.len(),
        run.inconclusive.len(),
        started.elapsed().as_secs_f32(),
    )
}
