//! Recordings that become traces of the official SDK, and traces that become recordings.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use acp_client::tap::{Record, Recording};
use acp_testkit::recordings::{TraceReader, TraceWriter};

use crate::args::tap::Form;
use crate::outcome::{Failure, tell};
use crate::output::Written;

/// Converts a file, record by record, into another one or to stdout.
pub(super) fn run(from: &Path, form: Form, to: Option<&Path>) -> Result<(), Failure> {
    let named = |problem: String| format!("`--convert {}`: {problem}", from.display());
    let input = BufReader::new(File::open(from).map_err(|error| named(error.to_string()))?);
    let left_out = match to {
        None => convert(input, form, BufWriter::new(io::stdout().lock()), &named)?,
        Some(file) => {
            let problem = |error: io::Error| format!("`--to {}`: {error}", file.display());
            let mut output = Written::begin(file).map_err(problem)?;
            let left_out = convert(input, form, &mut output, &named)?;
            output.finish().map_err(problem)?;
            left_out
        }
    };
    if left_out > 0 {
        tell(&format!("acp: {left_out} lines have no place in the other form and are left out"));
    }
    Ok(())
}

/// Converts the records. Returns the number of lines that have no place in the other form.
fn convert(
    input: impl BufRead,
    form: Form,
    mut output: impl Write,
    named: &dyn Fn(String) -> String,
) -> Result<u64, Failure> {
    let left_out = match form {
        Form::Trace => {
            let mut writer = TraceWriter::new(&mut output);
            for record in Recording::new(input) {
                writer.add(record.map_err(|error| named(error.to_string()))?)?;
            }
            writer.finish()?
        }
        Form::Recording => {
            let mut reader = TraceReader::new(input);
            let mut line = Vec::new();
            for record in &mut reader {
                line.clear();
                let record: Record = record.map_err(|error| named(error.to_string()))?;
                record.write(&mut line);
                output.write_all(&line)?;
            }
            reader.left_out()
        }
    };
    output.flush()?;
    Ok(left_out)
}
