//! One session: sustained appends, and the load of a long one.

use std::time::Instant;

use acp_agent::store::{Journal, Record, SessionStore};
use acp_store_postgres::PostgresStore;
use acp_types::v1::{SessionId, SessionInfo};
use anyhow::Result;
use futures_util::TryStreamExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, NoTls};

use crate::server::{Database, Server};
use crate::text::{Text, update};
use crate::{checkpoint, median, options};

const ROUNDS: usize = 7;
/// The bytes of an append: as many as a recorder has at most when it is behind.
const APPEND: usize = 1024 * 1024;
const APPENDS: usize = 48;
/// The length of the long session.
pub(crate) const UPDATES: usize = 100_000;

fn batch(text: Text) -> Vec<Record> {
    let first = update(text, 0);
    (0..APPEND / (first.json().len() + 12)).map(|number| update(text, number)).collect()
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

pub(crate) async fn raw(database: &Database) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(&database.url(), NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Inserts the same bytes in rows of the same length and compression, a megabyte in a statement and
/// two statements under way, without a head, a lease and a check. Returns MiB a second.
async fn least(client: &Client, rows: &[&[u8]], round: usize) -> Result<f64> {
    let sql = "insert into least select $1 + piece.place, piece.records \
               from unnest($2::bytea[]) with ordinality as piece(records, place)";
    let insert = client.prepare_typed(sql, &[Type::INT8, Type::BYTEA_ARRAY]).await?;
    let started = Instant::now();
    let mut under_way = FuturesUnordered::new();
    for number in round * APPENDS..(round + 1) * APPENDS {
        let (insert, first) = (&insert, i64::try_from(number * 1000)?);
        under_way.push(async move { client.execute(insert, &[&first, &rows]).await });
        if under_way.len() > 1 {
            under_way.next().await.transpose()?;
        }
    }
    while under_way.next().await.transpose()?.is_some() {}
    Ok((APPENDS * APPEND) as f64 / 1048576.0 / started.elapsed().as_secs_f64())
}

pub(crate) async fn appends(server: &Server, database: &Database, store: &PostgresStore) -> Result<()> {
    let prepared = PostgresStore::connect(&options(database, 8)?.prepared_statements(true)).await?;
    let stores = [("statements prepared", &prepared), ("not prepared", store)];
    for (kind, text) in [("words", Text::Words), ("a sentence repeated", Text::Repeated)] {
        let (batch, client, folder) = (batch(text), raw(database).await?, tempfile::tempdir()?);
        let bytes: Vec<u8> =
            batch.iter().flat_map(|record| format!("update 300\n{}\n", record.json()).into_bytes()).collect();
        let rows: Vec<&[u8]> = bytes.chunks(64 * 1024).collect();
        // A table as long-lived as that of the store.
        let table = "drop table if exists least; \
                     create table least (seq bigint primary key, records bytea compression lz4)";
        client.batch_execute(table).await?;
        let (mut ours, mut ratios) = (vec![vec![]; 2], vec![vec![]; 2]);
        let (mut leasts, mut journals) = (vec![], vec![]);
        for round in 0..ROUNDS {
            checkpoint(server)?;
            let least = least(&client, &rows, round).await?;
            for (place, (name, store)) in stores.into_iter().enumerate() {
                checkpoint(server)?;
                let mine = append(store, &format!("{kind} {name} {round}"), &batch).await?;
                ours[place].push(mine);
                ratios[place].push(mine / least);
            }
            journals.push(append(&Journal::at(folder.path()), &format!("append {round}"), &batch).await?);
            leasts.push(least);
        }
        let [least, journal] = [leasts, journals].map(median);
        for ((name, _), (ours, ratio)) in stores.into_iter().zip(ours.into_iter().zip(ratios)) {
            let (ours, ratio) = (median(ours), median(ratio));
            println!(
                "| appends of {kind}, {name}, MiB/s | {ours:.0} | {least:.0} | {ratio:.2}x | >= 0.7x | {journal:.0} |"
            );
        }
    }
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
    anyhow::ensure!(count == UPDATES, "{count} records");
    Ok(started.elapsed().as_secs_f64() * 1e3)
}

pub(crate) async fn copy_out(client: &Client) -> Result<f64> {
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
        for start in (0..UPDATES).step_by(1000) {
            log.append((start..start + 1000).map(|number| update(Text::Words, number)).collect()).await?;
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
