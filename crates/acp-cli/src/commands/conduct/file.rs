//! The file that describes a chain.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use acp_client::v1::ToolKind;
use acp_client::{Command, tap::Redaction};
use acp_proxy::{Audit, Conductor, Policy, Rule, Rules, Verdict};
use toml::{Table, Value};

use super::{bridge, command, telling};
use crate::args::conduct::McpWay;
use crate::outcome::Failure;

/// Reads a file, and adds its components to a chain, which may have an audit already.
pub(super) fn read(path: &Path, conductor: Conductor, audit: Option<Audit>) -> Result<Conductor, Failure> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    chain(&text, conductor, audit).map_err(|problem| format!("{}: {problem}", path.display()).into())
}

fn chain(text: &str, mut conductor: Conductor, mut audit: Option<Audit>) -> Result<Conductor, String> {
    let mut table =
        Members::new(text.parse().map_err(|error: toml::de::Error| error.to_string())?, "the file");
    if let Some(budget) = table.integer("budget")? {
        conductor = conductor.budget(usize::try_from(budget).map_err(|_| "`budget` must not be negative")?);
    }
    if let Some(first) = table.text("mcp")? {
        let first = McpWay::of(&first).ok_or("`mcp` must be stdio, http or off")?;
        conductor = conductor.mcp_bridge(bridge(Some(first)).map_err(|error| error.to_string())?);
    }
    for proxy in table.tables("proxy")? {
        // Decisions of policies stand in the audit before them.
        conductor = add_proxy(Members::new(proxy, "a `proxy`"), conductor, &mut audit)?;
    }
    if let Some(agent) = table.table("agent")? {
        let mut agent = Members::new(agent, "`agent`");
        let (name, command) = component(&mut agent)?;
        agent.end()?;
        conductor = conductor.agent(command).named(name);
    }
    table.end()?;
    Ok(conductor)
}

fn add_proxy(
    mut proxy: Members,
    conductor: Conductor,
    audit: &mut Option<Audit>,
) -> Result<Conductor, String> {
    let conductor = if let Some(folder) = proxy.text("audit")? {
        let redaction = proxy.texts("redact")?.into_iter().fold(Redaction::default(), Redaction::name);
        let made = Audit::in_folder(folder.as_ref()).map_err(|error| format!("`audit`: {error}"))?;
        let made = made.redaction(redaction);
        let conductor = conductor.proxy(made.proxy());
        *audit = Some(made);
        conductor
    } else if proxy.has("rules") {
        let mut rules = Rules::new();
        for rule in proxy.tables("rules")? {
            rules = rules.rule(read_rule(Members::new(rule, "a rule"))?);
        }
        let rules = match audit {
            Some(audit) => rules.audit(audit),
            None => rules,
        };
        conductor.proxy(rules.proxy())
    } else {
        let policy = read_policy(&mut proxy)?;
        let (name, command) = component(&mut proxy)?;
        conductor.process(command, policy).named(name)
    };
    proxy.end()?;
    Ok(conductor)
}

fn read_policy(proxy: &mut Members) -> Result<Policy, String> {
    let restarts = proxy.integer("restarts")?;
    match (proxy.text("policy")?.as_deref(), restarts) {
        (None | Some("required"), None) => Ok(Policy::Required),
        (Some("optional"), None) => Ok(Policy::Optional),
        (Some("restart"), restarts) => {
            let restarts = u32::try_from(restarts.unwrap_or(3));
            restarts.map(Policy::Restart).map_err(|_| "`restarts` is not a number of restarts".to_owned())
        }
        (_, Some(_)) => Err("`restarts` is for `policy = \"restart\"`".to_owned()),
        (Some(other), None) => {
            Err(format!("`policy` is `{other}`: it must be required, optional or restart"))
        }
    }
}

fn read_rule(mut rule: Members) -> Result<Rule, String> {
    let verdict = match rule.text("verdict")?.as_deref() {
        Some("allow") => Verdict::Allow,
        Some("deny") => Verdict::Deny,
        Some("ask") => Verdict::Ask,
        _ => return Err("`verdict` of a rule must be allow, deny or ask".to_owned()),
    };
    let reason = rule.text("reason")?.ok_or("`reason` of a rule is missing")?;
    let mut read = Rule::new(verdict, reason);
    for kind in rule.texts("kinds")? {
        let kind = ToolKind::from(kind.as_str());
        if !kind.is_known() {
            return Err(format!("`kinds` of a rule: there is no kind `{kind}`"));
        }
        read = read.kind(kind);
    }
    for path in rule.texts("paths")? {
        if !Path::new(&path).is_absolute() {
            return Err(format!("`paths` of a rule: `{path}` must be absolute"));
        }
        read = read.path(path);
    }
    for command in rule.texts("commands")? {
        read = read.command(&command);
    }
    rule.end()?;
    Ok(read)
}

