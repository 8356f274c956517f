//! A typed line: a command of the chat, or a text for the agent.

/// The commands of the chat, and what they do.
pub(crate) const BUILT_IN: [(&str, &str); 10] = [
    ("help", "list the commands and keys"),
    ("mode", "show the modes, or switch to one: /mode NAME"),
    ("config", "show the config options, or set one: /config NAME=VALUE"),
    ("cancel", "stop the turn that runs, typed while it runs"),
    ("new", "begin another session"),
    ("load", "go on with an earlier session: /load ID, or its number in the list"),
    ("sessions", "list the agent's sessions"),
    ("usage", "show tokens and costs"),
    ("quit", "end the chat"),
    ("exit", "end the chat"),
];

/// The meaning of a typed line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Nothing,
    /// A command with the rest of its line.
    Command {
        name: String,
        rest: String,
    },
    /// A text for the agent.
    Text(String),
}

/// Reads a line. A backslash at the end of one of its lines is only the sign that another follows.
pub(super) fn read(line: &str) -> Meaning {
    let text = line.replace("\\\n", "\n");
    let text = text.trim();
    if text.is_empty() {
        return Meaning::Nothing;
    }
    match text.strip_prefix('/') {
        Some(rest) if rest.starts_with('/') => Meaning::Text(rest.to_owned()),
        Some(rest) => {
            let (name, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            Meaning::Command { name: name.to_owned(), rest: rest.trim().to_owned() }
        }
        None => Meaning::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_begin_with_a_slash_and_two_of_them_are_a_text() {
        let command = |name: &str, rest: &str| Meaning::Command { name: name.into(), rest: rest.into() };
        let text = |text: &str| Meaning::Text(text.into());
        for (line, wants) in [
            ("", Meaning::Nothing),
            (" \n\t", Meaning::Nothing),
            ("hello ", text("hello")),
            ("/mode", command("mode", "")),
            (" /mode  plan b ", command("mode", "plan b")),
            ("/", command("", "")),
            ("//mode", text("/mode")),
            ("//", text("/")),
            ("one\\\ntwo\n/three", text("one\ntwo\n/three")),
            ("/web a\nb", command("web", "a\nb")),
        ] {
            assert_eq!(read(line), wants, "{line:?}");
        }
    }
}
