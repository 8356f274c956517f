//! Paths that lead out of a root, for every crate whose files lie below one.

use std::os::unix::fs::symlink;
use std::path::Path;

/// Makes links out of the folder `root` in `around`, and returns paths that lead outside in
/// different ways.
pub(crate) fn ways_out(around: &Path) -> Vec<(&'static str, String)> {
    let root = around.join("root");
    symlink("../secret.txt", root.join("link-out")).unwrap();
    symlink(around.join("secret.txt"), root.join("absolute-link-out")).unwrap();
    symlink("..", root.join("folder-out")).unwrap();
    symlink("folder-out/secret.txt", root.join("chain-out")).unwrap();
    symlink("/proc/self/root", root.join("process-root")).unwrap();
    symlink("circle-b", root.join("circle-a")).unwrap();
    symlink("circle-a", root.join("circle-b")).unwrap();
    let around = around.to_str().unwrap();
    vec![
        ("relative", "notes.txt".into()),
        ("relative with dots", "../secret.txt".into()),
        ("empty", String::new()),
        ("absolute outside", format!("{around}/secret.txt")),
        ("device", "/dev/null".into()),
        ("parent", format!("{around}/root/../secret.txt")),
        ("parent of a folder", format!("{around}/root/sub/../../secret.txt")),
        ("out and in again", format!("{around}/root/../root-twin/secret.txt")),
        ("prefix twin", format!("{around}/root-twin/secret.txt")),
        ("link", format!("{around}/root/link-out")),
        ("absolute link", format!("{around}/root/absolute-link-out")),
        ("folder link", format!("{around}/root/folder-out/secret.txt")),
        ("chain of links", format!("{around}/root/chain-out")),
        ("circle of links", format!("{around}/root/circle-a")),
        ("NUL", format!("{around}/root/notes.txt\0.png")),
        ("long name", format!("{around}/root/{}", "n".repeat(300))),
        ("long path", format!("{around}/root/{}", "n/".repeat(4000))),
        ("link to a link of processes", format!("{around}/root/process-root/etc/passwd")),
        ("through a link and back", format!("{around}/root/folder-out/root/../secret.txt")),
        ("slashes", format!("{around}/root//..//secret.txt")),
        ("current folders", format!("{around}/root/./.././secret.txt")),
        ("hidden name", format!("{around}/.secret.txt")),
        ("directory", format!("{around}/root/sub")),
        ("the root", format!("{around}/root")),
        ("the root with a slash", format!("{around}/root/")),
    ]
}
