//! Tests of the inspector, over its public API.

mod attacks;
mod export;
mod rows;
mod size;
mod support;
mod views;
