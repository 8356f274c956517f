//! Settings of a session before its turn: `--mode` and `--config`.

use acp_client::v1::{
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigValue,
};
use acp_client::{Error, Session};

use crate::nearest::nearest;
use crate::outcome::Failure;

/// Sets the mode as the agent offers it: by the config option that has the modes, otherwise by
/// `session/set_mode`.
pub(crate) async fn set_mode(session: &Session, mode: &str) -> Result<(), Error> {
    let options = session.config_options();
    let is_modes = |option: &&SessionConfigOption| {
        option.category == Some(SessionConfigOptionCategory::Mode)
            && matches!(option.kind, SessionConfigKind::Select(_))
    };
    // An agent may have both on its way to config options, with modes that only one of them has.
    let has_mode = |option: &SessionConfigOption| {
        let value = SessionConfigValue::Id { value: mode.into() };
        session.modes().is_none() || SessionConfigOption::check(&options, &option.id, &value).is_ok()
    };
    match options.iter().find(is_modes).filter(|option| has_mode(option)) {
        Some(option) => session.set_config_option(option.id.clone(), mode).await.map(drop),
        None => session.set_mode(mode).await,
    }
}

/// Sets a config option of the session, if it has this option and the option has this value. `word`
/// is the option or the command by which the user has set it.
pub(crate) async fn set_config(
    session: &Session,
    word: &str,
    name: &str,
    value: &str,
) -> Result<(), Failure> {
    let options = session.config_options();
    let refused = |problem: String| Failure::from(format!("`{word} {name}={value}`: {problem}"));
    let Some(option) = options.iter().find(|option| option.id.as_str() == name) else {
        let names: Vec<&str> = options.iter().map(|option| option.id.as_str()).collect();
        return Err(refused(unknown(
            &format!("the session has no option `{name}`"),
            name,
            "options",
            &names,
        )));
    };
    let value = match &option.kind {
        SessionConfigKind::Boolean(_) => match value.parse() {
            Ok(value) => SessionConfigValue::Boolean { value },
            Err(_) => return Err(refused("it must be true or false".to_owned())),
        },
        SessionConfigKind::Select(select) => {
            let values: Vec<&str> = select.values().map(|choice| choice.value.as_str()).collect();
            if !values.contains(&value) {
                let problem = format!("the option has no value `{value}`");
                return Err(refused(unknown(&problem, value, "values", &values)));
            }
            SessionConfigValue::Id { value: value.into() }
        }
        _ => SessionConfigValue::Id { value: value.into() },
    };
    session.set_config_option(option.id.clone(), value).await?;
    Ok(())
}

/// Returns a problem with the name that may be meant, and all names.
fn unknown(problem: &str, name: &str, kind: &str, names: &[&str]) -> String {
    let near = match nearest(name, names.iter().copied()) {
        Some(near) => format!(": did you mean `{near}`?"),
        None => String::new(),
    };
    match names {
        [] => format!("{problem}: it has no {kind}"),
        names => format!("{problem}{near} (its {kind} are `{}`)", names.join("`, `")),
    }
}
