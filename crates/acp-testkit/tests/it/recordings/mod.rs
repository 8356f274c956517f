//! Recordings of any connection: written, converted to a common form, and compared.

mod compare;
mod form;
mod tape;
