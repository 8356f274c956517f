//! Helpers that several subjects share.

#![allow(dead_code, reason = "some subjects are there with some features only")]

pub mod own_process;
pub mod real;
