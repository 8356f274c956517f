//! Turns, one after the other.

use super::*;

#[test]
fn a_turn_is_shown_and_the_next_one_is_in_the_same_session() {
    let home = home();
    let turn = r#"take; case $line in *session/prompt*'"s1"'*'"first"'*) ;; *) exit 7;; esac
        say 'one answer'; "#;
    let next = r#"take; case $line in *session/prompt*'"s1"'*'"second"'*) ;; *) exit 7;; esac
        say 'another answer'; "#;
    let mut screen = open(home.path(), &[], &format!("{turn}{END}\n{next}{END}; take"));
    enter(&mut screen, "first");
    screen.until("one answer\r\n");
    screen.until("> ");
    enter(&mut screen, "second");
    screen.until("another answer\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}
