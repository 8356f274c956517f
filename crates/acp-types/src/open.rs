//! Enums of strings that keep unknown values.

/// Implements the conversions of an enum of strings, from its table of names on the wire.
#[doc(hidden)]
#[macro_export]
macro_rules! string_enum {
    ($name:ident, $unknown:ident { $($(#[$attribute:meta])* $variant:ident = $wire:literal),* $(,)? }) => {
        impl $name {
            /// Returns the value as it is written on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $($(#[$attribute])* Self::$variant => $wire,)*
                    Self::$unknown(text) => text,
                }
            }

            /// Returns true if this version of the protocol knows the value.
            #[must_use]
            pub const fn is_known(&self) -> bool {
                !matches!(self, Self::$unknown(_))
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($(#[$attribute])* $wire => Self::$variant,)*
                    other => Self::$unknown(other.into()),
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::convert::Infallible;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Ok(text.into())
            }
        }

        impl acp_json::FromNode for $name {
            fn from_node(node: acp_json::Node<'_>, at: &acp_json::At<'_>) -> Result<Self, acp_json::ReadError> {
                match node.as_str() {
                    Some(text) => Ok(text.into()),
                    None => Err(acp_json::ReadError::expected(at, "a string", &node)),
                }
            }
        }

        impl serde_core::Serialize for $name {
            fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        acp_json::from_node!($name);
    };
}

/// The macro by its path: at the root of the crate it stands above this file.
pub(crate) use string_enum;
