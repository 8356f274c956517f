//! Forms of an agent: each field is asked for, then the whole form is shown.

use std::io;
use std::task::{Context, Poll};

use acp_client::sanitize::label;
use acp_client::v1::{ElicitationContentValue, ElicitationPropertySchema, EnumOption, MultiSelectItems};
use acp_client::{ElicitationAnswer, FormElicitation, Map, PermissionAnswer};

use super::asker::{Answer, Dialog, Step};
use super::screen::{Screen, Tone};

/// The longest message or name that is shown, in characters.
const MESSAGE: usize = 1000;
const NAME: usize = 200;

type Values = Map<ElicitationContentValue>;

pub(super) struct FormDialog {
    form: FormElicitation,
    answer: Answer<ElicitationAnswer<Values>>,
    values: Values,
    /// The index of the current field. Behind the last one, the whole form is reviewed.
    field: usize,
    is_known: bool,
}

impl FormDialog {
    pub(super) fn new(form: FormElicitation, answer: Answer<ElicitationAnswer<Values>>) -> Self {
        Self { form, answer, values: Map::default(), field: 0, is_known: false }
    }

    fn give(
        &mut self,
        answer: ElicitationAnswer<Values>,
        said: &str,
        screen: &mut dyn Screen,
    ) -> io::Result<Step> {
        screen.line(Tone::Question, &format!("form: {said}"))?;
        self.answer.give(answer);
        Ok(Step::Done)
    }

    /// Returns the current field: its name and its schema.
    fn field(&self) -> Option<(String, ElicitationPropertySchema)> {
        let (name, field) = self.form.schema.properties.iter().nth(self.field)?;
        Some((name.to_owned(), field.clone()))
    }

    fn is_required(&self, name: &str) -> bool {
        self.form.schema.required.iter().flatten().any(|required| required == name)
    }

    /// Returns the meaning of a line for a field: a value, nothing, or an error.
    fn read(
        &self,
        name: &str,
        field: &ElicitationPropertySchema,
        line: &str,
    ) -> Result<Option<ElicitationContentValue>, String> {
        let line = line.trim();
        if line.is_empty() {
            let default = self.form.defaults().remove(name);
            let is_missing = default.is_none() && self.is_required(name);
            return if is_missing { Err("it has to be filled in".to_owned()) } else { Ok(default) };
        }
        let value = value_of(field, line)?;
        // The other fields are checked later.
        let mut form = self.form.clone();
        form.schema.required = None;
        form.check(&Map::from([(name, value.clone())])).map_err(|error| format!("it {}", error.problem))?;
        Ok(Some(value))
    }

    fn take_field(&mut self, line: &str, screen: &mut dyn Screen) -> io::Result<Step> {
        let Some((name, field)) = self.field() else { return Ok(Step::Next) };
        match self.read(&name, &field, line) {
            Ok(value) => {
                self.values.remove(&name);
                if let Some(value) = value {
                    self.values.insert(name, value);
                }
                self.field += 1;
                Ok(Step::Next)
            }
            Err(problem) => screen.line(Tone::Question, &problem).map(|()| Step::Again),
        }
    }

    /// The user has seen what is sent (rule v1-eli-10).
    fn review(&self, screen: &mut dyn Screen) -> io::Result<()> {
        for (name, value) in self.values.iter() {
            let name = label(name, NAME);
            screen.line(Tone::Plain, &format!("    {name}: {}", label(&shown(value), MESSAGE)))?;
        }
        Ok(())
    }
}

