//! Lines, the envelope of JSON-RPC, ids and error codes.

use std::collections::HashSet;

use acp_types::method::{MethodInfo, Side};
use serde_json::Value;

use super::conversation::{Conversation, Said, What};
use super::findings::Findings;
use crate::peer::{Line, Way};

/// The codes of errors that JSON-RPC and the protocol define.
const KNOWN: &[i64] = &[-32700, -32600, -32601, -32602, -32603, -32800, -32000, -32002, -32022, -32042];

pub(in crate::check) fn judge(conversation: &Conversation<'_>, methods: &[MethodInfo], f: &mut Findings) {
    for (number, line) in conversation.lines.iter().enumerate() {
        if line.way == Way::Received && !line.bytes.trim_ascii().is_empty() {
            judge_line(conversation, number, line, f);
        }
    }
    for said in conversation.said.iter().filter(|said| said.is_agents()) {
        match said.what {
            What::Answer(_) => judge_answer(said, f),
            What::Request => judge_id(conversation, said, f),
            What::Notification => {}
        }
        if said.what != What::Answer(None) && !said.method().is_empty() {
            judge_name(conversation, said, methods, f);
        }
    }
    judge_pairs(conversation, f);
}

/// Checks that a side that calls custom methods announces something custom.
pub(in crate::check) fn judge_extensions(conversation: &Conversation<'_>, f: &mut Findings) {
    let initialized = |(request, _): &(&Said, &Said)| request.method() == "initialize";
    let (initialize, announces) = if conversation.side == Side::Client {
        let Some((initialize, _)) = conversation.asked().find(initialized) else { return };
        (initialize, has_meta(&initialize.params()["clientCapabilities"]))
    } else {
        let Some((_, initialize)) = conversation.answered().find(initialized) else { return };
        (initialize, has_meta(&initialize.json["result"]["agentCapabilities"]))
    };
    let side = conversation.name();
    for call in conversation.calls().filter(|call| call.method().starts_with('_')) {
        for rule in ["v1-ext-08", "v1-cap-24"] {
            f.check_lines(
                rule,
                announces,
                || vec![initialize.line, call.line],
                || format!("the {side} calls `{}`, and no capability has a `_meta`", call.method()),
            );
        }
    }
}

fn has_meta(value: &Value) -> bool {
    value.as_object().is_some_and(|members| members.contains_key("_meta") || members.values().any(has_meta))
}

fn judge_line(conversation: &Conversation<'_>, number: usize, line: &Line, f: &mut Findings) {
    let lines = conversation.lines;
    let text = std::str::from_utf8(&line.bytes);
    f.check("v1-rpc-02", text.is_ok(), number, || "the line is not UTF-8".to_owned());
    let json = line.json();
    // The next line is the second half of this one, if a raw newline stands in a message.
    let halved = json.is_none()
        && lines.get(number + 1).is_some_and(|next| {
            let whole = [&line.bytes[..], b"\\n", &next.bytes[..]].concat();
            next.way == Way::Received && serde_json::from_slice::<Value>(&whole).is_ok()
        });
    f.check("v1-tr-03", line.ended && !halved, number, || {
        let fault =
            if halved { "a raw newline stands in the message" } else { "the message has no line end" };
        fault.to_owned()
    });
    let only = if conversation.side == Side::Client { "v1-tr-05" } else { "v1-tr-04" };
    f.check(only, json.is_some(), number, || "the line is not JSON".to_owned());
    if let Some(json) = json {
        f.check("v1-rpc-01", json.is_object() && json["jsonrpc"] == "2.0", number, || {
            "the line is not an object with `jsonrpc` equal to \"2.0\"".to_owned()
        });
    }
}

