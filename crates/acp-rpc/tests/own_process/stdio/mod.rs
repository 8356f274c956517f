//! Stdin and stdout as the wire: pipes, sockets, files and terminals, with the guard and without
//! it.
//!
//! This program starts itself: as the parent it is the test, as the child it is the agent.

mod agent;
mod parent;

pub(crate) use parent::run;

/// Serves as the agent if the environment says so.
pub(crate) fn plays_a_part() -> bool {
    let Ok(role) = std::env::var("ACP_RPC_TEST_AGENT") else { return false };
    match role.as_str() {
        #[cfg(target_os = "linux")]
        "measures" => agent::measure(),
        guard => agent::run(guard == "guarded"),
    }
    true
}

fn is_nonblocking(fd: impl std::os::fd::AsFd) -> bool {
    rustix::fs::fcntl_getfl(fd).unwrap().contains(rustix::fs::OFlags::NONBLOCK)
}

#[cfg(target_os = "linux")]
fn pipe_size(fd: impl std::os::fd::AsFd) -> usize {
    rustix::pipe::fcntl_getpipe_size(fd).unwrap()
}
