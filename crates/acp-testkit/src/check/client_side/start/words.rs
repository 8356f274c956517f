//! Placeholders in the words of a command.

use crate::check::report::shell;

/// Puts the agent's command and the prompt into the words of a client's command.
pub(super) fn fill(words: &[String], agent: &[String], prompt: &str) -> Vec<String> {
    let mut filled = Vec::new();
    for word in words {
        if word == "{agent}" {
            filled.extend_from_slice(agent);
        } else {
            // The prompt comes last, because it may have a placeholder of its own in it.
            filled.push(word.replace("{agent}", &shell(agent)).replace("{prompt}", prompt));
        }
    }
    filled
}
