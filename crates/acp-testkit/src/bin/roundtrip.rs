//! `roundtrip`: answers each line of stdin, see [`acp_testkit::answer`].
//! `roundtrip --transcripts <folder>`: decodes recorded traffic, see [`acp_testkit::transcripts`].

use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use acp_testkit::{answer, transcripts};

const USAGE: &str = "\
usage: roundtrip                          answer the lines {\"version\":…,\"def\":…,\"value\":…} on stdin
       roundtrip --transcripts <folder>   decode the recordings *.ndjson of a folder";

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let result = match args.as_slice() {
        [] => answer_lines(),
        [flag, folder] if flag == "--transcripts" => decode(Path::new(folder)),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, USAGE)),
    };
    match result {
        Ok(code) => code,
        // The reader of the output has gone away, which is not an error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // If stderr is gone too, nobody can be told.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn answer_lines() -> io::Result<ExitCode> {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut line = Vec::new();
    loop {
        // The answers leave before a read that may block: a writer may wait for them.
        if input.buffer().is_empty() {
            output.flush()?;
        }
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            output.flush()?;
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(answer) = answer(&line) {
            output.write_all(answer.as_bytes())?;
            output.write_all(b"\n")?;
        }
    }
}

fn decode(folder: &Path) -> io::Result<ExitCode> {
    let summary = transcripts::decode(folder)?;
    write!(io::stdout().lock(), "{summary}")?;
    Ok(if summary.refused_valid() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
