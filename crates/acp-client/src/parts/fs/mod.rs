//! Files of this machine, and an editor's buffers over them.

pub(crate) mod local_fs;
pub(crate) mod overlay;
