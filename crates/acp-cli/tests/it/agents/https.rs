//! Lists and archives over https, with the certificates that the system trusts.

use std::fs;

use serde_json::json;

use super::server::Server;
use super::{Home, entry, finish, here, robot, tar_gz, utf8};

/// A redirect.
fn to(address: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nLocation: {address}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

#[test]
fn lists_and_archives_come_over_https_and_redirects_of_it() {
    let home = Home::new();
    let (server, certificate) = Server::start_secure();
    let trusted = home.path("trusted.pem");
    fs::write(&trusted, certificate).expect("written");
    server.give("/robot.tar.gz", tar_gz(&[("robot", &robot("1"))]));
    server.answer("/moved", to("/moved-again"));
    server.answer("/moved-again", to(&server.address("/robot.tar.gz")));
    let binary = json!({"archive": server.address("/moved"), "cmd": "robot"});
    server
        .give("/list", json!({"agents": [entry("1.0.0", &json!({"binary": {here(): binary}}))]}).to_string());
    let list = server.address("/list");
    let install = |list: &str| home.acp(&["agents", "install", "robot", "--registry", list]);
    // A certificate that nobody has signed is not accepted.
    let (code, _, err) = finish(install(&list).env("SSL_CERT_FILE", "/dev/null"));
    assert!(code == 1 && err.contains("cannot be read: "), "{err}");
    assert_eq!(server.asked("/list"), 0);
    // A server of this machine may lead to https, but https never leads out of it.
    home.server.answer("/list", to(&list));
    let (code, _, err) = finish(install(&home.server.address("/list")).env("SSL_CERT_FILE", utf8(&trusted)));
    assert_eq!(code, 0, "{err}");
    assert_eq!(home.prompt(&["--agent", "robot"]).1, "1: ; ; \n");
    server.answer("/list", to(&home.server.address("/list")));
    let (code, _, err) = finish(install(&list).env("SSL_CERT_FILE", utf8(&trusted)));
    assert!(code == 1 && err.contains("the server redirects to an address that is not https"), "{err}");
    // They end at some point.
    server.answer("/list", to(&list));
    let before = server.asked("/list");
    let (code, _, err) = finish(install(&list).env("SSL_CERT_FILE", utf8(&trusted)));
    assert!(code == 1 && err.contains("the server redirects more than 5 times"), "{err}");
    assert_eq!(server.asked("/list") - before, 6);
}
