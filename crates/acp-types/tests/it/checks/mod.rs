//! The checks of the protocol that both sides make. `table.json` is also sent through an agent and
//! a client, by tests of these crates.

use acp_types::method::check_extension;
use acp_types::v1::ext::{check_absolute, unique_id};
use acp_types::v1::{
    AuthMethod, ContentBlock, ElicitationContentValue, ElicitationSchema, McpCapabilities, McpServer,
    PromptCapabilities, SessionConfigOption, SessionId, SessionModeState, SetSessionConfigOptionRequest,
    StringFormat, ToolCallId,
};
use acp_types::{FromNode, Map, Value, from_str, to_string};

type Values = Map<ElicitationContentValue>;

fn table(section: &str) -> Map {
    let table: Map<Map> = from_str(include_str!("table.json")).unwrap();
    table.get(section).unwrap().clone()
}

fn read<T: FromNode>(value: &Value) -> T {
    from_str(&value.to_string()).unwrap_or_else(|error| panic!("{value}: {error}"))
}

fn rows(section: &Map, name: &str) -> Vec<Value> {
    let rows: Vec<Value> = read(section.get(name).unwrap());
    assert!(!rows.is_empty());
    rows
}

/// The cells of a row.
fn cells<const N: usize>(row: &Value) -> [Value; N] {
    read::<Vec<Value>>(row).try_into().unwrap()
}

#[track_caller]
fn assert_problem(found: Result<(), String>, expected: &Value, input: &Value) {
    let found = found.expect_err(&input.to_string());
    assert!(found.contains(expected.as_str().unwrap()), "{input}: {found}");
}

