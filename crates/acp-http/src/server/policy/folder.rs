//! A folder that a client has named, beside the roots.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// Checks that a folder lies in a root, after links are resolved.
pub(super) fn check(path: &str, roots: &[PathBuf]) -> Result<(), &'static str> {
    let path = Path::new(path);
    if !path.is_absolute() {
        return Err("this path is not absolute");
    }
    let path = resolve(path).ok_or("this path cannot be resolved")?;
    if roots.iter().any(|root| path.starts_with(root)) {
        Ok(())
    } else {
        Err("this folder is not allowed on this server")
    }
}

/// Resolves the links of the part of a path that is there. The rest has none.
fn resolve(path: &Path) -> Option<PathBuf> {
    let mut there = path.to_owned();
    let mut missing: Vec<OsString> = Vec::new();
    loop {
        match fs::canonicalize(&there) {
            Ok(resolved) => {
                return Some(missing.into_iter().rev().fold(resolved, |path, name| path.join(name)));
            }
            // A link that leads nowhere may lead somewhere later.
            Err(error) if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(&there).is_err() => {}
            Err(_) => return None,
        }
        let Some(Component::Normal(name)) = there.components().next_back() else { return None };
        missing.push(name.to_owned());
        there.pop();
    }
}
