//! The JSON form of terminals and named plans in a transcript.

use acp_json::{Fields, FromNode, Problem, ReadError, Record};
use acp_types::v1::{Plan, TerminalId};
use acp_types::{Meta, UnknownVariant, base64};
use serde_core::ser::SerializeMap;

use super::DisplayTerminal;
use super::json::optional;
use super::output::Output;
use super::plans::NamedPlan;
use crate::event::{PlanContent, TerminalExit, TerminalSize};

impl Record for DisplayTerminal {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        let mut terminal = Self::new(fields.required("terminalId", TerminalId::from_node)?);
        terminal.command = fields.optional("command", String::from_node)?;
        terminal.cwd = fields.optional("cwd", String::from_node)?;
        if fields.defaulted("hasExited", bool::from_node, bool::default)? {
            let code = fields.optional("exitCode", i64::from_node)?;
            terminal.exit = Some(TerminalExit::new(code, fields.optional("signal", String::from_node)?));
        }
        let cols = fields.optional("cols", u16::from_node)?;
        let rows = fields.optional("rows", u16::from_node)?;
        terminal.size = cols.zip(rows).map(|(cols, rows)| TerminalSize::new(cols, rows));
        terminal.meta = fields.optional("_meta", Meta::from_node)?;
        let data = fields.defaulted("output", String::from_node, String::default)?;
        let bytes = base64::decode(&data).ok_or_else(|| {
            ReadError::new(&fields.at().member("output"), Problem::Other("is not base64".to_owned()))
        })?;
        terminal.output = Output::new(bytes, fields.defaulted("dropped", u64::from_node, u64::default)?);
        Ok(terminal)
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("terminalId", &self.id)?;
        optional(map, "command", self.command.as_ref())?;
        optional(map, "cwd", self.cwd.as_ref())?;
        if let Some(exit) = &self.exit {
            map.serialize_entry("hasExited", &true)?;
            optional(map, "exitCode", exit.code)?;
            optional(map, "signal", exit.signal.as_ref())?;
        }
        optional(map, "cols", self.size.map(|size| size.cols))?;
        optional(map, "rows", self.size.map(|size| size.rows))?;
        optional(map, "_meta", self.meta.as_ref())?;
        optional(map, "dropped", Some(self.dropped()).filter(|dropped| *dropped > 0))?;
        map.serialize_entry("output", &base64::encode(self.output()))
    }
}

impl Record for NamedPlan {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        let tag = fields.tag("type")?;
        let id = fields.required("planId", String::from_node)?;
        let content = match &*tag {
            "items" => PlanContent::Items(Plan::read(fields)?),
            other => PlanContent::Unknown(UnknownVariant::read(other, fields)),
        };
        Ok(Self::new(id, content))
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let tag = match &self.content {
            PlanContent::Items(_) => "items",
            PlanContent::Unknown(unknown) => unknown.tag(),
        };
        map.serialize_entry("type", tag)?;
        map.serialize_entry("planId", &self.id)?;
        match &self.content {
            PlanContent::Items(plan) => plan.write(map),
            PlanContent::Unknown(unknown) => unknown.write_members(map),
        }
    }
}

acp_json::record!(DisplayTerminal);
acp_json::record!(NamedPlan);
