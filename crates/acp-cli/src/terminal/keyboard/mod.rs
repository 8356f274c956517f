//! Lines of stdin, read only while somebody waits for one.

#[cfg(unix)]
mod polled;
#[cfg(not(unix))]
mod threaded;

#[cfg(unix)]
pub use polled::Keyboard;
#[cfg(not(unix))]
pub use threaded::Keyboard;
