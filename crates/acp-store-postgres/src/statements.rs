//! The statements of the store. `docs/POSTGRES.md` lists what they use of SQL.
//!
//! In all of them `$1` is the principal and `$2` the session. In those with the conditions of a
//! lease, `$3` is the holder and `$4` the epoch. Each is its own transaction.

use std::sync::LazyLock;

use crate::lease::{ADOPT, CHANGE, Condition, DELETE, FENCE, OPEN, PIECE, RELEASE, REMOVE, RENEW, UNDO, sql};

/// Sets the end of a lease. `{n}` is the parameter with its milliseconds.
macro_rules! lease_until {
    ($n:literal) => {
        concat!("lease_until = now() + $", $n, "::bigint * interval '1 millisecond'")
    };
}

const OF_SESSION: &str = "s.principal = $1 and s.session = $2";

/// `$5` info, `$6` folder, `$7` milliseconds.
pub(crate) const CREATE: &str = "insert into acp_session \
     (principal, session, info, folder, updated, seq, state_at, holder, epoch, lease_until) \
     values ($1, $2, $5, $6, now(), 0, '{}', $3, $4, now() + $7::bigint * interval '1 millisecond') \
     on conflict (principal, session) do nothing returning epoch";

/// `$4` milliseconds, `$5` the holders of earlier attempts. Returns epoch, seq, info, `state_at`.
pub(crate) static OPEN_SESSION: LazyLock<String> = LazyLock::new(|| taking(OPEN));

/// Takes a session that an earlier attempt has created, with the same parameters and columns.
pub(crate) static ADOPT_SESSION: LazyLock<String> = LazyLock::new(|| taking(ADOPT));

fn taking(conditions: &[Condition]) -> String {
    format!(
        "update acp_session s set epoch = s.epoch + 1, holder = $3, {} where {OF_SESSION} and {} \
         returning s.epoch, s.seq, s.info, s.state_at",
        lease_until!("4"),
        sql(conditions),
    )
}

/// `$4` milliseconds. Returns epoch and seq.
pub(crate) static FENCE_SELF: LazyLock<String> = LazyLock::new(|| {
    format!(
        "update acp_session s set epoch = s.epoch + 1, {} where {OF_SESSION} and {} returning s.epoch, s.seq",
        lease_until!("4"),
        sql(FENCE),
    )
});

/// `$5` the number of rows, `$6` `state_at`, `$7` milliseconds, `$8` the rows. Returns seq.
///
/// The head and the rows are one statement, and so they come together.
pub(crate) static APPEND: LazyLock<String> = LazyLock::new(|| {
    format!(
        "with head as (update acp_session s set seq = s.seq + $5, updated = now(), state_at = $6, {} \
         where {OF_SESSION} and {} returning s.seq) \
         insert into acp_batch (principal, session, seq, records) \
         select $1, $2, head.seq - $5 + piece.place, piece.records \
         from head, unnest($8::bytea[]) with ordinality as piece(records, place) returning seq",
        lease_until!("7"),
        sql(CHANGE),
    )
});

/// `$5` info, `$6` milliseconds, `$7` whether it is a use of the session, `$8` the time to set or
/// null. Returns seq.
pub(crate) static SET_INFO: LazyLock<String> = LazyLock::new(|| {
    format!(
        "update acp_session s set seq = s.seq + 1, info = $5, {}, \
         updated = coalesce($8::timestamptz, case when $7 then now() else s.updated end) where {OF_SESSION} and {} returning s.seq",
        lease_until!("6"),
        sql(CHANGE),
    )
});

/// `$1`, `$2` and `$3` are lists, `$4` milliseconds. Returns the holders that still have a session.
pub(crate) static RENEW_ALL: LazyLock<String> = LazyLock::new(|| {
    format!(
        "update acp_session s set {} from unnest($1::text[], $2::text[], $3::text[]) \
         as lease(principal, session, holder) \
         where s.principal = lease.principal and s.session = lease.session and {} returning lease.holder",
        lease_until!("4"),
        sql(RENEW).replace("$3", "lease.holder"),
    )
});

