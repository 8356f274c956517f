//! Seeds of a test run, and the failure that names its seed.

use std::process::Command;

use acp_testkit::{Dice, Seeds};

/// Set for a run of this program by itself.
const INSIDE: &str = "ACP_TEST_INSIDE";

#[test]
fn dice_follow_from_their_seed_and_clones_share_them() {
    let numbers = |dice: &Dice| (0..20).map(|_| dice.below(1000)).collect::<Vec<_>>();
    assert_eq!(numbers(&Dice::new(7)), numbers(&Dice::new(7)));
    assert_ne!(numbers(&Dice::new(7)), numbers(&Dice::new(8)));
    let (one, dice) = (Dice::new(7), Dice::new(7));
    let shared: Vec<_> = (0..10).flat_map(|_| [dice.below(1000), dice.clone().below(1000)]).collect();
    assert_eq!(numbers(&one), shared);
    assert_eq!((one.below(0), one.index(1)), (0, 0));
    let mut seen = [0; 4];
    for _ in 0..4000 {
        seen[*one.pick(&[0, 1, 2, 3])] += 1;
    }
    assert!(seen.iter().all(|count| (800..1200).contains(count)), "{seen:?}");
    let often = |happens: &dyn Fn() -> bool| (0..4000).filter(|_| happens()).count();
    assert!((800..1200).contains(&often(&|| one.one_in(4))));
    assert!((800..1200).contains(&often(&|| one.percent(25))));
}

#[test]
fn a_failure_names_its_seed_and_is_the_last() {
    let mut seen = Vec::new();
    let fault = Seeds::few(10).from(5).each(|seed| {
        seen.push(seed);
        if seed == 8 { Err("eight".to_owned()) } else { Ok(()) }
    });
    let fault = fault.unwrap_err();
    assert_eq!((fault.seed, seen), (Some(8), vec![5, 6, 7, 8]));
    assert_eq!(fault.to_string(), "seed 8: eight\nto run it alone, set ACP_SEED=8");
    let fault = Seeds::few(10).each(|seed| panic!("{seed}")).unwrap_err();
    assert_eq!((fault.seed, fault.problem.contains("panicked")), (Some(0), true));
}

#[tokio::test]
async fn a_panic_between_awaits_names_its_seed() {
    let mut seen = 0;
    let fault = Seeds::few(10).each_async(async |seed| {
        tokio::task::yield_now().await;
        seen += 1;
        assert_ne!(seed, 3);
        Ok(())
    });
    assert_eq!((fault.await.unwrap_err().seed, seen), (Some(3), 4));
    Seeds::few(10).each_async(async |_| Ok(())).await.unwrap();
}

/// Runs only inside of the next test, with variables of its own.
#[test]
fn inside() {
    let Ok(expected) = std::env::var(INSIDE) else { return };
    let mut seen = Vec::new();
    let outcome = Seeds::few(2).all(4).from(7).each(|seed| {
        seen.push(seed);
        Ok(())
    });
    let outcome = outcome.map_or_else(|fault| fault.to_string(), |()| format!("{seen:?}"));
    assert_eq!(outcome, expected);
}

#[test]
fn variables_choose_the_seeds() {
    let cases: [(&[(&str, &str)], &str); 6] = [
        (&[], "[7, 8]"),
        (&[("ACP_TESTS", "full")], "[7, 8, 9, 10]"),
        (&[("ACP_SEED", "4711")], "[4711]"),
        (&[("ACP_SEEDS", "3")], "[7, 8, 9]"),
        (&[("ACP_SEEDS", "3"), ("ACP_SEEDS_FROM", "1"), ("ACP_TESTS", "full")], "[1, 2, 3]"),
        (&[("ACP_SEED", "some")], "ACP_SEED must be a number"),
    ];
    for (variables, expected) in cases {
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["seeds::inside", "--exact"]).env(INSIDE, expected);
        for name in ["ACP_TESTS", "ACP_SEED", "ACP_SEEDS", "ACP_SEEDS_FROM"] {
            program.env_remove(name);
        }
        let output = program.envs(variables.iter().copied()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{variables:?}: {said}");
    }
}
