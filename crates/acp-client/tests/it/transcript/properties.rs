//! Properties of every conversation.

use acp_client::Transcript;
use testkit::{Dice, Seeds};

use super::generator::{Step, conversation, split};
use super::view::View;

const SEEDS: Seeds = Seeds::few(1000);

fn fold(steps: impl IntoIterator<Item = Step>) -> Transcript {
    let mut transcript = Transcript::new();
    for step in steps {
        step.apply(&mut transcript);
    }
    transcript
}

#[test]
fn however_messages_are_cut_the_transcript_is_the_same() {
    let all = SEEDS.each(|seed| {
        let dice = Dice::new(seed);
        let (mut pieces, mut wholes) = (Vec::new(), Vec::new());
        for step in conversation(&dice, 24) {
            let (piece, whole) = split(&dice, step);
            pieces.extend(piece);
            wholes.extend(whole);
        }
        let expected = fold(wholes.clone());
        assert_eq!(fold(pieces.clone()), expected, "{wholes:#?}\nin pieces: {pieces:#?}");
        Ok(())
    });
    all.unwrap();
}

#[test]
fn changes_name_all_that_changed() {
    let all = SEEDS.each(|seed| {
        let dice = Dice::new(seed);
        let mut transcript = Transcript::new();
        if dice.below(2) == 0 {
            transcript = transcript.with_limit(dice.index(6));
        }
        let mut view = View::default();
        for step in conversation(&dice, 32) {
            for change in step.clone().apply(&mut transcript) {
                view.draw(change, &transcript);
            }
            assert!(view.shows(&transcript), "after {step:?}");
        }
        Ok(())
    });
    all.unwrap();
}

#[test]
fn folding_goes_on_after_a_transcript_was_written_and_read() {
    let all = SEEDS.each(|seed| {
        let dice = Dice::new(seed);
        let mut transcript = Transcript::new();
        if dice.below(2) == 0 {
            transcript = transcript.with_limit(dice.index(6));
        }
        let mut stored = transcript.clone();
        for step in conversation(&dice, 16) {
            let changes = step.clone().apply(&mut transcript);
            assert_eq!(step.clone().apply(&mut stored), changes, "{step:?}");
            let json = stored.to_json();
            stored = Transcript::from_json(&json).expect(&json);
            assert_eq!(stored, transcript, "after {step:?}, as {json}");
        }
        Ok(())
    });
    all.unwrap();
}
