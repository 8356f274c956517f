//! Plain instructions, and the embedded planner's understanding of them.

use examples::coding_agent::instruction::{Instruction, NotUnderstood, parse};

fn read(file: &str) -> Instruction {
    Instruction::Read { file: file.into() }
}

fn find(text: &str) -> Instruction {
    Instruction::Find { text: text.into() }
}

fn replace(old: &str, new: &str, file: Option<&str>) -> Instruction {
    Instruction::Replace { old: old.into(), new: new.into(), file: file.map(Into::into) }
}

fn append(text: &str, file: &str) -> Instruction {
    Instruction::Append { text: text.into(), file: file.into() }
}

fn create(file: &str, text: &str) -> Instruction {
    Instruction::Create { file: file.into(), text: text.into() }
}

fn run(command: &str) -> Instruction {
    Instruction::Run { command: command.into() }
}

#[test]
fn instructions_are_understood() {
    let table = [
        ("read notes.txt", vec![read("notes.txt")]),
        ("Please show me the file `my notes.txt`.", vec![read("my notes.txt")]),
        ("open src/main.rs!", vec![read("src/main.rs")]),
        ("find TODO", vec![find("TODO")]),
        ("search for \"two words\"", vec![find("two words")]),
        ("replace `a` with `b`", vec![replace("a", "b", None)]),
        ("replace all occurrences of 'a; b' by 'c' in x.txt", vec![replace("a; b", "c", Some("x.txt"))]),
        ("change `with` to `then` in `the file`", vec![replace("with", "then", Some("the file"))]),
        ("replace 'it's' with `it is`", vec![replace("it's", "it is", None)]),
        ("replace foo with bar in x.txt", vec![replace("foo", "bar", Some("x.txt"))]),
        ("replace a with the in all", vec![replace("a", "the", Some("all"))]),
        ("create a file a.txt with a, please", vec![create("a.txt", "a")]),
        ("replace `a` with ``", vec![replace("a", "", None)]),
        ("append `the end` to notes.txt", vec![append("the end", "notes.txt")]),
        ("add the line \"x\" to the file a.txt", vec![append("x", "a.txt")]),
        ("create a file named a.txt with `one\ntwo`", vec![create("a.txt", "one\ntwo")]),
        ("write \"hello\" to a.txt", vec![create("a.txt", "hello")]),
        ("read a.txt; find `b`", vec![read("a.txt"), find("b")]),
        ("read a.txt\n\nfind `b`\n", vec![read("a.txt"), find("b")]),
        ("Read a.txt, then find `b`.", vec![read("a.txt"), find("b")]),
        ("read a.txt and then find b and append `c` to d", vec![read("a.txt"), find("b"), append("c", "d")]),
        ("run `cargo test` and run ls", vec![run("cargo test"), run("ls")]),
        // A quote that is never closed is an ordinary character.
        ("read `a.txt", vec![read("`a.txt")]),
        ("read a.txt;then read b.txt;", vec![read("a.txt"), read("b.txt")]),
    ];
    for (prompt, instructions) in table {
        assert_eq!(parse(prompt), Ok(instructions), "{prompt:?}");
    }
}

#[test]
fn the_first_clause_that_is_not_understood_is_named() {
    let table = [
        ("", ""),
        (" ;\n", ""),
        ("Hello, agent!", "Hello agent"),
        ("read", "read"),
        ("read a.txt b.txt", "read a.txt b.txt"),
        ("read a.txt then make it better", "make it better"),
        ("replace `a` with", "replace a with"),
        ("run cargo test", "run cargo test"),
        ("run ` `", "run  "),
        ("replace `a` `with` `b`", "replace a with b"),
        ("append `a` in b.txt", "append a in b.txt"),
        ("don't read a.txt", "don't read a.txt"),
    ];
    for (prompt, clause) in table {
        assert_eq!(parse(prompt), Err(NotUnderstood(clause.into())), "{prompt:?}");
    }
}
