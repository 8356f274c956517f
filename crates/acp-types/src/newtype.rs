//! Named strings, integers and free JSON.
//!
//! Generated code calls the macros, here and in crates that are generated from a schema of their
//! own.

/// Makes a string type that is cheap to clone. It is compared and hashed as text.
#[doc(hidden)]
#[macro_export]
macro_rules! string_newtype {
    ($name:ident) => {
        impl $name {
            /// Makes it of its text.
            #[must_use]
            pub fn new(text: impl Into<std::sync::Arc<str>>) -> Self {
                Self(text.into())
            }

            /// Returns the text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::convert::Infallible;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Ok(text.into())
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl From<std::sync::Arc<str>> for $name {
            fn from(text: std::sync::Arc<str>) -> Self {
                Self(text)
            }
        }

        impl From<&$name> for $name {
            fn from(text: &$name) -> Self {
                text.clone()
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                *self.0 == *other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                *self.0 == **other
            }
        }

        impl serde_core::Serialize for $name {
            fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        $crate::newtype!(@read $name: std::sync::Arc<str>);
    };
}

/// Makes an integer type.
#[doc(hidden)]
#[macro_export]
macro_rules! integer_newtype {
    ($name:ident: $inner:ty) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        $crate::newtype!($name: $inner);
    };
}

/// Reads and writes a newtype like its content.
#[doc(hidden)]
#[macro_export]
macro_rules! newtype {
    ($name:ident: $inner:ty) => {
        impl serde_core::Serialize for $name {
            fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serde_core::Serialize::serialize(&self.0, serializer)
            }
        }

        $crate::newtype!(@read $name: $inner);
    };
    (@read $name:ident: $inner:ty) => {
        impl acp_json::FromNode for $name {
            fn from_node(node: acp_json::Node<'_>, at: &acp_json::At<'_>) -> Result<Self, acp_json::ReadError> {
                <$inner as acp_json::FromNode>::from_node(node, at).map(Self)
            }
        }

        acp_json::from_node!($name);
    };
}
