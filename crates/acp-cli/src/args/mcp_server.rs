//! `--mcp NAME=…`: MCP servers for the session.

use std::env;
use std::path::{Path, PathBuf, absolute};

use acp_client::v1::{McpServer, McpServerHttp, McpServerStdio};

/// Reads the value of the option. The error is a sentence for the user.
pub(crate) fn server(value: &str) -> Result<McpServer, String> {
    read(value).map_err(|problem| format!("`--mcp {value}`: {problem}"))
}

fn read(value: &str) -> Result<McpServer, String> {
    let (name, target) = value.split_once('=').ok_or("it must be NAME=COMMAND or NAME=URL")?;
    if name.is_empty() {
        return Err("the server has no name".to_owned());
    }
    if target.starts_with("https://") || target.starts_with("http://") {
        return Ok(McpServerHttp::new(name, target, []).into());
    }
    let mut words = words(target)?.into_iter();
    let program = words.next().ok_or("the command is missing")?;
    let program = find(&program, env::var_os("PATH").as_deref().unwrap_or_default())?;
    let program = program.to_str().ok_or("the path of the program is not UTF-8")?;
    Ok(McpServerStdio::new(name, program, words.collect::<Vec<_>>(), []).into())
}

/// Splits a command into words. Quotes of both kinds keep spaces.
fn words(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for char in command.chars() {
        match quote {
            Some(end) if char == end => quote = None,
            Some(_) => word.get_or_insert_default().push(char),
            None if char == '"' || char == '\'' => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            None if char.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    if quote.is_some() { Err("a quote is not closed".to_owned()) } else { Ok(words) }
}

/// Returns the program's absolute path, which the protocol requires (rule `v1-mcp-06`).
fn find(program: &str, path: &std::ffi::OsStr) -> Result<PathBuf, String> {
    if Path::new(program).components().count() > 1 {
        return absolute(program).map_err(|error| format!("`{program}`: {error}"));
    }
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    let found = env::split_paths(path).map(|folder| folder.join(&name)).find(|file| file.is_file());
    found
        .and_then(|file| absolute(file).ok())
        .ok_or_else(|| format!("there is no program `{program}` in PATH"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn commands_are_words_and_addresses_are_addresses() {
        let program = env::current_exe().unwrap();
        let program = program.to_str().unwrap();
        let McpServer::Stdio(server) = server(&format!("files={program} -y 'a b' \"\" c=d")).unwrap() else {
            panic!("is a command")
        };
        assert_eq!((server.name.as_str(), server.command.as_str()), ("files", program));
        assert_eq!(server.args, ["-y", "a b", "", "c=d"]);
        let McpServer::Http(server) = super::server("web=https://example.com/mcp?a=b").unwrap() else {
            panic!("is an address")
        };
        assert_eq!((server.name.as_str(), server.url.as_str()), ("web", "https://example.com/mcp?a=b"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (value, wants) in [
            ("files", "NAME=COMMAND"),
            ("=npx", "has no name"),
            ("files=", "the command is missing"),
            ("files=npx 'a", "a quote is not closed"),
            ("files=no-such-program-here", "no program `no-such-program-here` in PATH"),
        ] {
            let error = server(value).unwrap_err();
            assert!(error.starts_with(&format!("`--mcp {value}`: ")) && error.contains(wants), "{error}");
        }
    }

    #[test]
    fn programs_are_found_in_the_path() {
        let program = env::current_exe().unwrap();
        let folder = program.parent().unwrap();
        let name = program.file_stem().unwrap().to_str().unwrap();
        assert_eq!(find(name, folder.as_os_str()).unwrap(), program);
        assert!(find("./here", folder.as_os_str()).unwrap().is_absolute());
    }
}
