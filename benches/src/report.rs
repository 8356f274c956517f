//! Results: tables, and bars that are met or missed.

use anyhow::Result;

use crate::{Table, Times, write_figure, write_table};

/// All results of a run.
#[derive(Debug)]
pub struct Report {
    /// The table of the bars.
    name: &'static str,
    /// The table of the measurements that were left out.
    without: Option<&'static str>,
    tables: Vec<(&'static str, Table)>,
    bars: Vec<Bar>,
    skipped: Vec<String>,
    figures: Vec<(&'static str, String)>,
}

/// A figure with an upper limit.
#[derive(Debug)]
struct Bar {
    case: &'static str,
    limit: String,
    ours: String,
    peer: String,
    met: bool,
}

impl Report {
    /// Creates a report whose bars are in the table of this name.
    pub fn new(name: &'static str) -> Self {
        let (tables, bars, figures) = (Vec::new(), Vec::new(), Vec::new());
        Self { name, without: None, tables, bars, skipped: Vec::new(), figures }
    }

    /// Lists measurements that were left out in the table of this name.
    #[must_use]
    pub fn skipped(mut self, name: &'static str) -> Self {
        self.without = Some(name);
        self
    }

    /// Adds a table, and prints it.
    pub fn table(&mut self, name: &'static str, table: Table) {
        println!("\n{name}\n");
        table.print();
        self.tables.push((name, table));
    }

    /// Adds a bar for a ratio: our times and the official crate's, relative to the times of `base`.
    pub fn ratio(&mut self, case: &'static str, limit: f64, base: &str, ours: f64, peer: Option<f64>) {
        let digits = if (limit * 10.0).fract() == 0.0 { 1 } else { 2 };
        self.bars.push(Bar {
            case,
            limit: format!("{limit:.digits$}x {base}"),
            ours: format!("{ours:.2}x"),
            peer: peer.map_or_else(String::new, |peer| format!("{peer:.1}x")),
            met: ours <= limit,
        });
    }

    /// Adds a bar for a number.
    pub fn count(&mut self, case: &'static str, limit: f64, unit: &str, ours: f64, peer: Option<f64>) {
        self.bars.push(Bar {
            case,
            limit: format!("{limit} {unit}"),
            ours: number(ours),
            peer: peer.map(number).unwrap_or_default(),
            met: ours <= limit,
        });
    }

    /// Adds a figure for the README.
    pub fn figure(&mut self, name: &'static str, text: String) {
        self.figures.push((name, text));
    }

    /// Notes a measurement that was not possible.
    pub fn skip(&mut self, what: &str, reason: &anyhow::Error) {
        println!("\nskipped: {what}: {reason:#}");
        self.skipped.push(format!("{what}: {reason:#}"));
    }

    /// Prints the bars and returns the number of missed ones. The common parts are written only if
    /// `is_all`.
    pub fn finish(mut self, write: bool, is_all: bool) -> Result<usize> {
        let mut table = Table::new(&["case", "bar", "ours", "Rust SDK", ""]);
        for bar in &self.bars {
            let verdict = if bar.met { "met" } else { "**missed**" };
            table.row([bar.case, &bar.limit, &bar.ours, &bar.peer, verdict].map(str::to_owned));
        }
        self.table(self.name, table);
        for bar in self.bars.iter().filter(|bar| !bar.met) {
            println!("\nmissed: {}: {}, not {}", bar.case, bar.ours, bar.limit);
        }
        if write {
            for (name, table) in self.tables.iter().filter(|(name, _)| is_all || *name != self.name) {
                write_table(name, &table.render())?;
            }
            for (name, figure) in &self.figures {
                write_figure(name, figure)?;
            }
        }
        if let Some(name) = self.without.filter(|_| write && is_all) {
            let skipped = match self.skipped.as_slice() {
                [] => "Nothing was left out.".to_owned(),
                skipped => skipped.iter().map(|line| format!("* left out: {line}\n")).collect(),
            };
            write_table(name, &skipped)?;
        }
        Ok(self.bars.iter().filter(|bar| !bar.met).count())
    }
}

/// Returns the ratio of `times` to the times of `base`.
pub fn times_of(times: &Times, base: &Times) -> f64 {
    base.faster_than(times)
}

/// Formats a duration with a fitting unit.
pub fn duration(nanoseconds: f64) -> String {
    match nanoseconds {
        t if t < 100_000.0 => format!("{:.1} µs", t / 1e3),
        t if t < 1e6 => format!("{:.0} µs", t / 1e3),
        t if t < 1e8 => format!("{:.1} ms", t / 1e6),
        t => format!("{:.0} ms", t / 1e6),
    }
}

/// Formats a number with its significant digits.
pub fn number(number: f64) -> String {
    if number < 10.0 { format!("{number:.1}") } else { format!("{number:.0}") }
}
