//! The name that may be meant by a wrong one.

/// The likeness of two names from which on one may be meant by the other.
const NEAR: f64 = 0.8;

/// Returns the name that is most like this one, if it is like it at all.
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |other: &str| strsim::jaro_winkler(name, other);
    let best = names.max_by(|one, other| likeness(one).total_cmp(&likeness(other)))?;
    (likeness(best) >= NEAR).then_some(best)
}
