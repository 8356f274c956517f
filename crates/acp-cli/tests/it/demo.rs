//! `acp demo` goes through a whole turn.

use std::process::Command;

#[test]
fn the_demo_goes_through_every_stage_in_order() {
    let demo = Command::new(env!("CARGO_BIN_EXE_acp"))
        .arg("demo")
        // The demo does not depend on a language model, whatever the environment says.
        .env("OPENAI_BASE_URL", "http://127.0.0.1:9/nothing")
        .output()
        .expect("acp runs");
    let (out, err) = (String::from_utf8_lossy(&demo.stdout), String::from_utf8_lossy(&demo.stderr));
    assert_eq!(demo.status.code(), Some(0), "{out}{err}");
    let stages = [
        "a scratch folder",
        "plan\n",
        "Read notes.txt",
        "-- mlik\n+- milk\n",
        "permission: ",
        "(completed)",
        "notes.txt now:",
        "  - milk",
        "done: plan, read, permission, edit, end",
    ];
    let mut rest = &*out;
    for stage in stages {
        let at =
            rest.find(stage).unwrap_or_else(|| panic!("{stage:?} is missing, or in the wrong place: {out}"));
        rest = &rest[at + stage.len()..];
    }
}
