//! The layout of the statements that make a JSON Schema.

use std::fmt;

/// The statements of a function's body.
#[derive(Default)]
pub(super) struct Code {
    text: String,
    uses_generator: bool,
}

const GATE: &str = "#[cfg(feature = \"unstable\")]\n";
const INDENT: &str = "        ";
const WIDTH: usize = 110;

impl Code {
    /// A statement on a line of its own.
    pub(super) fn line(&mut self, unstable: bool, statement: &str) {
        self.gate(unstable);
        self.uses_generator |= statement.ends_with("(generator);");
        self.text.push_str(&format!("{INDENT}{statement}\n"));
    }

    /// A statement that is a call.
    pub(super) fn call(&mut self, unstable: bool, function: &str, arguments: &[&str]) {
        self.gate(unstable);
        self.push_call(function, arguments, ";");
    }

    /// The call whose result the function returns.
    pub(super) fn last_call(&mut self, function: &str, arguments: &[&str]) {
        self.push_call(function, arguments, "");
    }

    fn push_call(&mut self, function: &str, arguments: &[&str], end: &str) {
        let is_code = |argument: &&&str| !argument.starts_with('"');
        self.uses_generator |= arguments
            .iter()
            .filter(is_code)
            .any(|code| *code == "generator" || code.ends_with("(generator)"));
        self.text.push_str(&format!("{INDENT}{}{end}\n", layout(function, arguments)));
    }

    /// An argument that is a list, an item on each line; the flag says that only the unstable
    /// schema has it.
    pub(super) fn list(items: impl Iterator<Item = (bool, String)>) -> String {
        let mut list = String::from("&[\n");
        for (unstable, item) in items {
            if unstable {
                list.push_str(&format!("{INDENT}        {GATE}"));
            }
            list.push_str(&format!("{INDENT}        {item},\n"));
        }
        list + INDENT + "    ]"
    }

    pub(super) fn uses_generator(&self) -> bool {
        self.uses_generator
    }

    fn gate(&mut self, unstable: bool) {
        if unstable {
            self.text.push_str(&format!("{INDENT}{GATE}"));
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// On one line, or with a line for each argument.
fn layout(function: &str, arguments: &[&str]) -> String {
    let line = format!("{function}({})", arguments.join(", "));
    if !line.contains('\n') && INDENT.len() + line.len() < WIDTH {
        return line;
    }
    let arguments = arguments.iter().map(|argument| format!("{INDENT}    {argument},\n"));
    format!("{function}(\n{}{INDENT})", arguments.collect::<String>())
}

/// Our wording as a literal, which tools show as it is: links of rustdoc become plain names.
pub(super) fn text(wording: Option<&str>) -> String {
    let mut plain = String::new();
    let mut rest = wording.unwrap_or_default().trim();
    while let Some((before, link)) = rest.split_once("[`") {
        let (name, after) = link.split_once("`]").unwrap_or((link, ""));
        plain.push_str(&format!("{before}`{name}`"));
        rest = after;
    }
    plain.push_str(rest);
    format!("{plain:?}")
}
