//! Files of recorded lines.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use acp_json::{At, FromNode, Node, Problem, ReadError};

/// Returns the recordings of a folder, in the order of their names.
pub(super) fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(named)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "ndjson") {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(named(io::Error::new(io::ErrorKind::NotFound, "no recording `*.ndjson` in it")));
    }
    Ok(files)
}

/// One recorded line of the wire: `{"t":…,"dir":"c2a","line":"…"}`.
pub(super) struct Recorded {
    pub(super) direction: Direction,
    pub(super) line: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Direction {
    ToAgent,
    ToClient,
}

impl Direction {
    pub(super) const fn back(self) -> Self {
        match self {
            Direction::ToAgent => Direction::ToClient,
            Direction::ToClient => Direction::ToAgent,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Direction::ToAgent => "to the agent",
            Direction::ToClient => "to the client",
        }
    }
}

impl FromNode for Recorded {
    fn from_node(mut node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        let mut text = |name| {
            let member = node.take(name).ok_or_else(|| ReadError::missing(&at.member(name)))?;
            String::from_node(member, &at.member(name))
        };
        let direction = match text("dir")?.as_str() {
            "c2a" => Direction::ToAgent,
            "a2c" => Direction::ToClient,
            _ => {
                let problem = Problem::Other("expected \"c2a\" or \"a2c\"".to_owned());
                return Err(ReadError::new(&at.member("dir"), problem));
            }
        };
        Ok(Recorded { direction, line: text("line")? })
    }
}
