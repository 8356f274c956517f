//! The scripts of the comparison. The first line of a prompt's text names one.

use std::fmt;

/// The text of every update: 103 characters, which make params of 221 bytes with a session id of
/// 16.
pub(crate) const CHUNK: &str = "The failing test compares two paths that differ only by a symlink, so I will canonicalize both of these.";
/// The length of each side of a diff.
pub(crate) const DIFF_BYTES: usize = 100_000;
/// The length of the client's file.
pub(crate) const FILE_BYTES: usize = 1_000;
/// The path of the file that is read.
pub(crate) const FILE: &str = "/project/src/paths.rs";

/// The turn that a prompt asks for. It always ends with `end_turn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Script {
    /// The answer alone.
    Nothing,
    /// This number of text chunks.
    Say(usize),
    /// This number of tool call updates with a diff of 200 KB.
    Diffs(usize),
    /// This number of prepared text chunks. Only the floor's agent has them.
    Chunks(usize),
    /// This number of prepared tool call updates of 613 bytes.
    ToolCalls(usize),
    /// One prepared text chunk of this number of bytes.
    Long(usize),
    /// This number of files read through the client, `wide` of them at the same time.
    Read { count: usize, wide: usize },
}

impl Script {
    pub(crate) fn parse(prompt: &str) -> Self {
        let mut words = prompt.lines().next().unwrap_or_default().split(' ');
        let word = words.next();
        let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
        match word {
            Some("say") => Script::Say(number()),
            Some("diffs") => Script::Diffs(number()),
            Some("chunks") => Script::Chunks(number()),
            Some("toolcalls") => Script::ToolCalls(number()),
            Some("long") => Script::Long(number()),
            Some("read") => Script::Read { count: number(), wide: number() },
            _ => Script::Nothing,
        }
    }

    /// Returns the number of updates of the turn.
    pub(crate) fn updates(self) -> usize {
        match self {
            Script::Say(count) | Script::Diffs(count) | Script::Chunks(count) | Script::ToolCalls(count) => {
                count
            }
            Script::Long(_) => 1,
            Script::Nothing | Script::Read { .. } => 0,
        }
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Script::Nothing => f.write_str("nothing"),
            Script::Say(count) => write!(f, "say {count}"),
            Script::Diffs(count) => write!(f, "diffs {count}"),
            Script::Chunks(count) => write!(f, "chunks {count}"),
            Script::ToolCalls(count) => write!(f, "toolcalls {count}"),
            Script::Long(bytes) => write!(f, "long {bytes}"),
            Script::Read { count, wide } => write!(f, "read {count} {wide}"),
        }
    }
}

/// Makes one side of a diff: lines of code, with the quotes and line breaks that JSON escapes.
pub(crate) fn code(word: &str) -> String {
    let line = format!("    let {word} = read(\"{word}.toml\")?;\n");
    line.repeat(DIFF_BYTES / line.len())
}

/// Makes the client's answer to a read.
pub(crate) fn file() -> String {
    let line = "fn canonical(path: &Path) -> io::Result<PathBuf> { path.canonicalize() }\n";
    line.repeat(FILE_BYTES / line.len())
}
