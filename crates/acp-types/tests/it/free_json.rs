//! Members that hold any JSON: kept exactly, read on demand.

use acp_types::v1::{Annotations, ErrorCode, TextContent, ToolCall};
use acp_types::{Meta, Value, from_str, to_string, v1};

#[test]
fn raw_input_keeps_order_and_numbers() {
    let text = r#"{"toolCallId":"c","title":"T","rawInput":{"z":9007199254740993,"a":18446744073709551615,"m":[-9223372036854775808,1.0,{"b":null,"a":0.1}]}}"#;
    let call: ToolCall = from_str(text).unwrap();
    assert_eq!(to_string(&call), text);
    let raw = call.raw_input.as_ref().unwrap();
    assert_eq!(raw.get("z").and_then(|z| z.as_u64()), Some(9_007_199_254_740_993));
}

#[test]
fn raw_values_come_from_rust_and_go_back() {
    let input = std::collections::BTreeMap::from([("path", "/p"), ("pattern", "fn")]);
    let call = ToolCall::new("c", "T").raw_input(Value::new(&input).unwrap());
    assert_eq!(to_string(&call), r#"{"toolCallId":"c","title":"T","rawInput":{"path":"/p","pattern":"fn"}}"#);
    let parsed: std::collections::BTreeMap<String, String> = call.raw_input.unwrap().parse().unwrap();
    assert_eq!(parsed["pattern"], "fn");
}

#[test]
fn meta_keeps_what_others_put_there() {
    let text = r#"{"text":"t","_meta":{"z.example/trace":{"b":1,"a":[]},"a.example":null}}"#;
    let content: TextContent = from_str(text).unwrap();
    assert_eq!(to_string(&content), text);
    let meta = content.meta.unwrap();
    assert_eq!(meta.as_map().keys().collect::<Vec<_>>(), ["z.example/trace", "a.example"]);
    assert_eq!(meta.read::<Option<u8>>("a.example").unwrap(), Some(None));
    assert!(meta.read::<u8>("z.example/trace").is_err());
    assert_eq!(meta.read::<u8>("absent").unwrap(), None);
    let mut own = Meta::new().with("flag", true);
    own.set("list", &[1, 2]).unwrap();
    let content = TextContent::new("t").annotations(Annotations::new()).meta(own);
    assert_eq!(to_string(&content), r#"{"annotations":{},"text":"t","_meta":{"flag":true,"list":[1,2]}}"#);
}

#[test]
fn error_data_may_be_anything() {
    for data in ["{\"sessionId\":\"s\"}", "\"text\"", "[1]", "7"] {
        let text = format!(r#"{{"code":-32002,"message":"m","data":{data}}}"#);
        let error: v1::Error = from_str(&text).unwrap();
        assert_eq!((error.code, to_string(&error)), (ErrorCode::RESOURCE_NOT_FOUND, text));
    }
    let error: v1::Error = from_str(r#"{"code":400,"message":"m","data":null}"#).unwrap();
    assert_eq!(error.data, None);
}

#[test]
fn extension_payloads_are_kept_whole() {
    for text in ["null", "[1,{\"z\":1,\"a\":2}]", "\"text\"", "1.5"] {
        assert_eq!(to_string(&from_str::<v1::ExtRequest>(text).unwrap()), text);
        assert_eq!(to_string(&from_str::<v1::ExtResponse>(text).unwrap()), text);
        assert_eq!(to_string(&from_str::<v1::ExtNotification>(text).unwrap()), text);
    }
}

#[test]
fn free_json_keeps_numbers_that_no_double_stands_for() {
    let numbers = "[18446744073709551616,1e-400,-0.12345678901234567890123]";
    let call = format!(r#"{{"toolCallId":"c","title":"T","rawInput":{numbers},"_meta":{{"n":{numbers}}}}}"#);
    assert_eq!(to_string(&from_str::<ToolCall>(&call).unwrap()), call);
    assert_eq!(to_string(&from_str::<v1::ExtRequest>(numbers).unwrap()), numbers);
    let value = Value::new(&from_str::<ToolCall>(&call).unwrap()).unwrap();
    assert_eq!(to_string(&value.parse::<ToolCall>().unwrap()), call);
}

/// JSON has no text for them, and `null` in their place would be another value, or none at all.
#[test]
fn numbers_that_json_has_no_text_for_are_not_written() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let cost = Value::new(&v1::Cost::new(number, "USD"));
        let annotations = Value::new(&Annotations::new().priority(number));
        let answer = Value::new(&v1::ElicitationContentValue::from(number));
        for (written, name) in
            [(cost, "`amount`"), (annotations, "`priority`"), (answer, "`ElicitationContentValue`")]
        {
            let error = written.unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}

#[test]
fn types_of_the_protocol_go_through_values() {
    let call = ToolCall::new("c", "T").raw_input(Value::from(7_u64));
    let value = Value::new(&call).unwrap();
    assert_eq!(value.to_string(), to_string(&call));
    assert_eq!(value.parse::<ToolCall>().unwrap(), call);
    let error = Value::from(vec![value]).parse::<Vec<TextContent>>().unwrap_err();
    assert_eq!(error.to_string(), "`text`: required, but missing");
}
