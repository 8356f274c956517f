//! Files of this machine, and an editor's buffers over them.

mod file_answer;
pub(crate) mod local_fs;
pub(crate) mod overlay;
