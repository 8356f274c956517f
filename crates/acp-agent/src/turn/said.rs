//! The text of a message so far, as far as it takes to compare it.

use acp_types::v1::ContentBlock;

/// The length and the checksum of the text that was said.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    checksum: u64,
    bytes: usize,
    /// Set if something was said that is not text.
    has_more: bool,
}

impl Said {
    pub(super) fn of(content: &[ContentBlock]) -> Self {
        let mut said = Said::default();
        content.iter().for_each(|block| said.add(block));
        said
    }

    pub(super) fn add(&mut self, block: &ContentBlock) {
        match block {
            ContentBlock::Text(text) if text.annotations.is_none() && text.meta.is_none() => {
                self.bytes += text.text.len();
                // A sum by which pieces and the whole are the same.
                let step = |sum: u64, byte: u8| sum.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte);
                self.checksum = text.text.bytes().fold(self.checksum, step);
            }
            _ => self.has_more = true,
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.bytes == 0 && !self.has_more
    }

    /// Returns whether both are text, and the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let is_text = !self.has_more && !other.has_more;
        is_text && self.bytes == other.bytes && self.checksum == other.checksum
    }
}
