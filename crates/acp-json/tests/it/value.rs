//! `Value` and `Map`: JSON that a caller owns.

use std::collections::BTreeMap;

use acp_json::{FromNode, Map, Node, Value, from_str, to_string};
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Point {
    y: i64,
    x: u64,
    label: Option<String>,
}

#[test]
fn values_keep_order_and_numbers() {
    let text = r#"{"b":18446744073709551615,"a":-9223372036854775808,"c":{"z":1.0,"y":[null]}}"#;
    let value: Value = text.parse().unwrap();
    assert_eq!(value.to_string(), text);
    assert_eq!(to_string(&value), text);
    assert_eq!(from_str::<Value>(text).unwrap(), value);
    assert_eq!(format!("{value:?}"), text);
}

#[test]
fn numbers_that_no_double_stands_for_keep_their_text() {
    for number in [
        "18446744073709551616",
        "-9223372036854775809",
        "123456789012345678901234567890.5",
        "1e-400",
        "-1.5e-999999999999999999999999",
        "0.10000000000000000000000000001",
        "9007199254740993.0",
    ] {
        let text = format!(r#"{{"a 1e-400 \" 2":[1,-2,0.5,{number}],"b":{{"c":{number},"d":1e2}}}}"#);
        let written = text.replace("1e2", "100.0");
        let value: Value = text.parse().unwrap();
        assert_eq!(value.to_string(), written);
        assert_eq!(from_str::<Map>(&text).map(|map| to_string(&map)).unwrap(), written);
        assert_eq!(acp_json::from_slice::<Value>(text.as_bytes()).unwrap(), value);
        assert_eq!(Value::new(&value).unwrap(), value, "through text");
        assert_eq!(value.parse::<Value>().unwrap(), value, "through serde");
        assert_eq!(
            value.parse::<BTreeMap<String, Value>>().unwrap()["b"].to_string(),
            value.get("b").map(to_string).unwrap()
        );
        // Other types get the nearest double, as from the text.
        let nearest: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value.parse::<serde_json::Value>().unwrap(), nearest);
        assert_eq!(serde_json::to_value(&value).unwrap(), nearest);
        let c = value.get("b").unwrap().get("c").unwrap();
        assert_eq!(c.as_f64(), number.parse().ok());
        assert_eq!((c.as_i64(), c.as_u64(), c.kind()), (None, None, "a number"));
        assert_eq!(acp_json::read::<f64>(c.clone()).ok(), number.parse().ok());
    }
    assert_eq!("18446744073709551616".parse::<Value>().unwrap().parse::<u128>().unwrap(), 1 << 64);
    assert_eq!("-9223372036854775809".parse::<Value>().unwrap().parse::<i128>().unwrap(), -(1 << 63) - 1);
    assert!("18446744073709551616".parse::<Value>().unwrap().parse::<u64>().is_err());
}

#[test]
fn numbers_that_a_double_stands_for_are_doubles() {
    for (text, number) in [
        ("0.1", 0.1),
        ("1.50", 1.5),
        ("1e22", 1e22),
        ("-0", -0.0),
        ("100000000000000000000000e-23", 1.0),
        ("5e-324", 5e-324),
        ("1.7976931348623157e308", f64::MAX),
        ("0.30000000000000004", 0.1 + 0.2),
        ("0e-999999999999999999999999", 0.0),
    ] {
        assert_eq!(text.parse::<Value>().unwrap().into_node(), Node::F64(number), "{text}");
    }
}

#[test]
fn a_text_that_is_no_number_is_not_written_as_one() {
    for text in ["", "1 2", "{}", "true", "1e", "0x10", "\"1\""] {
        assert!(serde_json::to_string(&Node::Exact(text.into())).is_err(), "{text}");
    }
}

