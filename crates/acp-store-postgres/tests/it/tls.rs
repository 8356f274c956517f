//! Connections with TLS, to a server whose certificate comes from an authority of the test.

use std::time::Duration;

use acp_agent::store::{SessionStore as _, StoreError};
use acp_store_postgres::{Options, PostgresError, PostgresStore, migrate};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

use crate::server::{Server, server_or_skip};
use crate::{id, info, read, updates};

const HOST: &str = "db.example";

/// An authority, which signs certificates.
struct Authority {
    params: CertificateParams,
    key: KeyPair,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        Authority { params, key: KeyPair::generate().unwrap() }
    }

    fn pem(&self) -> String {
        self.params.self_signed(&self.key).unwrap().pem()
    }

    /// Returns the certificate and the key of a host, as PEM.
    fn sign(&self, host: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let issuer = Issuer::from_params(&self.params, &self.key);
        let certificate = CertificateParams::new([host.to_owned()]).unwrap().signed_by(&key, &issuer);
        (certificate.unwrap().pem(), key.serialize_pem())
    }
}

/// Starts a server that takes connections with TLS and no others. Returns its port.
fn serve(server: &mut Server, authority: &Authority) -> u16 {
    let (certificate, key) = authority.sign(HOST);
    server.write_file("server.pem", &certificate);
    server.write_file("server.key", &key);
    server.write_file("hba", "local all all trust\nhostssl all all 127.0.0.1/32 trust\n");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let at = |name: &str| server.path().join(name).display().to_string();
    let lines = format!(
        "ssl = on\nssl_cert_file = '{}'\nssl_key_file = '{}'\n\
         hba_file = '{}'",
        at("server.pem"),
        at("server.key"),
        at("hba"),
    );
    server.configure(&lines, Some(port));
    port
}

/// Returns why a connection is refused. It is tried once, although there is time to try again.
async fn refusal(options: &Options) -> String {
    let refused = tokio::time::timeout(Duration::from_secs(600), PostgresStore::connect(options)).await;
    match refused.expect("it is not tried again") {
        Err(StoreError::Other(error)) => match error.downcast_ref::<PostgresError>() {
            Some(PostgresError::Tls(reason)) => reason.clone(),
            _ => panic!("{error}"),
        },
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it connects"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_certificate_of_the_server_is_verified() {
    let mut server = server_or_skip!(Server::start());
    let database = server.database();
    let (authority, other) = (Authority::new("one"), Authority::new("other"));
    let port = serve(&mut server, &authority);
    let of = |host: &str, authority: &Authority| {
        let name = &database.name;
        let url =
            format!("host={host} hostaddr=127.0.0.1 port={port} dbname={name} user=postgres sslmode=require");
        let options = Options::new(&url).unwrap().patience(Duration::from_secs(3600));
        options.root_certificates(authority.pem()).unwrap()
    };
    let options = of(HOST, &authority);
    migrate(&options).await.unwrap();
    let store = PostgresStore::connect(&options).await.unwrap();
    let mut log = store.create(info()).await.unwrap();
    log.append(updates(0..3)).await.unwrap();
    log.close().await.unwrap();
    assert_eq!(read(&store, &id()).await, updates(0..3));
    let used = server.psql(&database.name, "select count(*) > 0 from pg_stat_ssl where ssl").unwrap();
    assert_eq!(used.trim(), "t");

    let reason = refusal(&of(HOST, &other)).await;
    assert!(reason.contains("UnknownIssuer"), "{reason}");
    let reason = refusal(&of("other.example", &authority)).await;
    assert!(reason.contains("not valid for name"), "{reason}");
    // The authorities of the operating system did not sign it.
    let system = Options::new(&format!(
        "host={HOST} hostaddr=127.0.0.1 port={port} dbname={} user=postgres sslmode=require",
        database.name
    ));
    refusal(&system.unwrap()).await;
}

#[test]
fn a_text_without_certificates_is_refused() {
    let options = || Options::new("postgresql://agent@db.example/sessions").unwrap();
    for pem in ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        assert!(matches!(options().root_certificates(pem), Err(PostgresError::Tls(_))), "{pem}");
    }
}