#[test]
fn forms_take_the_values_that_they_ask_for() {
    let section = table("forms");
    let schema: ElicitationSchema = read(section.get("schema").unwrap());
    let mut refused = rows(&section, "refused");
    refused.push(section.get("unasked").unwrap().clone());
    for row in refused {
        let [values, problem] = cells(&row);
        let checked = schema.check(read::<Values>(&values));
        assert_problem(checked.map(drop).map_err(|error| error.to_string()), &problem, &values);
    }
    for row in rows(&section, "taken") {
        let [values, expected] = cells(&row);
        let checked = schema.check(read::<Values>(&values)).unwrap();
        assert_eq!(to_string(&checked), expected.to_string());
    }
    let [unasked, _] = cells::<2>(section.get("unasked").unwrap());
    let mut values: Values = read(&unasked);
    schema.retain_fields(&mut values);
    assert_eq!(to_string(&values), r#"{"name":"ok"}"#);
}

#[test]
fn a_number_that_json_cannot_have_is_not_a_number() {
    let section = table("forms");
    let schema: ElicitationSchema = read(section.get("schema").unwrap());
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for field in ["ratio", "big"] {
            let mut values: Values = from_str(r#"{"name":"ok"}"#).unwrap();
            values.insert(field, ElicitationContentValue::Number(number));
            assert_eq!(schema.check(values).unwrap_err().field, field);
        }
    }
}

#[test]
fn texts_have_the_forms_that_are_asked_for() {
    let table: [(StringFormat, &[&str], &[&str]); 5] = [
        (
            StringFormat::Email,
            &["a@b", "ann.lee+x@mail.example.com", "\"a @ b\"@example.com", "jörg@bücher.example"],
            &["", "a", "@b", "a@", "a b@c", "a@b c", "a@b@c", "a@b\n"],
        ),
        (
            StringFormat::Uri,
            &[
                "https://example.com/a?b=c#d",
                "mailto:a@b",
                "urn:isbn:1",
                "x:",
                "file:///a%20b",
                "http://[::1]/",
            ],
            &["", "example.com", "/a", "//a/b", "1x:y", ":x", "https://a b", "https://ü", "x:\"", "x:a\\b"],
        ),
        (
            StringFormat::Date,
            &["2026-03-31", "2000-02-29", "2028-02-29", "0000-01-01", "9999-12-31"],
            &[
                "",
                "2026-3-31",
                "2026-04-31",
                "2100-02-29",
                "2026-13-01",
                "2026-00-10",
                "2026-01-00",
                "2026-01-32",
                "26-01-01",
                "2026-01-01T",
                "+026-01-01",
                "2026-01-0१",
                "2026/01/01",
            ],
        ),
        (
            StringFormat::DateTime,
            &[
                "2026-03-31T12:00:00Z",
                "2026-03-31t12:00:00.123456789z",
                "2026-03-31T23:59:60+14:00",
                "2026-03-31T00:00:00-00:00",
            ],
            &[
                "",
                "2026-03-31",
                "2026-03-31 12:00:00Z",
                "2026-03-31T12:00:00",
                "2026-03-31T24:00:00Z",
                "2026-03-31T12:60:00Z",
                "2026-03-31T12:00:61Z",
                "2026-03-31T12:00Z",
                "2026-03-31T12:00:00.Z",
                "2026-03-31T12:00:00+0100",
                "2026-03-31T12:00:00+24:00",
                "2026-02-30T12:00:00Z",
                "2026-03-31T12:00:00ZZ",
                "2026-03-31T12:00:00.1.2Z",
            ],
        ),
        (StringFormat::from("_phone"), &["", "anything"], &[]),
    ];
    for (format, matching, others) in table {
        for text in matching {
            assert!(format.matches(text), "{format:?} {text:?}");
        }
        for text in others {
            assert!(!format.matches(text), "{format:?} {text:?}");
        }
    }
}

#[test]
fn config_options_take_the_values_that_they_list() {
    let section = table("config_options");
    let options: Vec<SessionConfigOption> = read(section.get("options").unwrap());
    let request = |set: &Value| -> SetSessionConfigOptionRequest {
        let mut set: Map = read(set);
        set.insert("sessionId", Value::from("s"));
        read(&set.into())
    };
    for row in rows(&section, "refused") {
        let [set, problem] = cells(&row);
        let request = request(&set);
        let checked = SessionConfigOption::check(&options, &request.config_id, &request.value);
        let text = checked.map_err(|error| format!("`{}` {error}", error.field()));
        assert_problem(text, &problem, &set);
    }
    for set in rows(&section, "taken") {
        let request = request(&set);
        SessionConfigOption::check(&options, &request.config_id, &request.value).unwrap();
    }
    let request = request(&rows(&section, "taken")[0]);
    let none = SessionConfigOption::check(&[], &request.config_id, &request.value).unwrap_err();
    assert_eq!(none.to_string(), "is not a config option of the session: its options are none");
}

#[test]
fn modes_and_login_methods_are_those_that_were_listed() {
    let section = table("modes");
    let modes: SessionModeState = read(section.get("state").unwrap());
    for row in rows(&section, "refused") {
        let [mode, problem] = cells(&row);
        let checked = modes.check(&read(&mode)).map_err(|error| format!("`modeId` {error}"));
        assert_problem(checked, &problem, &mode);
    }
    for mode in rows(&section, "taken") {
        modes.check(&read(&mode)).unwrap();
    }
    let section = table("auth_methods");
    let methods: Vec<AuthMethod> = read(section.get("methods").unwrap());
    for row in rows(&section, "refused") {
        let [method, problem] = cells(&row);
        let checked = AuthMethod::check(&methods, &read(&method));
        assert_problem(checked.map_err(|error| format!("`methodId` {error}")), &problem, &method);
    }
    for method in rows(&section, "taken") {
        AuthMethod::check(&methods, &read(&method)).unwrap();
    }
}

#[test]
fn prompts_and_servers_are_of_the_kinds_that_are_offered() {
    let section = table("prompts");
    let offered: PromptCapabilities = read(section.get("capabilities").unwrap());
    for row in rows(&section, "refused") {
        let [prompt, block, problem] = cells(&row);
        let text = offered.check(&read::<Vec<ContentBlock>>(&prompt)).map_err(|error| error.to_string());
        let block = if block.is_null() { "`prompt`".to_owned() } else { format!("`prompt[{block}]`") };
        assert_problem(text.clone(), &Value::from(block), &prompt);
        assert_problem(text, &problem, &prompt);
    }
    for prompt in rows(&section, "taken") {
        offered.check(&read::<Vec<ContentBlock>>(&prompt)).unwrap();
    }
    let section = table("mcp_servers");
    let offered: McpCapabilities = read(section.get("capabilities").unwrap());
    let taken: Vec<McpServer> = rows(&section, "taken").iter().map(read).collect();
    offered.check(&taken).unwrap();
    for row in rows(&section, "refused") {
        let [server, problem] = cells(&row);
        let mut servers = taken.clone();
        servers.push(read(&server));
        let error = offered.check(&servers).unwrap_err();
        assert_eq!(error.server, taken.len());
        assert_problem(Err(error.to_string()), &problem, &server);
    }
}

#[test]
fn paths_are_absolute_on_any_system_and_extensions_have_an_underscore() {
    for (section, check) in [
        ("paths", (|text| check_absolute(text).is_ok()) as fn(&str) -> bool),
        ("extensions", |text| check_extension(text).is_ok()),
    ] {
        let section = table(section);
        for (name, expected) in [("refused", false), ("taken", true)] {
            for text in rows(&section, name) {
                assert_eq!(check(text.as_str().unwrap()), expected, "{text}");
            }
        }
    }
}

#[test]
fn fresh_ids_differ() {
    let mut ids: Vec<String> = (0..1000).map(|_| SessionId::unique().to_string()).collect();
    ids.extend((0..1000).map(|_| ToolCallId::unique().to_string()));
    ids.extend((0..1000).map(|_| unique_id("msg")));
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
    assert!(unique_id("msg").starts_with("msg_"));
}
