//! The settings of a tap: arguments first, then the environment, then the file of settings.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use acp_client::tap::Redaction;
use toml::{Table, Value};

use crate::args::tap::{TapSettings, size};
use crate::named::{Named, folders};

/// The number of older files that are kept, unless another one is given.
const KEEP: usize = 5;

/// All settings of a tap.
pub(super) struct Settings {
    pub(super) agent: Named,
    pub(super) to: PathBuf,
    pub(super) redaction: Option<Redaction>,
    pub(super) rotate: Option<u64>,
    pub(super) keep: usize,
}

impl Settings {
    /// Finds the settings. The error is a sentence for the user.
    pub(super) fn find(given: TapSettings) -> Result<Self, String> {
        let of_file = from_file()?;
        let of_environment = env::var("ACP_TAP_AGENT").ok().filter(|agent| !agent.is_empty());
        let agent = given.agent.or_else(|| of_environment.as_deref().map(Named::of_text)).or(of_file.agent);
        let agent = agent.ok_or(
            "the agent is missing: end with `-- AGENT [ARGS…]`, or name one with `--agent ID`, in ACP_TAP_AGENT or in \
             the settings",
        )?;
        let redact = of_file.redact.iter().chain(&given.redact);
        let redaction = redact.fold(Redaction::default(), |redaction, rule| {
            if rule.starts_with('/') { redaction.pointer(rule) } else { redaction.name(rule.as_str()) }
        });
        let to = given.to.or(of_file.to).or_else(|| Some(folders::recordings()?.join("{time}-{pid}.ndjson")));
        let to = to.ok_or("the file is missing: name it with `--to FILE`")?;
        Ok(Self {
            agent,
            to: filled(&to),
            redaction: (!given.unredacted).then_some(redaction),
            rotate: given.rotate.or(of_file.rotate),
            keep: given.keep.or(of_file.keep).unwrap_or(KEEP),
        })
    }
}

/// Puts the time and the process in place of `{time}` and `{pid}`.
fn filled(path: &Path) -> PathBuf {
    let Some(text) = path.to_str() else { return path.to_owned() };
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    text.replace("{time}", &time.to_string()).replace("{pid}", &std::process::id().to_string()).into()
}

/// Reads the file of settings, if there is one.
fn from_file() -> Result<TapSettings, String> {
    let named = env::var_os("ACP_TAP_CONFIG").filter(|file| !file.is_empty()).map(PathBuf::from);
    let is_named = named.is_some();
    let Some(file) = named.or_else(folders::tap_settings) else { return Ok(TapSettings::default()) };
    match fs::read_to_string(&file) {
        Ok(text) => parse(&text).map_err(|problem| format!("{}: {problem}", file.display())),
        Err(error) if error.kind() == ErrorKind::NotFound && !is_named => Ok(TapSettings::default()),
        Err(error) => Err(format!("{} cannot be read: {error}", file.display())),
    }
}

fn parse(text: &str) -> Result<TapSettings, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let mut settings = TapSettings::default();
    for (name, value) in table {
        let wrong = |wants: &str| format!("`{name}` must be {wants}");
        match (name.as_str(), &value) {
            ("agent", Value::String(agent)) => settings.agent = Some(Named::of_text(agent)),
            ("agent", Value::Array(_)) => {
                let mut words =
                    texts(&value).ok_or_else(|| wrong("a text, or the words of a command"))?.into_iter();
                let program = words.next().ok_or_else(|| wrong("a command with at least one word"))?;
                settings.agent =
                    Some(Named::Command { program: program.into(), args: words.map(Into::into).collect() });
            }
            ("agent", _) => return Err(wrong("a text, or the words of a command")),
            ("to", Value::String(to)) => settings.to = Some(to.into()),
            ("to", _) => return Err(wrong("a text")),
            ("redact", value) => settings.redact = texts(value).ok_or_else(|| wrong("a list of texts"))?,
            ("rotate", Value::String(text)) => {
                settings.rotate = Some(size(text).map_err(|problem| format!("`rotate`: {problem}"))?);
            }
            ("rotate", _) => return Err(wrong("a text, such as \"10M\"")),
            ("keep", value) => {
                let keep = value.as_integer().and_then(|keep| usize::try_from(keep).ok());
                settings.keep = Some(keep.ok_or_else(|| wrong("a number of files"))?);
            }
            _ => {
                return Err(format!(
                    "there is no setting `{name}`: they are agent, to, redact, rotate and keep"
                ));
            }
        }
    }
    Ok(settings)
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_settings_has_what_the_arguments_have() {
        let settings = parse(
            "agent = [\"robot\", \"--acp\"]\nto = \"/r/{pid}.ndjson\"\nredact = [\"pin\", \"/params/x\"]\n\
             rotate = \"2M\"\nkeep = 3\n",
        )
        .unwrap();
        assert_eq!(
            settings.agent,
            Some(Named::Command { program: "robot".into(), args: vec!["--acp".into()] })
        );
        assert_eq!((settings.rotate, settings.keep, settings.redact.len()), (Some(2_000_000), Some(3), 2));
        let to = filled(&settings.to.unwrap());
        assert_eq!(to, Path::new(&format!("/r/{}.ndjson", std::process::id())));
        for (text, problem) in [
            ("agent = 1", "`agent` must be a text"),
            ("agent = []", "at least one word"),
            ("agent = [1]", "the words of a command"),
            ("rotate = \"none\"", "`rotate`: it must be a number of bytes"),
            ("keep = -1", "`keep` must be a number of files"),
            ("redact = \"x\"", "`redact` must be a list of texts"),
            ("too = \"x\"", "there is no setting `too`"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }

    #[test]
    fn an_agent_in_a_text_is_an_id_a_file_or_an_address() {
        let remote = Named::of_text("ws://localhost/acp");
        assert!(remote.is_remote());
        assert_eq!(Named::of_text("./robot"), Named::File("./robot".into()));
        assert_eq!(Named::of_text("robot"), Named::Listed { id: "robot".into(), registry: None });
    }
}
