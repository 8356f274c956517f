//! Bounds of the attributes on types of the user, with messages of their own.

/// A type that tasks can share: any type that is `Send + Sync + 'static`.
///
/// Handlers run as tasks. The parameters of a generic block have this bound, or these three.
#[diagnostic::on_unimplemented(
    message = "`{Self}` needs the bounds `Send + Sync + 'static`: handlers run as tasks, which share it",
    label = "add `Send + Sync + 'static` to the bounds of `{Self}`"
)]
pub trait Shared: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static> Shared for T {}

/// Compiles if tasks can share a `T`.
pub const fn assert_shared<T: ?Sized + Shared>() {}

/// An error that a handler can return. `E` is the `Error` of the handler's side.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an error of a handler: it does not become an `{E}`",
    label = "`?` does not convert this error",
    note = "`?` converts `std::io::Error`, `RpcError`, `String`, `&str` and `Box<dyn std::error::Error + Send + Sync>`",
    note = "return `Result<_, Error>`, and wrap the errors of other libraries: `.map_err(Error::other)?`",
    note = "an error type of your own converts if you write `impl From<YourError> for Error`"
)]
pub trait IntoError<E> {
    /// Converts the error.
    fn into_error(self) -> E;
}

#[diagnostic::do_not_recommend]
impl<T: Into<E>, E> IntoError<E> for T {
    fn into_error(self) -> E {
        self.into()
    }
}