impl Dialog for FormDialog {
    fn print(&mut self, screen: &mut dyn Screen) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_known, true) {
            let message = label(&self.form.message, MESSAGE);
            screen.line(Tone::Question, &format!("the agent asks you to fill in a form: {message}"))?;
            screen.line(Tone::Plain, "  an empty line takes what is in brackets; `!` declines the form")?;
        }
        let Some((_, field)) = self.field() else { return self.review(screen) };
        let (_, description, _) = describe(&field);
        if let Some(description) = description {
            screen.line(Tone::Plain, &format!("    {}", label(description, MESSAGE)))?;
        }
        for (index, choice) in choices(&field).iter().enumerate() {
            screen.line(Tone::Plain, &format!("  {}  {}", index + 1, label(choice.1, NAME)))?;
        }
        Ok(())
    }

    fn prompt(&self) -> String {
        let Some((name, field)) = self.field() else { return "send it? y, n, or e to edit:".to_owned() };
        let (title, _, hint) = describe(&field);
        let title = label(title.unwrap_or(&name), NAME);
        let default = self.form.defaults().remove(&name);
        let default = default.map(|value| format!(" [{}]", label(&shown(&value), NAME)));
        let optional = if default.is_none() && !self.is_required(&name) { " []" } else { "" };
        format!("{title} ({hint}){}{optional}:", default.unwrap_or_default())
    }

    fn take(&mut self, line: Option<&str>, screen: &mut dyn Screen) -> io::Result<Step> {
        let Some(line) = line else { return self.give(ElicitationAnswer::Cancel, "cancelled", screen) };
        if line.trim() == "!" {
            return self.give(ElicitationAnswer::Decline, "declined", screen);
        }
        if self.field().is_some() {
            return self.take_field(line, screen);
        }
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => {
                let values = std::mem::take(&mut self.values);
                self.give(ElicitationAnswer::Accept(values), "sent", screen)
            }
            "n" | "no" | "" => self.give(ElicitationAnswer::Decline, "declined", screen),
            "e" | "edit" => {
                self.field = 0;
                Ok(Step::Next)
            }
            _ => screen.line(Tone::Question, "that is not one of the answers").map(|()| Step::Again),
        }
    }

    fn settle(&mut self, _: Option<PermissionAnswer>, screen: &mut dyn Screen) -> io::Result<()> {
        self.give(ElicitationAnswer::Decline, "declined, as there is nobody to ask", screen).map(drop)
    }

    fn poll_withdrawn(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.answer.poll_withdrawn(cx)
    }
}

/// Shows title, description, and the allowed input.
fn describe(field: &ElicitationPropertySchema) -> (Option<&str>, Option<&str>, &'static str) {
    use ElicitationPropertySchema as Field;
    let (title, description, hint) = match field {
        Field::String(field) if field.values.is_some() || field.one_of.is_some() => {
            (&field.title, &field.description, "one of these")
        }
        Field::String(field) => (&field.title, &field.description, "text"),
        Field::Number(field) => (&field.title, &field.description, "number"),
        Field::Integer(field) => (&field.title, &field.description, "whole number"),
        Field::Boolean(field) => (&field.title, &field.description, "y or n"),
        Field::Array(field) => (&field.title, &field.description, "some of these, with commas"),
        _ => (&None, &None, "of an unknown kind"),
    };
    (title.as_deref(), description.as_deref(), hint)
}

/// Shows the values to choose from.
fn choices(field: &ElicitationPropertySchema) -> Vec<(&str, &str)> {
    use ElicitationPropertySchema as Field;
    match field {
        Field::String(field) => match (&field.one_of, &field.values) {
            (Some(options), _) => pairs(options),
            (None, Some(values)) => values.iter().map(|value| (value.as_str(), value.as_str())).collect(),
            (None, None) => Vec::new(),
        },
        Field::Array(field) => match &field.items {
            MultiSelectItems::String(items) => {
                items.values.iter().map(|value| (value.as_str(), value.as_str())).collect()
            }
            MultiSelectItems::Titled(items) => pairs(&items.any_of),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn pairs(options: &[EnumOption]) -> Vec<(&str, &str)> {
    options.iter().map(|option| (option.value.as_str(), option.title.as_str())).collect()
}

fn value_of(field: &ElicitationPropertySchema, line: &str) -> Result<ElicitationContentValue, String> {
    use {ElicitationContentValue as Value, ElicitationPropertySchema as Field};
    let offered = choices(field);
    // A choice may be typed as its number, its value or its title.
    let choice = |text: &str| {
        let text = text.trim();
        let number = text.parse::<usize>().ok().and_then(|number| offered.get(number.checked_sub(1)?));
        let named = || offered.iter().find(|(value, title)| *value == text || *title == text);
        number.or_else(named).map_or(text, |(value, _)| *value).to_owned()
    };
    Ok(match field {
        Field::String(_) => Value::String(choice(line)),
        Field::Number(_) => Value::Number(
            line.parse().ok().filter(|number: &f64| number.is_finite()).ok_or("it has to be a number")?,
        ),
        Field::Integer(_) => Value::Integer(line.parse().map_err(|_| "it has to be a whole number")?),
        Field::Boolean(_) => match line.to_lowercase().as_str() {
            "y" | "yes" | "true" | "on" => Value::Boolean(true),
            "n" | "no" | "false" | "off" => Value::Boolean(false),
            _ => return Err("it has to be y or n".to_owned()),
        },
        Field::Array(_) => Value::Strings(line.split(',').map(choice).collect()),
        _ => return Err("its values are unknown here: leave it empty, or decline the form".to_owned()),
    })
}

fn shown(value: &ElicitationContentValue) -> String {
    use ElicitationContentValue as Value;
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(yes) => if *yes { "y" } else { "n" }.to_owned(),
        Value::Strings(choices) => choices.join(", "),
        _ => "a value of an unknown kind".to_owned(),
    }
}
