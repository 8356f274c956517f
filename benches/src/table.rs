//! Tables in Markdown, aligned for the terminal as well.

/// Rows of text under a header. The first column is aligned to the left, the others to the right.
#[derive(Debug)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    pub fn new(header: &[&str]) -> Self {
        Table { rows: vec![header.iter().map(|&name| name.to_owned()).collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Writes the table to stdout.
    pub fn print(&self) {
        println!("{}", self.render().trim_end());
    }

    /// Returns the table as text, with a line break after each row.
    pub fn render(&self) -> String {
        let mut text = String::new();
        let columns = self.rows[0].len();
        let width =
            |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (index, row) in self.rows.iter().enumerate() {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            text.push_str(&format!("| {} |\n", cells.collect::<Vec<_>>().join(" | ")));
            if index == 0 {
                let rules = widths.iter().enumerate().map(|(column, &width)| {
                    if column == 0 { "-".repeat(width) } else { format!("{}:", "-".repeat(width - 1)) }
                });
                text.push_str(&format!("| {} |\n", rules.collect::<Vec<_>>().join(" | ")));
            }
        }
        text
    }
}
