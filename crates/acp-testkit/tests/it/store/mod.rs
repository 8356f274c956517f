//! The conformance suite for stores: correct stores pass it, and each broken one is caught.

mod broken;

use std::collections::BTreeSet;
use std::sync::Arc;

use acp_agent::store::{Journal, MemoryStore, SessionStore};
use acp_testkit::store::{StoreCase, Verdict, check_store};

use self::broken::{Broken, Flaw};

fn in_memory() -> [Arc<dyn SessionStore>; 2] {
    let store = MemoryStore::new(64 * 1024 * 1024);
    [Arc::new(store.clone()), Arc::new(store)]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_store_in_memory_passes() {
    let report = check_store(async || in_memory()).await;
    assert!(report.has_passed(), "{report}");
    assert!(!report.to_string().contains("unsupported"), "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_journal_passes() {
    let folder = tempfile::tempdir().unwrap();
    let mut number = 0;
    let report = {
        let number = std::sync::Mutex::new(&mut number);
        check_store(async || {
            let mut number = number.lock().unwrap();
            **number += 1;
            let folder = folder.path().join(number.to_string());
            let stores: [Arc<dyn SessionStore>; 2] =
                [Arc::new(Journal::at(&folder)), Arc::new(Journal::at(&folder))];
            stores
        })
        .await
    };
    assert!(report.has_passed(), "{report}");
    assert!(!report.to_string().contains("unsupported"), "{report}");
    assert_eq!(number, report.verdicts().count());
}

/// A store without the operations that a store need not have.
#[tokio::test(start_paused = true)]
async fn operations_that_a_store_does_not_have_are_left_out() {
    let report = check_store(async || in_memory().map(|inner| Broken::around(inner, Flaw::Minimal))).await;
    assert!(report.has_passed(), "{report}");
    let left_out: Vec<_> = report
        .verdicts()
        .filter(|(_, verdict)| matches!(verdict, Verdict::Unsupported(_)))
        .map(|(case, _)| case.name())
        .collect();
    let expected = [
        "copied-time",
        "older-than",
        "any-age",
        "principals",
        "principals-older-than",
        "principal-of-the-store",
        "principal-names",
    ];
    assert_eq!(left_out, expected);
}

/// The time is paused, so that a case that waits for something ends at once.
#[tokio::test(start_paused = true)]
async fn each_broken_store_is_caught_by_the_case_of_its_promise() {
    let mut caught = BTreeSet::new();
    for &(name, flaw) in Flaw::ALL {
        let case = StoreCase::all().find(|case| case.name() == name).expect(name);
        let verdict = case.run(in_memory().map(|inner| Broken::around(inner, flaw))).await;
        assert!(matches!(verdict, Verdict::Failed(_)), "{flaw:?} is not caught by `{name}`: {verdict:?}");
        caught.insert(name);
    }
    let all: BTreeSet<_> = StoreCase::all().map(StoreCase::name).collect();
    assert_eq!(caught, all, "a case without a broken store");
}
