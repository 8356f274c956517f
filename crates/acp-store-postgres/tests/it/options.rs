//! Every option at its extremes.

use std::time::Duration;

use acp_agent::store::SessionStore as _;
use acp_store_postgres::{Options, PostgresError, PostgresStore, migrate};
use acp_types::v1::ListSessionsRequest;

use crate::server::{Bouncer, Server, server_or_skip};
use crate::{id, info, quick, read, updates};

/// Options with one of them at an extreme, by its name.
fn extremes(options: &Options) -> Vec<(&'static str, Options)> {
    let of = |set: fn(Options) -> Options| set(options.clone());
    vec![
        ("Options::connections", of(|options| options.connections(0))),
        ("Options::connections", of(|options| options.connections(1000))),
        ("Options::lease", of(|options| options.lease(Duration::ZERO))),
        ("Options::lease", of(|options| options.lease(Duration::MAX))),
        ("Options::patience", of(|options| options.patience(Duration::ZERO))),
        ("Options::patience", of(|options| options.patience(Duration::MAX))),
        ("Options::attempt", of(|options| options.patience(Duration::from_secs(60)).attempt(Duration::ZERO))),
        ("Options::attempt", of(|options| options.attempt(Duration::MAX))),
        ("Options::page_size", of(|options| options.page_size(0))),
        ("Options::page_size", of(|options| options.page_size(usize::MAX))),
        ("Options::prepared_statements", of(|options| options.prepared_statements(true))),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_works_with_every_option_at_its_extremes() {
    let server = server_or_skip!(Server::shared());
    let database = server.database();
    for (name, options) in extremes(&quick(&database)) {
        // An attempt of no time may never come to its end on a slow machine.
        if name == "Options::attempt" && format!("{options:?}").contains("10ms") {
            continue;
        }
        migrate(&options).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        let store = PostgresStore::connect(&options).await.unwrap();
        let mut log = store.create(info()).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        log.append(updates(0..3)).await.unwrap();
        log.close().await.unwrap();
        assert_eq!(read(&store, &id()).await, updates(0..3), "{name}");
        let page = store.list(&ListSessionsRequest::new()).await.unwrap();
        assert_eq!((page.sessions.len(), page.next_cursor), (1, None), "{name}");
        store.delete(&id()).await.unwrap();
    }
}

/// Every connection prepares its statements, and after a failover none of them is known.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_statement_that_the_database_has_forgotten_is_prepared_again() {
    let server = server_or_skip!(Server::shared());
    let bouncer = server_or_skip!(Bouncer::before(server));
    let database = server.database();
    let options = quick(&bouncer.to(&database)).connections(1).prepared_statements(true);
    migrate(&options).await.unwrap();
    let store = PostgresStore::connect(&options).await.unwrap();
    let mut log = store.create(info()).await.unwrap();
    let end = format!(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = '{0}' and pid <> pg_backend_pid()",
        database.name
    );
    for number in 0..5 {
        log.append(updates(number..number + 1)).await.unwrap();
        // The pooler keeps our connection, and takes another one to the server.
        server.psql(&database.name, &end).unwrap();
    }
    log.close().await.unwrap();
    assert_eq!(read(&store, &id()).await, updates(0..5));
}

#[test]
fn a_url_that_cannot_be_read_is_an_error_without_the_password() {
    for url in ["postgresql://host:port/", "nonsense", "host=a prot=secret"] {
        let error = Options::new(url).unwrap_err();
        assert!(matches!(error, PostgresError::Url(_)), "{error}");
    }
    let options = Options::new("postgresql://agent:secret@db.example/sessions").unwrap();
    assert!(!format!("{options:?}").contains("secret"), "{options:?}");
}
