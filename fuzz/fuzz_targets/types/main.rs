//! Messages of any content: reading never panics, and a value survives being written and read.
//!
//! An input has two bytes that choose the kind of message, as an index in [`CASES`], and then the
//! JSON of its content.
#![no_main]

mod cases;
mod seeds;

// How the corpus tests look at a schema and make values from it.
#[allow(dead_code)]
#[path = "../../../crates/acp-testkit/tests/it/corpus/instances.rs"]
mod instances;
#[allow(dead_code)]
#[path = "../../../crates/acp-testkit/tests/it/corpus/shape.rs"]
mod shape;

use acp_json::Node;
use libfuzzer_sys::fuzz_target;

use cases::CASES;

fuzz_target!(init: seeds::write_if_asked(), |input: &[u8]| {
    let Some((choice, json)) = input.split_first_chunk::<2>() else { return };
    let case = &CASES[usize::from(u16::from_le_bytes(*choice)) % CASES.len()];
    let Ok(text) = std::str::from_utf8(json) else {
        assert!(acp_json::from_slice::<acp_json::Value>(json).is_err(), "JSON is UTF-8");
        return;
    };
    let Ok(node) = acp_json::parse(text) else { return };
    tree_survives(&node);
    (case.check)(case, node);
});

fn tree_survives(node: &Node<'_>) {
    let text = acp_json::to_string(node);
    assert_eq!(acp_json::parse(&text).as_ref(), Ok(node), "read again from {text}");
}