#[test]
fn values_come_from_anything_that_serializes_and_go_back() {
    let point = Point { y: -2, x: u64::MAX, label: None };
    let value = Value::new(&point).unwrap();
    assert_eq!(value.to_string(), r#"{"y":-2,"x":18446744073709551615,"label":null}"#);
    assert_eq!(value.parse::<Point>().unwrap(), point);
}

#[test]
fn what_json_cannot_hold_is_an_error() {
    assert!(Value::new(&BTreeMap::from([([1, 2], "list as a key")])).is_err());
    let error = Value::from("secret").parse::<Point>().unwrap_err();
    assert!(!error.to_string().is_empty());
}

#[test]
fn conversions_give_the_json_of_the_same_name() {
    let table: [(Value, &str); 9] = [
        (Value::NULL, "null"),
        (true.into(), "true"),
        (7_u64.into(), "7"),
        (7_u32.into(), "7"),
        ((-7_i64).into(), "-7"),
        (7_i32.into(), "7"),
        (0.5.into(), "0.5"),
        ("text".into(), r#""text""#),
        (vec![Value::from("a"), Map::from([("k", Value::from(1_u64))]).into()].into(), r#"["a",{"k":1}]"#),
    ];
    for (value, text) in table {
        assert_eq!(value.to_string(), text);
        assert_eq!(text.parse::<Value>().unwrap(), value, "a parsed {text} equals a built one");
    }
}

#[test]
fn accessors_answer_for_their_kind_only() {
    let value: Value = r#"{"text":"t","flag":true,"count":3,"below":-3}"#.parse().unwrap();
    assert_eq!(value.get("text").and_then(Node::as_str), Some("t"));
    assert_eq!(value.get("flag").and_then(Node::as_bool), Some(true));
    assert_eq!(value.get("count").and_then(Node::as_u64), Some(3));
    assert_eq!(value.get("below").and_then(Node::as_i64), Some(-3));
    assert_eq!((value.as_str(), value.as_bool(), value.as_i64(), value.is_null()), (None, None, None, false));
    assert!(value.get("none").is_none());
}

#[test]
fn maps_keep_the_place_of_a_name() {
    let mut map: Map<u32> = from_str(r#"{"z":1,"a":2,"m":3}"#).unwrap();
    assert_eq!(map.insert("a", 20), Some(2));
    assert_eq!(map.insert("b", 4), None);
    assert_eq!(map.remove("z"), Some(1));
    assert_eq!(map.remove("z"), None);
    *map.get_mut("m").unwrap() += 1;
    assert_eq!(map.keys().collect::<Vec<_>>(), ["a", "m", "b"]);
    assert_eq!((map.len(), map.is_empty(), map.contains("b")), (3, false, true));
    assert_eq!(to_string(&map), r#"{"a":20,"m":4,"b":4}"#);
}

#[test]
fn of_a_name_that_occurs_twice_a_map_reads_the_last_only() {
    for extra in [0, 40] {
        let more: String = (0..extra).map(|index| format!(r#","n{index}":0"#)).collect();
        let text = format!(r#"{{"a":"malformed","b":2,"a":[]{more},"a":1}}"#);
        let map: Map<u32> = from_str(&text).unwrap();
        assert_eq!((map.get("a"), map.get("b"), map.len()), (Some(&1), Some(&2), 2 + extra));
    }
    let error = from_str::<Map<u32>>(r#"{"a":1,"a":"malformed"}"#).unwrap_err();
    assert_eq!(error.path(), "a");
    let collected: Map<u32> = [("a", 1), ("b", 2), ("a", 3)].into();
    assert_eq!(collected.iter().collect::<Vec<_>>(), [("b", &2), ("a", &3)]);
}

#[test]
fn types_that_are_read_from_a_tree_are_read_by_serde_too() {
    fn both<T: FromNode + for<'de> Deserialize<'de> + PartialEq + std::fmt::Debug>(text: &str) -> T {
        let value = from_str(text).unwrap();
        assert_eq!(Value::new(&text.parse::<Value>().unwrap()).unwrap().parse::<T>().unwrap(), value);
        value
    }
    assert_eq!(both::<Map<u32>>(r#"{"a":1}"#), Map::from([("a", 1)]));
    assert_eq!(both::<Value>(r#"[1,{"a":null}]"#).to_string(), r#"[1,{"a":null}]"#);
}
