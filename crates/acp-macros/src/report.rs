//! Collecting errors, so that one compilation shows all of them.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The errors found so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    errors: Option<syn::Error>,
}

impl Report {
    /// Adds an error that points at `tokens`.
    pub(crate) fn error(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an error that a parser returned.
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.errors {
            Some(errors) => errors.combine(error),
            None => self.errors = Some(error),
        }
    }

    /// Returns true if there are no errors.
    pub(crate) const fn is_empty(&self) -> bool {
        self.errors.is_none()
    }

    /// Returns the errors as `compile_error!` invocations, or nothing if there are none.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.errors.map(|errors| errors.to_compile_error()).unwrap_or_default()
    }
}