pub(crate) static RELEASE_SESSION: LazyLock<String> = LazyLock::new(|| {
    format!(
        "update acp_session s set holder = null, lease_until = null where {OF_SESSION} and {}",
        sql(RELEASE)
    )
});

/// Deletes a session that an attempt has created, if it is as the attempt has made it. `$3` is the
/// holder that only the attempt had.
pub(crate) static DELETE_NEW: LazyLock<String> = LazyLock::new(|| {
    format!(
        "delete from acp_session s where {OF_SESSION} and {} and s.seq = 0 returning s.session",
        sql(UNDO)
    )
});

/// Returns the milliseconds that the lease still has; null without a lease. A session that is being
/// deleted is not there.
pub(crate) const LEASE_LEFT: &str = "select (extract(epoch from lease_until - now()) * 1000)::bigint \
     from acp_session where principal = $1 and session = $2 and holder is distinct from 'deleted'";

pub(crate) const END: &str = "select seq from acp_session \
     where principal = $1 and session = $2 and holder is distinct from 'deleted'";

/// `$3` after, `$4` the last, `$5` the most rows, `$6` the most bytes, but at least one row. Once
/// the session is being deleted there are no rows: they go one after the other.
pub(crate) const READ: &str = "select seq, records from ( \
         select seq, records, sum(octet_length(records)) over (order by seq) - octet_length(records) as before \
         from ( \
             select seq, records from acp_batch where principal = $1 and session = $2 and seq > $3 and seq <= $4 \
             and exists (select 1 from acp_session s where s.principal = $1 and s.session = $2 and s.seq >= $4 \
             and s.holder is distinct from 'deleted') \
             order by seq limit $5 \
         ) as next \
     ) as counted where before < $6 order by seq";

pub(crate) const BATCH: &str =
    "select records from acp_batch where principal = $1 and session = $2 and seq = $3";

/// `$2` the folder or null, `$3` and `$4` the time and session before, or null, `$5` the most rows.
pub(crate) const LIST: &str = "select session, info, updated, \
     to_char(updated at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') from acp_session \
     where principal = $1 and holder is distinct from 'deleted' and ($2::text is null or folder = $2) \
     and ($3::timestamptz is null or (updated, session) < ($3, $4)) \
     order by updated desc, session desc limit $5";

/// Marks a session as deleted, for good. The end of its lease keeps programs away that do not know
/// the mark. The first of the times lets the next retention find a deletion that was stopped.
pub(crate) static DELETE_SESSION: LazyLock<String> = LazyLock::new(|| deleting(""));

/// `$3` the time.
pub(crate) static DELETE_OLDER: LazyLock<String> = LazyLock::new(|| deleting("and s.updated < $3"));

fn deleting(also: &str) -> String {
    format!(
        "update acp_session s set holder = 'deleted', epoch = s.epoch + 1, info = '{{}}', updated = '-infinity', \
         lease_until = now() + interval '1000 years' where {OF_SESSION} {also} and {} returning s.session",
        sql(DELETE)
    )
}

/// `$3` the most rows. Deletes the next records of a session that is marked. Returns their places.
pub(crate) static DELETE_RECORDS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "delete from acp_batch where principal = $1 and session = $2 and seq in ( \
             select seq from acp_batch where principal = $1 and session = $2 order by seq limit $3) \
         and exists (select 1 from acp_session s where {OF_SESSION} and {}) returning seq",
        sql(PIECE)
    )
});

/// Deletes the row of a session that is marked and has no records any more.
pub(crate) static DELETE_ROW: LazyLock<String> = LazyLock::new(|| {
    format!("delete from acp_session s where {OF_SESSION} and {} returning s.session", sql(REMOVE))
});

/// `$2` the time, `$3` the most sessions.
pub(crate) const OLDER_THAN: &str = "select session from acp_session \
     where principal = $1 and updated < $2 \
     and (lease_until is null or lease_until <= now() or holder = 'deleted') \
     order by updated, session limit $3";

/// `$1` microseconds. Returns the time of the database before them.
pub(crate) const TIME_BEFORE: &str = "select now() - $1::bigint * interval '1 microsecond'";
