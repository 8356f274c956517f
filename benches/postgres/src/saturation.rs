//! A thousand sessions on eight connections, beside pgbench with the same statement.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use acp_agent::store::{Record, RecordKind, SessionStore as _};
use acp_store_postgres::PostgresStore;
use acp_types::v1::SessionInfo;
use anyhow::{Context as _, Result};
use tokio::sync::{Mutex, mpsc};

use crate::checkpoint;
use crate::server::{Database, Server};

const SESSIONS: usize = 1000;
const SECONDS: u64 = 10;
/// The bytes of a turn's last records.
const BYTES: usize = 2000;

pub(crate) async fn measure(server: &Server, database: &Database, store: &PostgresStore) -> Result<()> {
    let mut logs = Vec::new();
    for number in 0..SESSIONS {
        let mut log = store.create(SessionInfo::new(format!("s{number}"), "/work")).await?;
        log.append(records()).await?;
        logs.push(Mutex::new(log));
    }
    let logs = Arc::new(logs);
    prepare_pgbench(server, database)?;
    checkpoint(server)?;
    let ours = saturate(&logs).await?;
    checkpoint(server)?;
    let theirs = pgbench(server, database, None)?.0;
    println!("| 1,000 sessions, commits/s | {ours:.0} | {theirs:.0} | {:.2}x | >= 0.7x | |", ours / theirs);
    let rate = theirs / 2.0;
    checkpoint(server)?;
    let p99 = at_rate(&logs, rate).await?;
    checkpoint(server)?;
    let other = pgbench(server, database, Some(rate))?.1;
    println!("| p99 at half of it, ms | {p99:.1} | {other:.1} | {:.2}x | <= 3x | |", p99 / other);
    Ok(())
}

fn records() -> Vec<Record> {
    vec![Record::new(RecordKind::Update, format!("\"{}\"", "x".repeat(BYTES - 20))).expect("it is JSON")]
}

type Logs = Arc<Vec<Mutex<Box<dyn acp_agent::store::SessionLog>>>>;

/// Appends in all sessions at once. Returns commits a second.
async fn saturate(logs: &Logs) -> Result<f64> {
    let until = Instant::now() + Duration::from_secs(SECONDS);
    let mut tasks = Vec::new();
    for number in 0..SESSIONS {
        let logs = Arc::clone(logs);
        tasks.push(tokio::spawn(async move {
            let (mut log, mut count) = (logs[number].lock().await, 0_u64);
            while Instant::now() < until {
                log.append(records()).await?;
                count += 1;
            }
            Ok::<_, acp_agent::store::StoreError>(count)
        }));
    }
    let mut total = 0;
    for task in tasks {
        total += task.await??;
    }
    Ok(total as f64 / SECONDS as f64)
}

/// Appends so many times a second, each in the next session. Returns the 99th percentile in
/// milliseconds, from the moment at which the append was due.
async fn at_rate(logs: &Logs, rate: f64) -> Result<f64> {
    let (done, mut times) = mpsc::unbounded_channel();
    let started = Instant::now();
    for number in 0..(rate * SECONDS as f64) as usize {
        let due = started + Duration::from_secs_f64(number as f64 / rate);
        tokio::time::sleep_until(due.into()).await;
        let (logs, done) = (Arc::clone(logs), done.clone());
        tokio::spawn(async move {
            let appended = logs[number % SESSIONS].lock().await.append(records()).await;
            let _ = done.send(appended.map(|()| due.elapsed().as_secs_f64() * 1e3));
        });
    }
    drop(done);
    let mut all = Vec::new();
    while let Some(time) = times.recv().await {
        all.push(time?);
    }
    percentile(all)
}

fn percentile(mut times: Vec<f64>) -> Result<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() * 99 / 100).copied().context("no times")
}

/// Makes sessions for pgbench, with leases that last, and the script.
fn prepare_pgbench(server: &Server, database: &Database) -> Result<()> {
    let sql = format!(
        "insert into acp_session (principal, session, info, folder, updated, seq, state_at, holder, epoch, lease_until) \
         select 'pgbench', 's' || n, '{{}}', '/work', now(), 0, '{{}}', 'pgbench', 1, now() + interval '1 day' \
         from generate_series(0, {}) n",
        SESSIONS - 1,
    );
    server.psql(&database.name, &sql).context("sessions of pgbench")?;
    let script = format!(
        "\\set n random(0, {})\n\
         with head as (update acp_session s set seq = s.seq + 1, updated = now(), state_at = '{{}}', \
         lease_until = now() + 30000 * interval '1 millisecond' \
         where s.principal = 'pgbench' and s.session = 's' || :n and s.holder = 'pgbench' and s.epoch = 1 \
         returning s.session, s.seq) \
         insert into acp_batch (principal, session, seq, records) \
         select 'pgbench', head.session, head.seq - 1 + piece.place, piece.records \
         from head, unnest(array['{}'::bytea]) with ordinality as piece(records, place) returning seq;\n",
        SESSIONS - 1,
        "x".repeat(BYTES),
    );
    Ok(std::fs::write(server.path().join("pgbench.sql"), script)?)
}

/// Runs pgbench. Returns transactions a second, and the 99th percentile in milliseconds.
fn pgbench(server: &Server, database: &Database, rate: Option<f64>) -> Result<(f64, f64)> {
    let log = tempfile::tempdir()?;
    let mut pgbench = Command::new("/usr/lib/postgresql/15/bin/pgbench");
    pgbench.args(["-n", "-M", "extended", "-c", "8", "-j", "2", "-U", "postgres", "-l"]);
    pgbench.args(["-T", &SECONDS.to_string()]).arg("-h").arg(server.path());
    pgbench.arg("-f").arg(server.path().join("pgbench.sql")).arg(&database.name).current_dir(log.path());
    if let Some(rate) = rate {
        pgbench.arg("-R").arg(format!("{rate:.0}"));
    }
    let output = pgbench.output().context("pgbench")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let tps = text.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    let mut times = Vec::new();
    for file in std::fs::read_dir(log.path())? {
        for line in std::fs::read_to_string(file?.path())?.lines() {
            let micros: Option<f64> = line.split(' ').nth(2).and_then(|micros| micros.parse().ok());
            times.push(micros.context("a line of pgbench's log")? / 1e3);
        }
    }
    let tps = tps.with_context(|| format!("{text}{}", String::from_utf8_lossy(&output.stderr)))?;
    Ok((tps, percentile(times)?))
}