fn judge_answer(said: &Said, f: &mut Findings) {
    let (result, error) = (said.json.get("result"), said.json.get("error"));
    f.check("v1-rpc-05", result.is_some() || error.is_some(), said.line, || {
        "a success has no key `result`".to_owned()
    });
    let well_formed = match (result, error) {
        (Some(_), None) => true,
        (None, Some(error)) => error["code"].is_i64() && error["message"].is_string(),
        _ => false,
    };
    f.check("v1-rpc-04", well_formed, said.line, || {
        "expected either `result`, or `error` with an integer `code` and a string `message`".to_owned()
    });
    if let Some(code) = error.and_then(|error| error["code"].as_i64()) {
        let foreign = !(-32768..=-32000).contains(&code) || KNOWN.contains(&code);
        f.check("v1-err-03", foreign, said.line, || {
            format!("the code {code} is of the reserved range, and nobody has defined it")
        });
    }
}

fn judge_id(conversation: &Conversation<'_>, said: &Said, f: &mut Findings) {
    let side = conversation.name();
    let id = &said.json["id"];
    let fits = id.is_null() || id.is_string() || id.is_i64();
    f.check("v1-rpc-07", fits, said.line, || format!("the id {id} is not a string or a 64-bit integer"));
    f.check("v1-rpc-08", !id.is_null() && !id.is_f64(), said.line, || {
        format!("the {side} sends the id {id}")
    });
}

fn judge_name(conversation: &Conversation<'_>, said: &Said, methods: &[MethodInfo], f: &mut Findings) {
    let method = said.method();
    let ours = methods.iter().any(|info| info.name == method && info.handler != conversation.side);
    let free = method.starts_with('_') || method.starts_with("$/");
    f.check("v1-ext-05", ours || free, said.line, || {
        format!("`{method}` is not a method of the protocol and does not begin with `_`")
    });
}

/// Checks that each request was answered once, under its own id.
fn judge_pairs(conversation: &Conversation<'_>, f: &mut Findings) {
    let sent = || conversation.lines.iter().filter(|line| line.way == Way::Sent);
    let mut broken = sent().filter(|line| !is_blank(line) && !is_message(line)).count();
    // A rule of its own says that these are skipped. As text that is not JSON they have an error.
    let mut blank = sent().filter(|line| is_blank(line)).count();
    let asked: HashSet<String> = conversation
        .said
        .iter()
        .filter(|said| said.way == Way::Sent && said.what == What::Request)
        .map(|said| said.json["id"].to_string())
        .collect();
    for said in conversation.said.iter().filter(|said| said.is_agents()) {
        match said.what {
            What::Answer(Some(_)) => f.check("v1-rpc-03", true, said.line, String::new),
            What::Answer(None) if said.json["id"].is_null() && broken > 0 => broken -= 1,
            What::Answer(None) if is_parse_error(said) && blank > 0 => blank -= 1,
            What::Answer(None) => {
                let id = &said.json["id"];
                let again = asked.contains(&id.to_string());
                f.check("v1-rpc-03", false, said.line, || {
                    if again {
                        format!("the request {id} is answered twice")
                    } else {
                        format!("an answer has the id {id}, and no open request has it")
                    }
                });
            }
            _ => {}
        }
    }
    for (request, answer) in conversation.answered() {
        if conversation.side == Side::Agent
            && answer.json["error"]["code"] == -32002
            && let Some(session) = request.session()
        {
            let data = &answer.json["error"]["data"];
            let named = data["sessionId"] == session || data["uri"].is_string();
            let lines = || vec![request.line, answer.line];
            f.check_lines("v1-err-04", named, lines, || "`data` does not name what is missing".to_owned());
        }
    }
}

fn is_blank(line: &Line) -> bool {
    line.bytes.trim_ascii().is_empty()
}

fn is_message(line: &Line) -> bool {
    line.json().is_some_and(|json| {
        let answer = json.get("result").is_some() || json.get("error").is_some();
        json.is_object() && (json.get("method").is_some() || answer)
    })
}

fn is_parse_error(said: &Said) -> bool {
    said.json["id"].is_null() && said.json["error"]["code"] == -32700
}
