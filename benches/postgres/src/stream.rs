//! One session: sustained appends, and the load of a long one.

use std::time::Instant;

use acp_agent::store::{Journal, Record, RecordKind, SessionStore};
use acp_store_postgres::PostgresStore;
use acp_types::v1::{SessionId, SessionInfo};
use anyhow::Result;
use futures_util::TryStreamExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, NoTls};

use crate::median;
use crate::server::Database;

const ROUNDS: usize = 5;
/// The bytes of an append: as many as a recorder has at most when it is behind.
const APPEND: usize = 1024 * 1024;
const APPENDS: usize = 48;

/// Returns an update with a text of some 200 characters.
fn update(number: usize) -> Record {
    let text = "a word, and another one, ".repeat(8);
    let content = format!(r#"{{"type":"text","text":"{text}{number}"}}"#);
    let json = format!(r#"{{"sessionUpdate":"agent_message_chunk","content":{content}}}"#);
    Record::new(RecordKind::Update, json).expect("it is JSON")
}

fn batch() -> Vec<Record> {
    let first = update(0);
    (0..APPEND / (first.json().len() + 12)).map(update).collect()
}

/// Appends so many batches to a new session. Returns MiB a second.
async fn append(store: &dyn SessionStore, session: &str, batch: &[Record]) -> Result<f64> {
    let mut log = store.create(SessionInfo::new(session, "/work")).await?;
    let batches: Vec<Vec<Record>> = (0..APPENDS).map(|_| batch.to_vec()).collect();
    let started = Instant::now();
    for batch in batches {
        log.append(batch).await?;
        log.commit().await?;
    }
    let seconds = started.elapsed().as_secs_f64();
    log.close().await?;
    Ok((APPENDS * APPEND) as f64 / 1048576.0 / seconds)
}

async fn raw(database: &Database) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(&database.url(), NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Inserts the same bytes in rows of the same length, a megabyte in a statement and two statements
/// under way, without a head, a lease and a check.
async fn least(client: &Client, rows: &[&[u8]]) -> Result<f64> {
    client
        .batch_execute(
            "drop table if exists least; create table least (seq bigint primary key, records bytea)",
        )
        .await?;
    let sql = "insert into least select $1 + piece.place, piece.records \
               from unnest($2::bytea[]) with ordinality as piece(records, place)";
    let insert = client.prepare_typed(sql, &[Type::INT8, Type::BYTEA_ARRAY]).await?;
    let started = Instant::now();
    let mut under_way = FuturesUnordered::new();
    for number in 0..APPENDS as i64 {
        let (insert, first) = (&insert, number * 1000);
        under_way.push(async move { client.execute(insert, &[&first, &rows]).await });
        if under_way.len() > 1 {
            under_way.next().await.transpose()?;
        }
    }
    while under_way.next().await.transpose()?.is_some() {}
    Ok((APPENDS * APPEND) as f64 / 1048576.0 / started.elapsed().as_secs_f64())
}

pub(crate) async fn appends(database: &Database, store: &PostgresStore) -> Result<()> {
    let (batch, client, folder) = (batch(), raw(database).await?, tempfile::tempdir()?);
    let text: Vec<u8> =
        batch.iter().flat_map(|record| format!("update 300\n{}\n", record.json()).into_bytes()).collect();
    let rows: Vec<&[u8]> = text.chunks(64 * 1024).collect();
    let (mut ours, mut leasts, mut journals, mut ratios) = (vec![], vec![], vec![], vec![]);
    for round in 0..ROUNDS {
        let mine = append(store, &format!("append {round}"), &batch).await?;
        let raw = least(&client, &rows).await?;
        journals.push(append(&Journal::at(folder.path()), &format!("append {round}"), &batch).await?);
        ours.push(mine);
        leasts.push(raw);
        ratios.push(mine / raw);
    }
    let [ours, least, journal, ratio] = [ours, leasts, journals, ratios].map(median);
    println!("| appends, MiB/s | {ours:.0} | {least:.0} | {ratio:.2}x | >= 0.7x | {journal:.0} |");
    Ok(())
}

/// Reads all records. Returns milliseconds.
async fn read(store: &dyn SessionStore, session: &SessionId) -> Result<f64> {
    let started = Instant::now();
    let (mut records, mut count) = (store.read(session).await?, 0);
    loop {
        match records.next().await?.len() {
            0 => break,
            more => count += more,
        }
    }
    anyhow::ensure!(count == 100_000, "{count} records");
    Ok(started.elapsed().as_secs_f64() * 1e3)
}

async fn copy_out(client: &Client) -> Result<f64> {
    let sql =
        "copy (select records from acp_batch where session = 'long' order by seq) to stdout (format binary)";
    let started = Instant::now();
    let mut rows = std::pin::pin!(client.copy_out(sql).await?);
    let mut bytes = 0;
    while let Some(row) = rows.try_next().await? {
        bytes += row.len();
    }
    anyhow::ensure!(bytes > 1_000_000, "{bytes} bytes");
    Ok(started.elapsed().as_secs_f64() * 1e3)
}

pub(crate) async fn loads(database: &Database, store: &PostgresStore) -> Result<()> {
    let (client, folder, id) = (raw(database).await?, tempfile::tempdir()?, SessionId::from("long"));
    let journal = Journal::at(folder.path());
    let all: [&dyn SessionStore; 2] = [store, &journal];
    for store in all {
        let mut log = store.create(SessionInfo::new(id.clone(), "/work")).await?;
        for start in (0..100_000).step_by(1000) {
            log.append((start..start + 1000).map(update).collect()).await?;
        }
        log.close().await?;
    }
    let (mut ours, mut copies, mut journals, mut ratios) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        let (mine, copy) = (read(store, &id).await?, copy_out(&client).await?);
        journals.push(read(&journal, &id).await?);
        ours.push(mine);
        copies.push(copy);
        ratios.push(mine / copy);
    }
    let [ours, copy, journal, ratio] = [ours, copies, journals, ratios].map(median);
    println!("| read of 100,000 updates, ms | {ours:.0} | {copy:.0} | {ratio:.2}x | | {journal:.0} |");
    Ok(())
}
