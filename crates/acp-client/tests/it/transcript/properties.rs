//! Properties of every conversation.

use acp_client::Transcript;

use super::generator::{Dice, Step, conversation, split};
use super::view::View;

const SEEDS: u64 = 1000;

fn fold(steps: impl IntoIterator<Item = Step>) -> Transcript {
    let mut transcript = Transcript::new();
    for step in steps {
        step.apply(&mut transcript);
    }
    transcript
}

#[test]
fn however_messages_are_cut_the_transcript_is_the_same() {
    for seed in 0..SEEDS {
        let mut dice = Dice::new(seed);
        let (mut pieces, mut wholes) = (Vec::new(), Vec::new());
        for step in conversation(&mut dice, 24) {
            let (piece, whole) = split(&mut dice, step);
            pieces.extend(piece);
            wholes.extend(whole);
        }
        let expected = fold(wholes.clone());
        assert_eq!(fold(pieces.clone()), expected, "seed {seed}: {wholes:#?}\nin pieces: {pieces:#?}");
    }
}

#[test]
fn changes_name_all_that_changed() {
    for seed in 0..SEEDS {
        let mut dice = Dice::new(seed);
        let mut transcript = Transcript::new();
        if dice.below(2) == 0 {
            transcript = transcript.with_limit(dice.below(6));
        }
        let mut view = View::default();
        for step in conversation(&mut dice, 32) {
            for change in step.clone().apply(&mut transcript) {
                view.draw(change, &transcript);
            }
            assert!(view.shows(&transcript), "seed {seed}: after {step:?}");
        }
    }
}

#[test]
fn folding_goes_on_after_a_transcript_was_written_and_read() {
    for seed in 0..SEEDS {
        let mut dice = Dice::new(seed);
        let mut transcript = Transcript::new();
        if dice.below(2) == 0 {
            transcript = transcript.with_limit(dice.below(6));
        }
        let mut stored = transcript.clone();
        for step in conversation(&mut dice, 16) {
            let changes = step.clone().apply(&mut transcript);
            assert_eq!(step.clone().apply(&mut stored), changes, "seed {seed}: {step:?}");
            let json = stored.to_json();
            stored = Transcript::from_json(&json).expect(&json);
            assert_eq!(stored, transcript, "seed {seed}: after {step:?}, as {json}");
        }
    }
}
