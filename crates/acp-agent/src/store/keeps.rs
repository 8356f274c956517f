//! Programs that keep sessions.

/// A mark of the values that only a program that keeps sessions has. Without the features that
/// create such values no mark exists, so the compiler leaves out the code that works with them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keeps(Possible);

#[cfg(any(feature = "store", feature = "v2"))]
type Possible = ();

#[cfg(not(any(feature = "store", feature = "v2")))]
type Possible = std::convert::Infallible;

impl Keeps {
    /// Returns the mark, if this program can keep sessions.
    pub(super) const fn here() -> Option<Self> {
        #[cfg(any(feature = "store", feature = "v2"))]
        return Some(Keeps(()));
        #[cfg(not(any(feature = "store", feature = "v2")))]
        None
    }
}
