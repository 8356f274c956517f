//! Processes as the system lists them.

/// Returns the system's line about a running process. A killed process does not run, even before
/// the system has cleared it away: then it has an exit code, or is a zombie.
pub(crate) fn running(pid: &str) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, values) = stat.rsplit_once(") ")?;
    let has_ended = values.starts_with(['Z', 'X']) || values.trim_end().rsplit(' ').next() != Some("0");
    (!has_ended).then_some(stat)
}
