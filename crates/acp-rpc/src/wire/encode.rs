//! Values that can be written as JSON text.

use serde_core::Serialize;

/// What can be written as JSON text: everything that is [`Serialize`].
///
/// Text that is JSON already, such as what a store gives back, implements it by copying: it is not read to be written
/// again.
///
/// ```
/// use acp_rpc::{Encode, EncodeError};
///
/// /// An object with one member, whose value is JSON text.
/// struct Stored<'a>(&'a str);
///
/// impl Encode for Stored<'_> {
///     fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
///         buffer.extend_from_slice(br#"{"stored":"#);
///         buffer.extend_from_slice(self.0.as_bytes());
///         buffer.push(b'}');
///         Ok(())
///     }
/// }
/// ```
pub trait Encode {
    /// Adds the text of one JSON value to `buffer`, and touches nothing of what is there. What a call that fails has
    /// added is taken back.
    ///
    /// It may be called more than once for one message, and under a lock, so it neither blocks nor uses the
    /// connection.
    ///
    /// # Errors
    /// The value has no JSON text, or is not to be sent after all. Nothing of the message is sent then.
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// Is called once for the params of a request or a notification that is sent, right behind the call of
    /// [`encode`](Self::encode) that has written it into the output buffer, under the same lock: whatever keeps what is
    /// sent, and in its order, does that here. Layers that look at params are not it. `json` is what is sent, with what
    /// layers have added to its `_meta`.
    ///
    /// # Errors
    /// It is not to be sent after all. It is taken out of the buffer again.
    fn leaves(&self, json: &[u8]) -> Result<(), EncodeError> {
        let _ = json;
        Ok(())
    }
}

/// Why an [`Encode`] failed.
pub type EncodeError = serde_json::Error;

impl<T: Serialize + ?Sized> Encode for T {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        serde_json::to_writer(buffer, self)
    }
}

/// A value that is only borrowed.
pub(crate) struct Borrowed<'a, P: ?Sized>(pub(crate) &'a P);

impl<P: Encode + ?Sized> Encode for Borrowed<'_, P> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.0.encode(buffer)
    }

    fn leaves(&self, json: &[u8]) -> Result<(), EncodeError> {
        self.0.leaves(json)
    }
}

/// What has been written already.
pub(crate) struct Written(pub(crate) Vec<u8>);

impl Encode for Written {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        buffer.extend_from_slice(&self.0);
        Ok(())
    }
}
