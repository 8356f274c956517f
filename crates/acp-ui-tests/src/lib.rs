//! Nothing but a package for the test `ui`, which runs the compiler on agents and clients with
//! mistakes.
