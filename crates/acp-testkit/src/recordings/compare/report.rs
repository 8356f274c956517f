//! The differences as text and as JSON.

use std::fmt;

use serde_json::{Value, json};

use super::{Comparison, Difference, DifferenceKind};

/// The longest value that is shown whole in text.
const LONGEST: usize = 400;

impl Comparison {
    /// Returns the comparison as JSON: `equal`, the counts, and the `differences`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "version": 1,
            "equal": self.is_equal(),
            "first": self.first,
            "second": self.second,
            "dropped": self.dropped,
            "differences": self.differences.iter().map(Difference::to_json).collect::<Vec<_>>(),
        })
    }
}

impl Difference {
    fn to_json(&self) -> Value {
        let changes = self.changes.iter().map(|change| {
            let mut value = json!({"path": change.path});
            for (name, side) in [("first", &change.first), ("second", &change.second)] {
                if let (Some(side), Some(members)) = (side, value.as_object_mut()) {
                    members.insert(name.to_owned(), side.clone());
                }
            }
            value
        });
        let mut value = json!({
            "kind": self.kind.name(),
            "session": self.session,
            "from": self.from.name(),
            "message": self.message.to_string(),
            "method": self.method,
            "first": self.first,
            "second": self.second,
            "changes": changes.collect::<Vec<_>>(),
        });
        if let (Some(body), Some(members)) = (&self.body, value.as_object_mut()) {
            members.insert("body".to_owned(), body.clone());
        }
        value
    }
}

impl DifferenceKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::Added => "added",
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lane = None;
        for difference in &self.differences {
            let here = Some((difference.session.as_deref(), difference.from));
            if lane != here {
                lane = here;
                writeln!(
                    f,
                    "{}, from the {}:",
                    difference.session.as_deref().unwrap_or("connection"),
                    difference.from
                )?;
            }
            difference.fmt(f)?;
        }
        if self.dropped > 0 {
            writeln!(f, "{} lines were not recorded", self.dropped)?;
        }
        let (first, second) = (self.first, self.second);
        match self.differences.len() {
            0 => write!(f, "no differences in {first} and {second} messages"),
            1 => write!(f, "1 difference in {first} and {second} messages"),
            count => write!(f, "{count} differences in {first} and {second} messages"),
        }
    }
}

/// Writes whole lines.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.kind {
            DifferenceKind::Changed => '~',
            DifferenceKind::Missing => '-',
            DifferenceKind::Added => '+',
        };
        let place = match (self.first, self.second) {
            (Some(first), Some(second)) => format!("record {first} and {second}"),
            (Some(record), None) | (None, Some(record)) => format!("record {record}"),
            (None, None) => String::new(),
        };
        write!(f, "  {sign} {} {} ({place})", self.message, self.method)?;
        if let Some(body) = &self.body {
            write!(f, ": {}", short(body))?;
        }
        writeln!(f)?;
        for change in &self.changes {
            writeln!(f, "      {}", change.path)?;
            for (sign, value) in [('-', &change.first), ('+', &change.second)] {
                if let Some(value) = value {
                    writeln!(f, "        {sign} {}", short(value))?;
                }
            }
        }
        Ok(())
    }
}

/// Returns a value as JSON, cut if it is long.
fn short(value: &Value) -> String {
    let mut text = value.to_string();
    let all = text.len();
    if all > LONGEST {
        let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= LONGEST).last();
        text.truncate(end.unwrap_or_default());
        text.push_str(&format!("… ({all} bytes)"));
    }
    text
}
