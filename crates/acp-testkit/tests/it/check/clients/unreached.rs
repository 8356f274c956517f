//! Clients that are programs, and never send `initialize`.

use std::time::Duration;

use acp_testkit::check::{ClientChecker, ClientOptions, ClientTarget, Report, Status, Version};

/// Checks a program whose agent, for which `{agent}` stands, is `cat`: it never connects.
async fn check(version: Version, words: &[&str]) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let mut options = ClientOptions::default();
    options.version = version;
    options.limit = Duration::from_millis(500);
    options.cwd = folder.path().to_owned();
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    let target = ClientTarget::command(words, vec!["cat".to_owned()]).unwrap();
    ClientChecker::new(target, options).run().await
}

#[tokio::test]
async fn the_reason_is_told_once_with_the_last_words() {
    let ended = "the client has ended without starting its agent: the process exited with status 3; its last \
                 words on stderr:\nno key\n";
    let silent = "the client has not started its agent for 500ms; its last words on stderr:\nno key\n";
    for version in super::VERSIONS {
        for (words, expected) in [
            (&["sh", "-c", "echo no key >&2; exit 3", "{agent}"][..], ended),
            (&["sh", "-c", "echo no key >&2; exec sleep 1000", "{agent}"], silent),
            (&["/acp-check/none", "{agent}"], "the client does not start: "),
        ] {
            let report = check(version, words).await;
            let text = report.to_string();
            let told = "\nthe client has never sent `initialize`, so rules are open: ";
            assert!(text.contains(told) && text.contains(expected), "{text}");
            let (_, told) = text.split_once(told).unwrap();
            // A failure of the rule that the client starts its agent stands before it.
            assert!(!text.contains("\nopen ") && told.matches("no key").count() <= 1, "{text}");
            let [_, _, _, open] = report.counts();
            assert!(open > 50 && report.status(false) != Status::Passed, "{text}");
            let reason = report.unreached().unwrap();
            assert!(reason.contains(expected.trim_end()), "{reason}");
            assert_eq!(report.to_json()["unreached"], reason);
        }
    }
}
