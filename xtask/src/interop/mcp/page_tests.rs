//! The page says what was found: nothing that failed looks as if it worked.

use super::outcome::Outcome;
use super::page;
use super::peers::{PEERS, Peer};
use super::rows::{Client, ROWS};

fn outcome(row: &str, peer: &'static Peer, cells: &[(Client, Result<&str, &str>)]) -> Outcome {
    let row = ROWS.iter().find(|known| known.name == row).unwrap();
    assert!(row.eras.contains(&peer.eras), "{} is not about {}", row.name, peer.line());
    let owned = |cell: &Result<&str, &str>| (*cell).map(str::to_owned).map_err(str::to_owned);
    let clients = cells.iter().map(|(client, cell)| (*client, owned(cell))).collect();
    Outcome { row, peer, clients }
}

fn line<'a>(page: &'a str, start: &str) -> &'a str {
    page.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("no line {start:?} in {page}"))
}

fn peer(line: &str) -> &'static Peer {
    PEERS.iter().find(|peer| peer.line() == line).unwrap()
}

#[test]
fn a_row_is_a_result_and_what_failed_is_named() {
    let (one, two) = (peer("rmcp 1.8.0, stdio"), peer("Python SDK 1.30.0, stdio"));
    let both = peer("rmcp 3.9.0, both eras, HTTP");
    let outcomes = [
        outcome("M2", one, &[(Client::Modern, Ok("not connected"))]),
        outcome("M2", two, &[(Client::Modern, Err("it\nis | connected"))]),
        outcome("M8", both, &[(Client::Modern, Ok("modern")), (Client::Legacy, Ok("legacy"))]),
    ];
    let prompts = [("reads", Ok(())), ("writes", Err("it does not".to_owned()))];
    let page = page::section(&outcomes, &prompts);
    assert!(line(&page, "| M2").ends_with("| **1 of 2** | no such server | no such server |"));
    assert!(line(&page, "| M8").ends_with("| no such server | 1 of 1 | no such server |"));
    assert_eq!(line(&page, "| rmcp 1.8.0"), "| rmcp 1.8.0 | stdio | – | – | M2: not connected | – |");
    assert_eq!(
        line(&page, "| Python SDK 1.30.0 | stdio"),
        r"| Python SDK 1.30.0 | stdio | – | – | M2: **failed**: it is \| connected | – |"
    );
    assert!(line(&page, "| rmcp 3.9.0, both eras | HTTP").ends_with("| – | – | – | M8: each as alone |"));
    assert_eq!(line(&page, "| reads"), "| reads | yes |");
    assert_eq!(line(&page, "| writes"), "| writes | **failed**: it does not |");
}
