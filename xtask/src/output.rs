//! The one frame for everything that is generated: write, check and test share it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// A file as the generator wants it.
#[derive(Debug)]
pub struct Output {
    /// Relative to the workspace's root.
    pub path: PathBuf,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Write what differs, remove what is extra.
    Write,
    /// Fail when anything differs, is missing or is extra.
    Check,
}

/// Brings the generated folders in line with `outputs`, or says how they differ.
///
/// `folders` are owned by the generator: a file in them that is not an output is extra. `command`
/// is what errors tell people to run.
pub fn apply(root: &Path, folders: &[PathBuf], outputs: &[Output], mode: Mode, command: &str) -> Result<()> {
    let (mut stale, mut done) = (Vec::new(), Vec::new());
    for output in outputs {
        let path = root.join(&output.path);
        if fs::read_to_string(&path).is_ok_and(|text| text == output.text) {
            continue;
        }
        stale.push(format!(
            "{} {}",
            if path.exists() { "stale:  " } else { "missing:" },
            output.path.display()
        ));
        if mode == Mode::Write {
            let verb = if path.exists() { "changed" } else { "added  " };
            done.push(format!("{verb} {}", output.path.display()));
            fs::create_dir_all(path.parent().expect("outputs lie in folders"))?;
            fs::write(&path, &output.text).with_context(|| format!("writing {}", path.display()))?;
        }
    }
    let wanted: BTreeSet<&Path> = outputs.iter().map(|output| output.path.as_path()).collect();
    for folder in folders {
        for extra in files_below(&root.join(folder))? {
            let relative = extra.strip_prefix(root)?;
            if !wanted.contains(relative) {
                stale.push(format!("extra:   {}", relative.display()));
                if mode == Mode::Write {
                    done.push(format!("removed {}", relative.display()));
                    fs::remove_file(&extra)?;
                }
            }
        }
    }
    match mode {
        Mode::Write => {
            done.iter().for_each(|line| println!("{line}"));
            println!("{}", summary(outputs.len(), done.len()));
            Ok(())
        }
        Mode::Check if stale.is_empty() => {
            println!("{}", summary(outputs.len(), 0));
            Ok(())
        }
        Mode::Check => bail!("generated files differ; run `{command}`\n{}", stale.join("\n")),
    }
}

/// Says how a successful run ended.
fn summary(files: usize, changes: usize) -> String {
    let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
    match changes {
        0 => format!("{files}, all up to date"),
        1 => format!("{files} up to date after 1 change"),
        _ => format!("{files} up to date after {changes} changes"),
    }
}

/// Lists every file in a folder and the folders in it. A folder that does not exist has none.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if !folder.exists() {
        return Ok(files);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
