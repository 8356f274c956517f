//! Tests of the attributes from outside, in one program: a module for each subject.

mod renamed;
