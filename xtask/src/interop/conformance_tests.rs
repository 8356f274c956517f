//! Reading the output of the conformance tool.

use super::conformance::{listed, passed_checks};

const LIST: &str = "\
Required for 2026-07-28 (3 scenarios):

Server scenarios (test against a server):
  - caching

Client scenarios (test against a client):
  - tools_call
  - auth/basic

Not scored:
  extension (2):
    - auth/dpop [client]
    - tasks-lifecycle [server]
";

#[test]
fn the_scenarios_of_clients_are_listed() {
    let scenarios = listed("2026-07-28", LIST);
    let shown: Vec<_> = scenarios.iter().map(|scenario| (&*scenario.name, scenario.is_required)).collect();
    assert_eq!(shown, [("tools_call", true), ("auth/basic", true), ("auth/dpop", false)]);
}

#[test]
fn checks_are_counted() {
    assert_eq!(passed_checks("Checks:\nPassed: 12/13, 1 failed, 0 warnings\n"), 12);
    assert_eq!(passed_checks("it fell over"), 0);
}
