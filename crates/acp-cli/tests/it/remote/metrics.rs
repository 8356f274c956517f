//! The health and the metrics of `acp serve`.

use std::collections::{HashMap, HashSet};

use super::{HERE, Served, said};

/// Families by their names: the type, and the samples.
type Families = HashMap<String, (String, Vec<(String, f64)>)>;

/// The families of a text, read as strictly as its specification wants: the name and the type of
/// each, and its samples.
fn families(text: &str) -> Families {
    assert!(text.ends_with("# EOF\n") && text.matches("# EOF").count() == 1, "{text}");
    let mut families = Families::new();
    let (mut current, mut told, mut samples) = (String::new(), HashSet::new(), HashSet::new());
    for line in text.lines().filter(|line| *line != "# EOF") {
        assert!(!line.trim().is_empty() && line.trim() == line, "`{line}`");
        if let Some(metadata) = line.strip_prefix("# ") {
            let words: Vec<&str> = metadata.splitn(3, ' ').collect();
            let [keyword, name, value] = words[..] else { panic!("`{line}`") };
            assert!(told.insert((keyword.to_owned(), name.to_owned())), "twice: {line}");
            match keyword {
                "TYPE" => {
                    assert!(["counter", "gauge", "info"].contains(&value), "{line}");
                    assert!(families.insert(name.to_owned(), (value.to_owned(), Vec::new())).is_none());
                    current = name.to_owned();
                }
                // The metadata of a family stands before its samples.
                "HELP" | "UNIT" => {
                    assert_eq!(name, current, "{line}");
                    assert!(families[name].1.is_empty(), "{line}");
                    assert!(keyword != "UNIT" || name.ends_with(&format!("_{value}")), "{line}");
                }
                _ => panic!("`{line}`"),
            }
            continue;
        }
        let (series, value) = line.rsplit_once(' ').expect("a value");
        let value: f64 = value.parse().expect("a number");
        let name = series.split('{').next().unwrap_or_default();
        let is_name = |name: &str| {
            !name.starts_with(|char: char| char.is_ascii_digit())
                && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
        };
        assert!(is_name(name), "{line}");
        if let Some(labels) = series.get(name.len()..).filter(|labels| !labels.is_empty()) {
            let inner = labels.strip_prefix('{').and_then(|labels| labels.strip_suffix('}')).expect("braces");
            for label in inner.split(',') {
                let (name, value) = label.split_once('=').expect("a label");
                let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
                assert!(is_name(name) && value.is_some_and(|value| !value.contains(['"', '\\'])), "{line}");
            }
        }
        let (kind, of_family) = families.get_mut(&current).expect("a family");
        let suffix = match kind.as_str() {
            "counter" => "_total",
            "info" => "_info",
            _ => "",
        };
        assert_eq!(name, format!("{current}{suffix}"), "the name of a {kind}");
        assert!(value >= 0.0 && (kind != "info" || value == 1.0), "{line}");
        assert!(samples.insert(series.to_owned()), "twice: {line}");
        of_family.push((series.to_owned(), value));
    }
    assert!(families.values().all(|(_, samples)| !samples.is_empty()), "{families:?}");
    families
}

#[tokio::test]
async fn metrics_are_open_metrics_and_count() {
    let served = Served::start(&["--connections", "1"]);
    let (status, head, before) = served.get("/metrics", "");
    assert_eq!(status, 200);
    assert!(
        head.contains("content-type: application/openmetrics-text; version=1.0.0; charset=utf-8"),
        "{head}"
    );
    let before = families(&before);
    let agent = served.agent().await;
    let session = agent.new_session(HERE).await.expect("a session");
    said(&session, "long").await.expect("a turn");
    acp_client::connect(acp_http::ws(served.ws())).await.expect_err("there is one already");
    let after = families(&served.get("/metrics", "").2);
    let value = |families: &Families, name: &str, series: &str| {
        let found = families[name].1.iter().find(|sample| sample.0 == series);
        found.unwrap_or_else(|| panic!("{series} in {families:?}")).1
    };
    for (name, series, was, is) in [
        ("acp_connections", "acp_connections", 0.0, 1.0),
        ("acp_connections_uninitialized", "acp_connections_uninitialized", 0.0, 0.0),
        ("acp_connections_opened", "acp_connections_opened_total", 0.0, 1.0),
        ("acp_connections_refused", "acp_connections_refused_total", 0.0, 1.0),
        ("acp_agents_running", "acp_agents_running", 0.0, 1.0),
        ("acp_agents_started", "acp_agents_started_total", 0.0, 1.0),
        ("acp_requests_unauthorized", "acp_requests_unauthorized_total", 0.0, 0.0),
    ] {
        assert_eq!((value(&before, name, series), value(&after, name, series)), (was, is), "{series}");
    }
    let bytes =
        |to: &str| value(&after, "acp_passed_bytes", &format!("acp_passed_bytes_total{{to=\"{to}\"}}"));
    assert!(bytes("client") > 100_000.0 && bytes("agent") > 100.0, "{after:?}");
    assert!(bytes("client") < 102_000.0 && bytes("agent") < 2_000.0, "{after:?}");
    agent.close().await;
    served.until_metric("acp_agents_running", 0);
}

#[test]
fn health_needs_no_token_and_metrics_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tokens").display().to_string();
    std::fs::write(&file, "secret\n").expect("written");
    let served = Served::start(&["--token-file", &file]);
    let (status, _, body) = served.get("/healthz", "");
    assert_eq!((status, body.as_str()), (200, "ok"));
    assert_eq!(served.get("/metrics", "").0, 401);
    assert_eq!(served.get("/metrics", "authorization: Bearer wrong\r\n").0, 401);
    let (status, _, text) = served.get("/metrics", "authorization: Bearer secret\r\n");
    assert_eq!(status, 200);
    assert_eq!(families(&text)["acp_requests_unauthorized"].1[0].1, 2.0);
    // Nothing else is there.
    for path in ["/", "/metrics/", "/healthz/x", "/acp/ticket"] {
        assert_eq!(served.get(path, "authorization: Bearer secret\r\n").0, 404, "{path}");
    }
}
