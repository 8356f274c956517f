//! Lines of stdin, read only while somebody waits for one.

#[cfg(not(unix))]
mod threaded;
#[cfg(unix)]
mod polled;

#[cfg(not(unix))]
pub use threaded::Keyboard;
#[cfg(unix)]
pub use polled::Keyboard;
