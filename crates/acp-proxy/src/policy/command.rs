//! Command lines, as far as their words can be seen without a shell.

/// A command: a line for a shell, or the words of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CommandLine {
    Shell(String),
    Words(Vec<String>),
}

/// Characters that mean something to a shell.
const SIGNS: [char; 24] = [
    ';', '&', '|', '<', '>', '$', '`', '\n', '\r', '(', ')', '{', '}', '[', ']', '*', '?', '!', '#', '~',
    '\\', '\'', '"', '=',
];

/// Returns true if the command begins with these words, and a shell would see nothing else in it.
pub(super) fn is_plainly(line: &CommandLine, words: &[String]) -> bool {
    match line {
        CommandLine::Shell(text) => !text.contains(SIGNS) && begins(text.split_whitespace(), words),
        CommandLine::Words(line) => begins(line.iter().map(String::as_str), words),
    }
}

/// Returns true if these words stand one after the other anywhere in the command, the first of them
/// as a program with or without its folder.
pub(super) fn contains(line: &CommandLine, words: &[String]) -> bool {
    let words_of_line: Vec<&str> = match line {
        CommandLine::Shell(text) => text
            .split(|sign: char| sign.is_whitespace() || SIGNS.contains(&sign))
            .filter(|word| !word.is_empty())
            .collect(),
        // A word may be a line for a shell, such as behind `sh -c`.
        CommandLine::Words(line) => line
            .iter()
            .flat_map(|word| word.split(|sign: char| sign.is_whitespace() || SIGNS.contains(&sign)))
            .filter(|word| !word.is_empty())
            .collect(),
    };
    (0..words_of_line.len()).any(|start| {
        let rest = words_of_line.get(start..).unwrap_or_default();
        let Some((program, arguments)) = rest.split_first() else { return false };
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        begins([name].into_iter().chain(arguments.iter().copied()), words)
            || begins(rest.iter().copied(), words)
    })
}

fn begins<'a>(mut line: impl Iterator<Item = &'a str>, words: &[String]) -> bool {
    words.iter().all(|word| line.next() == Some(word))
}
