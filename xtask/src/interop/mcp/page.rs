//! The section of `docs/INTEROP.md` about MCP servers.

use super::npx::Tried;
use super::outcome::Outcome;
use super::peers::{Eras, PEERS};
use super::rows::{Client, ROWS, Spoken};
use crate::interop::table::{plain, row};

/// The columns of the matrix.
const BINDINGS: [&str; 3] = ["stdio", "HTTP", "HTTP+SSE"];
/// The columns of the servers, before the one of clients that connect at once.
const CLIENTS: [Client; 3] = [Client::Both, Client::Legacy, Client::Modern];

pub(super) fn section(outcomes: &[Outcome], prompts: &[Tried]) -> String {
    let mut text = "\
Real servers with a program built on acp-mcp: `cargo xtask interop mcp`. The program calls every tool, gets every prompt and
reads every resource. The rows are those of [MCP.md](MCP.md#two-eras). The last three columns count the servers with which
the row ended as expected: the right version was spoken, and the client's messages were right. For example, a modern server
must not get `initialize`.\n\n"
        .to_owned();
    matrix(&mut text, outcomes);
    text.push_str(
        "\nThe same tests, server by server. The numbers do not include items that a server refuses. HTTP is streamable \
         HTTP, and\nHTTP+SSE is the transport of 2024-11-05. *Given as HTTP* means that the client was not told about \
         HTTP+SSE.\n\n",
    );
    servers(&mut text, outcomes);
    text.push_str(
        "\n`acp prompt --mcp 'files=npx --no @modelcontextprotocol/server-filesystem root' … -- mcp_agent`, from the \
         prompt to the server:\n\n",
    );
    table_head(&mut text, &["case", "passed"].map(str::to_owned));
    for (name, outcome) in prompts {
        let cell = match outcome {
            Ok(()) => "yes".to_owned(),
            Err(why) => format!("**failed**: {}", plain(why)),
        };
        row(&mut text, name, [cell].into_iter());
    }
    text
}

fn matrix(text: &mut String, outcomes: &[Outcome]) {
    let heads = ["row", "client", "server", "expected"].into_iter().chain(BINDINGS);
    table_head(text, &heads.map(str::to_owned).collect::<Vec<_>>());
    for wanted in &ROWS {
        let of_row = outcomes.iter().filter(|outcome| outcome.row.name == wanted.name);
        let clients = wanted.clients.iter().map(|(client, _)| client.name());
        let has_both = wanted.eras.contains(&Eras::Both);
        let eras = wanted.eras.iter().filter(|eras| !has_both || **eras != Eras::BothOverSse);
        let eras = eras.map(|eras| eras.name());
        let spoken = wanted.clients.iter().map(|(_, spoken)| match spoken {
            Spoken::Nothing => "fails, and says why".to_owned(),
            spoken => spoken.reported().unwrap_or_default(),
        });
        let mut cells = vec![
            clients.collect::<Vec<_>>().join(" and ")
                + if wanted.clients.len() > 1 { ", at once" } else { "" },
            eras.collect::<Vec<_>>().join(", "),
            spoken.collect::<Vec<_>>().join(" and "),
        ];
        for binding in BINDINGS {
            let of_cell = of_row.clone().filter(|outcome| outcome.peer.binding.name() == binding);
            let passed = of_cell.clone().filter(|outcome| outcome.has_passed()).count();
            cells.push(match of_cell.count() {
                0 => "no such server".to_owned(),
                all if passed == all => format!("{all} of {all}"),
                all => format!("**{passed} of {all}**"),
            });
        }
        row(text, wanted.name, cells.into_iter());
    }
}

fn servers(text: &mut String, outcomes: &[Outcome]) {
    let heads = ["server", "reached by"].into_iter().chain(CLIENTS.map(Client::name)).chain(["both at once"]);
    let heads = heads.map(str::to_owned).collect::<Vec<_>>();
    table_head(text, &heads);
    for peer in &PEERS {
        let of_peer = outcomes.iter().filter(|outcome| outcome.peer.line() == peer.line());
        let mut cells = vec![peer.binding.described().to_owned()];
        cells.extend(CLIENTS.map(|client| {
            let is_alone =
                |outcome: &&Outcome| matches!(outcome.clients.as_slice(), [(one, _)] if *one == client);
            of_peer.clone().find(is_alone).map_or_else(none, cell)
        }));
        cells.push(of_peer.clone().find(|outcome| outcome.clients.len() > 1).map_or_else(none, cell));
        row(text, peer.name, cells.into_iter());
    }
}

fn none() -> String {
    "–".to_owned()
}

fn cell(outcome: &Outcome) -> String {
    let failed = outcome.clients.iter().filter_map(|(_, cell)| cell.as_ref().err().map(|why| plain(why)));
    let failed = failed.collect::<Vec<_>>();
    let what = match (failed.as_slice(), outcome.clients.as_slice()) {
        ([], [(_, Ok(how))]) => plain(how),
        ([], _) => "each as alone".to_owned(),
        (failed, _) => format!("**failed**: {}", failed.join("; ")),
    };
    format!("{}: {what}", outcome.row.name)
}

fn table_head(text: &mut String, heads: &[String]) {
    let Some((first, others)) = heads.split_first() else { return };
    row(text, first, others.iter().cloned());
    row(text, "---", others.iter().map(|_| "---".to_owned()));
}