/// Returns the name of a component and its command.
fn component(members: &mut Members) -> Result<(String, Command), String> {
    let words: Vec<OsString> = members.texts("command")?.into_iter().map(Into::into).collect();
    if words.is_empty() {
        return Err(format!("`command` of {} is missing: [\"program\", \"argument\"]", members.of));
    }
    let named = members.text("name")?;
    let (program, mut command) = command(words);
    let name = named.unwrap_or(program);
    if let Some(env) = members.table("env")? {
        for (variable, value) in env {
            let value = value.as_str().ok_or_else(|| format!("`env.{variable}` must be a text"))?.to_owned();
            command = command.env(variable, value);
        }
    }
    Ok((name.clone(), telling(&name, command)))
}

/// The members of a table that have not been read.
struct Members {
    table: Table,
    of: &'static str,
}

impl Members {
    const fn new(table: Table, of: &'static str) -> Self {
        Self { table, of }
    }

    fn has(&self, name: &str) -> bool {
        self.table.contains_key(name)
    }

    fn take<T>(
        &mut self,
        name: &str,
        kind: &str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let Some(value) = self.table.remove(name) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| format!("`{name}` of {} must be {kind}", self.of))
    }

    fn text(&mut self, name: &str) -> Result<Option<String>, String> {
        self.take(name, "a text", |value| value.as_str().map(str::to_owned))
    }

    fn integer(&mut self, name: &str) -> Result<Option<i64>, String> {
        self.take(name, "an integer", |value| value.as_integer())
    }

    fn texts(&mut self, name: &str) -> Result<Vec<String>, String> {
        let read = |value: Value| {
            value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect::<Option<_>>()
        };
        Ok(self.take(name, "a list of texts", read)?.unwrap_or_default())
    }

    fn table(&mut self, name: &str) -> Result<Option<Table>, String> {
        self.take(name, "a table", |value| match value {
            Value::Table(table) => Some(table),
            _ => None,
        })
    }

    fn tables(&mut self, name: &str) -> Result<Vec<Table>, String> {
        let read = |value: Value| {
            value.as_array()?.iter().map(|table| table.as_table().cloned()).collect::<Option<_>>()
        };
        Ok(self.take(name, "a list of tables", read)?.unwrap_or_default())
    }

    /// Refuses members that nothing has read.
    fn end(self) -> Result<(), String> {
        match self.table.keys().next() {
            Some(name) => Err(format!("there is no `{name}` in {}", self.of)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named() {
        for (text, wants) in [
            ("x = 1", "there is no `x` in the file"),
            ("mcp = \"sse\"", "`mcp` must be stdio, http or off"),
            ("budget = -1", "`budget` must not be negative"),
            ("budget = \"1\"", "`budget` of the file must be an integer"),
            ("[agent]", "`command` of `agent` is missing"),
            ("[agent]\ncommand = \"a\"", "`command` of `agent` must be a list of texts"),
            ("[agent]\ncommand = [\"a\"]\npolicy = \"optional\"", "there is no `policy` in `agent`"),
            ("[[proxy]]\ncommand = [\"a\"]\npolicy = \"maybe\"", "it must be required, optional or restart"),
            ("[[proxy]]\ncommand = [\"a\"]\nrestarts = 3", "`restarts` is for"),
            ("[[proxy]]\ncommand = [\"a\"]\nenv = { A = 1 }", "`env.A` must be a text"),
            ("[[proxy]]\nrules = [{ verdict = \"no\" }]", "`verdict` of a rule"),
            ("[[proxy]]\nrules = [{ verdict = \"deny\" }]", "`reason` of a rule is missing"),
            (
                "[[proxy]]\nrules = [{ verdict = \"deny\", reason = \"\", kinds = [\"eat\"] }]",
                "there is no kind `eat`",
            ),
            (
                "[[proxy]]\nrules = [{ verdict = \"deny\", reason = \"\", paths = [\"x\"] }]",
                "must be absolute",
            ),
            ("[proxy]", "`proxy` of the file must be a list of tables"),
            ("[", "TOML parse error"),
        ] {
            let problem = chain(text, Conductor::new(), None).err().unwrap_or_default();
            assert!(problem.contains(wants), "{text:?} gave {problem:?}");
        }
    }

    #[test]
    fn a_whole_file_is_read() {
        let folder = std::env::temp_dir().join(format!("acp-conduct-{}", std::process::id()));
        let text = format!(
            "budget = 1000\nmcp = \"http\"\n[[proxy]]\naudit = {:?}\nredact = [\"mine\"]\n\
             [[proxy]]\nrules = [{{ verdict = \"deny\", reason = \"r\", kinds = [\"read\"], paths = [\"/x\"], \
             commands = [\"curl\"] }}]\n\
             [[proxy]]\nname = \"n\"\ncommand = [\"a\", \"-b\"]\nenv = {{ A = \"b\" }}\npolicy = \"restart\"\n\
             restarts = 5\n[agent]\ncommand = [\"c\"]\n",
            folder.display().to_string()
        );
        let conductor = chain(&text, Conductor::new(), None);
        let _ = fs::remove_dir_all(&folder);
        let shown = conductor.map(|conductor| format!("{conductor:?}"));
        assert_eq!(shown.as_deref(), Ok("Conductor { proxies: 3, has_agent: true, .. }"));
    }
}
