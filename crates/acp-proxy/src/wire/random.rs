//! Random texts that nobody can guess.

use acp_rpc::Error;

/// Returns so many random bytes, as two hexadecimal digits each.
pub(crate) fn hex<const BYTES: usize>() -> Result<String, Error> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::internal(format!("there are no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
