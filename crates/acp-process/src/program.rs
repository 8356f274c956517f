//! Windows: the file that the name of a program stands for.

/// The extensions that the system can start, of all that `PATHEXT` may name.
const STARTABLE: [&str; 4] = [".com", ".exe", ".bat", ".cmd"];

/// Finds a program in the folders of `path`, under its name or with one of `extensions` added, in
/// their order.
///
/// The current folder is not searched. A name that has a folder is looked for there only.
pub(crate) fn find(
    program: &str,
    path: Option<&str>,
    extensions: Option<&str>,
    is_file: impl Fn(&str) -> bool,
) -> Option<String> {
    let extensions: Vec<&str> = match extensions.filter(|extensions| !extensions.trim().is_empty()) {
        Some(extensions) => extensions.split(';').map(str::trim).filter(|end| is_startable(end)).collect(),
        None => STARTABLE.to_vec(),
    };
    // A wrapper without an extension is for the shells of unix, and cannot be started.
    let as_it_is = STARTABLE.iter().any(|end| ends_with(program, end));
    let names: Vec<String> = as_it_is
        .then(|| program.to_owned())
        .into_iter()
        .chain(extensions.iter().map(|end| format!("{program}{}", end.to_ascii_lowercase())))
        .collect();
    if program.contains(['\\', '/', ':']) {
        return names.into_iter().find(|name| is_file(name));
    }
    folders(path?).iter().find_map(|folder| {
        let separator = if folder.ends_with(['\\', '/']) { "" } else { "\\" };
        names.iter().map(|name| format!("{folder}{separator}{name}")).find(|file| is_file(file))
    })
}

/// Returns true for the name of a batch file. The system starts a shell for it, which looks for the
/// file.
#[cfg(windows)]
pub(crate) fn is_batch_file(program: &str) -> bool {
    [".bat", ".cmd"].iter().any(|end| ends_with(program, end))
}

fn is_startable(extension: &str) -> bool {
    STARTABLE.iter().any(|end| end.eq_ignore_ascii_case(extension))
}

fn ends_with(name: &str, end: &str) -> bool {
    name.len()
        .checked_sub(end.len())
        .and_then(|at| name.get(at..))
        .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

/// The folders of a `PATH`: parted by `;`, which loses its meaning between quotes.
fn folders(path: &str) -> Vec<String> {
    let (mut folders, mut folder, mut quoted) = (Vec::new(), String::new(), false);
    for character in path.chars() {
        match character {
            '"' => quoted = !quoted,
            ';' if !quoted => folders.push(std::mem::take(&mut folder)),
            _ => folder.push(character),
        }
    }
    folders.push(folder);
    folders.retain(|folder| !folder.is_empty());
    folders
}

#[cfg(test)]
mod tests {
    use super::find;

    const PATH: &str = r#""C:\odd;name";;C:\node\;C:\bin"#;
    const FILES: &[&str] = &[
        r"C:\node\npx",
        r"C:\node\npx.cmd",
        r"C:\node\agent.js",
        r"C:\bin\npx.exe",
        r"C:\bin\agent.cmd",
        r"C:\bin\agent.bat",
        r"C:\bin\agent-1.2.exe",
        r"C:\odd;name\odd.exe",
        r"tools\run.bat",
        r"C:\bin\my tool.com",
    ];

    /// A program, `PATH`, `PATHEXT`, and what is found.
    type Row = (&'static str, Option<&'static str>, Option<&'static str>, Option<&'static str>);

    #[test]
    fn a_program_is_found_as_the_shell_finds_it() {
        let usual = Some(".COM;.EXE;.BAT;.CMD;.VBS;.JS");
        let table: [Row; 20] = [
            // The first folder wins, whatever the extension; the file for other shells is passed
            // over.
            ("npx", Some(PATH), usual, Some(r"C:\node\npx.cmd")),
            ("NPX", Some(PATH), usual, Some(r"C:\node\NPX.cmd")),
            ("npx.exe", Some(PATH), usual, Some(r"C:\bin\npx.exe")),
            ("npx.cmd", Some(PATH), usual, Some(r"C:\node\npx.cmd")),
            ("npx.CMD", Some(PATH), usual, Some(r"C:\node\npx.CMD")),
            // Within a folder the order of the extensions decides.
            ("agent", Some(PATH), usual, Some(r"C:\bin\agent.bat")),
            ("agent", Some(PATH), Some(".CMD;.BAT"), Some(r"C:\bin\agent.cmd")),
            ("agent", Some(PATH), Some(" .cmd ; "), Some(r"C:\bin\agent.cmd")),
            // Scripts of other interpreters cannot be started, even where PATHEXT names them.
            ("agent", Some(PATH), Some(".JS"), None),
            ("agent.js", Some(PATH), usual, None),
            // A dot is not yet an extension.
            ("agent-1.2", Some(PATH), usual, Some(r"C:\bin\agent-1.2.exe")),
            ("odd", Some(PATH), usual, Some(r"C:\odd;name\odd.exe")),
            ("my tool", Some(PATH), usual, Some(r"C:\bin\my tool.com")),
            // With a folder, PATH does not matter.
            (r"tools\run", None, usual, Some(r"tools\run.bat")),
            (r"C:\bin\npx", Some(PATH), usual, Some(r"C:\bin\npx.exe")),
            (r"C:\none\npx", Some(PATH), usual, None),
            // Not set is not empty.
            ("npx", Some(PATH), None, Some(r"C:\node\npx.cmd")),
            ("npx", Some(PATH), Some(""), Some(r"C:\node\npx.cmd")),
            ("npx", None, usual, None),
            ("run", Some(""), usual, None),
        ];
        for (program, path, extensions, expected) in table {
            // File names have no case there.
            let is_file = |file: &str| FILES.iter().any(|known| known.eq_ignore_ascii_case(file));
            let found = find(program, path, extensions, is_file);
            assert_eq!(found.as_deref(), expected, "{program} in {path:?} with {extensions:?}");
        }
    }
}
