//! Secrets that this side makes up.

/// The characters of a secret, six bits each. They can stand in headers, in subprotocols and in
/// addresses.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Draws 128 random bits, as 22 characters. Fails if the system has no random numbers.
pub(super) fn draw() -> Option<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok()?;
    let mut bits = u128::from_le_bytes(bytes);
    let characters = (0..22).map(|_| {
        let index = usize::try_from(bits & 63).unwrap_or_default();
        bits >>= 6;
        ALPHABET.get(index).copied().map_or('-', char::from)
    });
    Some(characters.collect())
}
