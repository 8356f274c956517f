//! A server of either era with a configured behaviour, over any transport. The configuration is
//! JSON:
//!
//! * `era`: `modern` or `legacy`;
//! * `capabilities`: the capabilities to declare instead of all;
//! * `pages`: the number of pages of each list, and of entries of each page;
//! * `refuses`: a resource that cannot be subscribed to, from the start or from the second
//!   connection on (`refuses-then`);
//! * `login`: the number of times that a request is refused until a login, and whether the server
//!   reports that the login is `done`;
//! * `rude`: true for a modern server that sends requests;
//! * `instructions`, `description`: their lengths; `hints`: true if results have `ttlMs` and
//!   `cacheScope`.

use serde_json::{Value, json};

const NEW: &str = "2026-07-28";
const OLD: &str = "2025-11-25";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// An output of the fake server, and its receiver.
#[derive(Debug)]
pub enum Say {
    /// The answer to the message.
    Answer(Value),
    /// A message to the client.
    Tell(Value),
    /// A message to the listener with this id.
    ToListener(Value, Value),
    /// Progress with this token, again and again, and no answer.
    Progress(Value),
    /// The streams of all listeners break.
    Break,
    /// The server ends, or forgets its clients.
    End,
}

pub struct Fake {
    config: Value,
    /// The number of this connection, from 1.
    pub connection: u64,
    /// Resources that a legacy client has subscribed to.
    subscribed: Vec<String>,
    /// Requests of modern clients that listen, with their filters.
    listeners: Vec<(Value, Value)>,
    /// The number of logins that were asked for.
    refused: u64,
    /// The number of calls of each tool that fails the first time.
    tried: Vec<String>,
}

impl Fake {
    pub fn new(config: Value, connection: u64) -> Self {
        let (subscribed, listeners, tried) = (Vec::new(), Vec::new(), Vec::new());
        Self { config, connection, subscribed, listeners, refused: 0, tried }
    }

    pub fn is_modern(&self) -> bool {
        self.config["era"] == "modern"
    }

    /// Returns the ids of the listeners.
    pub fn listeners(&self) -> Vec<Value> {
        self.listeners.iter().map(|(id, _)| id.clone()).collect()
    }

    /// Forgets everything, as after a restart.
    pub fn forget(&mut self) {
        *self = Self::new(self.config.clone(), self.connection + 1);
    }

    pub fn on(&mut self, message: &Value) -> Vec<Say> {
        let (id, params) = (&message["id"], &message["params"]);
        let method = message["method"].as_str().unwrap_or_default();
        let outcome = match method {
            "server/discover" if self.is_modern() => Ok(self.discovered()),
            "server/discover" => Err((-32601, Value::Null)),
            "initialize" if self.is_modern() => Err((-32022, json!({ "supported": [NEW] }))),
            "initialize" => Ok(self.initialized()),
            "tools/list" => Ok(self.page("tools", params)),
            "prompts/list" => Ok(self.page("prompts", params)),
            "resources/list" => Ok(self.page("resources", params)),
            "resources/templates/list" => Ok(self.page("resourceTemplates", params)),
            "prompts/get" => self.login(&params["name"]).and_then(|()| self.prompt(params)),
            "resources/read" => self.login(&params["uri"]).and_then(|()| self.resource(params)),
            "completion/complete" => Ok(completed(params)),
            "resources/subscribe" => self.subscribe(params),
            "resources/unsubscribe" => {
                self.subscribed.retain(|uri| params["uri"] != **uri);
                Ok(json!({}))
            }
            "subscriptions/listen" => return self.listen(id, &params["notifications"]),
            "notifications/cancelled" => {
                self.listeners.retain(|(listener, _)| *listener != params["requestId"]);
                return Vec::new();
            }
            "tools/call" => return self.call(id, params),
            _ => return Vec::new(),
        };
        let mut said = vec![answer(id, outcome)];
        self.logged_in(&mut said);
        said
    }

    fn result(&self, mut result: Value) -> Value {
        if self.is_modern() {
            result["resultType"] = json!("complete");
            if self.config["hints"] != false {
                (result["ttlMs"], result["cacheScope"]) = (json!(0), json!("private"));
            }
        }
        result
    }

    fn capabilities(&self) -> Value {
        let all = json!({
            "tools": { "listChanged": true }, "prompts": { "listChanged": true },
            "resources": { "listChanged": true, "subscribe": true }, "completions": {},
        });
        self.config.get("capabilities").cloned().unwrap_or(all)
    }

    fn text(&self, what: &str) -> Value {
        "y".repeat(self.config[what].as_u64().unwrap_or(5) as usize).into()
    }

    fn discovered(&self) -> Value {
        let versions = json!({
            "supportedVersions": [NEW], "capabilities": self.capabilities(), "instructions": self.text("instructions"),
        });
        self.result(versions)
    }

    fn initialized(&self) -> Value {
        json!({
            "protocolVersion": OLD, "capabilities": self.capabilities(), "instructions": self.text("instructions"),
            "serverInfo": { "name": "fake", "version": "1" },
        })
    }

    /// Returns a page of a list. The cursor is its number.
    fn page(&self, list: &str, params: &Value) -> Value {
        let number = |at: usize| self.config["pages"][at].as_u64();
        let (pages, entries) = (number(0).unwrap_or(1), number(1).unwrap_or(1));
        let page: u64 = params["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
        let named = |at: u64| match list {
            "prompts" => {
                json!({ "name": format!("p{at}"), "arguments": [{ "name": "who", "required": true }] })
            }
            "resources" => json!({ "name": format!("r{at}"), "uri": format!("x:{at}") }),
            "resourceTemplates" => json!({ "name": format!("t{at}"), "uriTemplate": "x:{at}" }),
            _ => json!({ "name": format!("tool{at}"), "inputSchema": { "type": "object" } }),
        };
        let mut listed: Vec<Value> = (page * entries..(page + 1) * entries).map(named).collect();
        if list == "tools" && page == 0 {
            listed.extend(self.tools());
        }
        let mut result = self.result(json!({ list: listed }));
        if page + 1 < pages {
            result["nextCursor"] = (page + 1).to_string().into();
        }
        result
    }

    /// Returns the tools that do something. Where headers are made of arguments, the last must not
    /// be taken.
    fn tools(&self) -> Vec<Value> {
        let does = [
            "echo", "touch", "change", "break", "end", "login", "mismatch", "moved", "huge", "odd", "hang",
            "needs", "busy",
        ];
        let mut tools: Vec<Value> = does
            .iter()
            .map(|name| json!({ "name": name, "description": self.text("description"), "inputSchema": { "type": "object" } }))
            .collect();
        for (name, header) in [("header", "Region"), ("bad-header", "no header")] {
            let region = json!({ "type": "string", "x-mcp-header": header });
            let schema = json!({ "type": "object", "properties": { "region": region } });
            tools.push(json!({ "name": name, "inputSchema": schema }));
        }
        tools
    }

    fn prompt(&self, params: &Value) -> Result<Value, (i32, Value)> {
        let text = match params["name"].as_str().unwrap() {
            "missing" => return Err((-32602, Value::Null)),
            "odd" => return Ok(json!({ "resultType": "hologram", "messages": [] })),
            // Without `resultType`, which stands for `complete`.
            "old" => return Ok(json!({ "messages": [] })),
            "nosy" => return Ok(asks()),
            "ask" => match params["inputResponses"]["name"]["content"]["name"].as_str() {
                Some(name) => name.to_owned(),
                None => return Ok(asks()),
            },
            _ => params["arguments"]["who"].as_str().unwrap_or("nobody").to_owned(),
        };
        let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
        Ok(self.result(json!({ "messages": [message] })))
    }

    fn resource(&self, params: &Value) -> Result<Value, (i32, Value)> {
        let uri = params["uri"].as_str().unwrap();
        let text = match uri {
            "x:missing" if self.is_modern() => return Err((-32602, json!({ "uri": uri }))),
            "x:missing" => return Err((-32002, json!({ "uri": uri }))),
            "x:not-said" => return Err((-32002, Value::Null)),
            "x:refused" => return Err((-32602, Value::Null)),
            "x:ask" => match params["inputResponses"]["name"]["content"]["name"].as_str() {
                Some(name) => name.to_owned(),
                None => return Ok(asks()),
            },
            _ => format!("the text of {uri}"),
        };
        Ok(self.result(json!({ "contents": [{ "uri": uri, "text": text }] })))
    }

    fn is_refused(&self, uri: &str) -> bool {
        self.config["refuses"] == uri || (self.config["refuses-then"] == uri && self.connection > 1)
    }

    fn subscribe(&mut self, params: &Value) -> Result<Value, (i32, Value)> {
        let uri = params["uri"].as_str().unwrap().to_owned();
        if self.is_refused(&uri) {
            return Err((-32002, Value::Null));
        }
        self.subscribed.push(uri);
        Ok(json!({}))
    }

    fn listen(&mut self, id: &Value, filter: &Value) -> Vec<Say> {
        let mut accepted = filter.clone();
        if let Some(Value::Array(uris)) = accepted.get_mut("resourceSubscriptions") {
            uris.retain(|uri| !self.is_refused(uri.as_str().unwrap()));
        }
        self.listeners.push((id.clone(), accepted.clone()));
        let params = json!({ "_meta": { SUBSCRIPTION: id }, "notifications": accepted });
        let acknowledged = notification("notifications/subscriptions/acknowledged", params);
        let mut said = vec![Say::ToListener(id.clone(), acknowledged)];
        if self.config["rude"] == true {
            // A modern server must not send requests.
            let request = json!({ "jsonrpc": "2.0", "id": "mine", "method": "roots/list" });
            said.push(Say::ToListener(id.clone(), request));
        }
        said
    }

    /// Reports a resource, or a list, to those who have subscribed to it.
    fn tell(&self, method: &str, key: &str, uri: Option<&str>) -> Vec<Say> {
        let mut params = uri.map_or(json!({}), |uri| json!({ "uri": uri }));
        if !self.is_modern() {
            let is_told =
                uri.is_none_or(|uri| self.subscribed.iter().any(|asked| uri.starts_with(asked.as_str())));
            return is_told.then(|| Say::Tell(notification(method, params))).into_iter().collect();
        }
        let is_told = |filter: &Value| match uri {
            Some(uri) => filter[key].as_array().is_some_and(|uris| uris.contains(&json!(uri))),
            None => filter[key] == true,
        };
        let told = self.listeners.iter().filter(|(_, filter)| is_told(filter));
        let to = told.map(|(id, _)| {
            params["_meta"] = json!({ SUBSCRIPTION: id });
            Say::ToListener(id.clone(), notification(method, params.clone()))
        });
        to.collect()
    }

    /// Tells whether a request needs a login. Each kind of request has one that does.
    fn login(&mut self, what: &Value) -> Result<(), (i32, Value)> {
        let login = &self.config["login"];
        let needs = what == "login" || what == "x:login";
        if !needs || self.refused >= login["times"].as_u64().unwrap_or(0) {
            return Ok(());
        }
        self.refused += 1;
        let url = format!("https://login.example/{}?token=secret", self.refused);
        let page = json!({ "mode": "url", "elicitationId": self.refused.to_string(), "url": url, "message": "Log in" });
        Err((-32042, json!({ "elicitations": [page] })))
    }

    /// Reports that the login is done, right after it was asked for.
    fn logged_in(&self, said: &mut Vec<Say>) {
        let is_login = matches!(&said[..], [Say::Answer(answer)] if answer["error"]["code"] == -32042);
        if is_login && self.config["login"]["done"] == true {
            let params = json!({ "elicitationId": self.refused.to_string() });
            said.push(Say::Tell(notification("notifications/elicitation/complete", params)));
        }
    }

    /// Returns true for the first time.
    fn is_first(&mut self, tool: &str) -> bool {
        let is_first = !self.tried.iter().any(|tried| tried == tool);
        self.tried.push(tool.to_owned());
        is_first
    }

    fn call(&mut self, id: &Value, params: &Value) -> Vec<Say> {
        let (tool, arguments) = (params["name"].as_str().unwrap(), &params["arguments"]);
        let mut said = match tool {
            "touch" => {
                let uri = arguments["uri"].as_str();
                self.tell("notifications/resources/updated", "resourceSubscriptions", uri)
            }
            "change" => {
                let list = arguments["list"].as_str().unwrap();
                self.tell(&format!("notifications/{list}/list_changed"), &format!("{list}ListChanged"), None)
            }
            "break" => vec![Say::Break],
            "end" => vec![Say::End],
            _ => Vec::new(),
        };
        if said.iter().any(|say| matches!(say, Say::Break | Say::End)) {
            self.listeners.clear();
            self.subscribed.clear();
        }
        let text = |text: String| Ok(json!({ "content": [{ "type": "text", "text": text }] }));
        let outcome = match tool {
            "hang" => return Vec::new(),
            "busy" => return vec![Say::Progress(params["_meta"]["progressToken"].clone())],
            "login" => self.login(&params["name"]).and_then(|()| text("logged in".to_owned())),
            "mismatch" if self.is_first(tool) => Err((-32020, Value::Null)),
            "moved" if self.is_first(tool) => Err((-32022, json!({ "supported": [NEW] }))),
            "needs" => Err((-32021, json!({ "requiredCapabilities": { "sampling": {} } }))),
            "huge" => text("z".repeat(17 * 1024 * 1024)),
            "odd" => Ok(json!({ "resultType": "hologram", "content": [] })),
            _ => text(arguments.to_string()),
        };
        said.insert(0, answer(id, outcome));
        self.logged_in(&mut said);
        said
    }
}

fn answer(id: &Value, outcome: Result<Value, (i32, Value)>) -> Say {
    Say::Answer(match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, data)) => {
            let mut error = json!({ "code": code, "message": "scripted" });
            if !data.is_null() {
                error["data"] = data;
            }
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    })
}

fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// The progress of a call that does not end.
pub fn progress(token: &Value, at: u64) -> Value {
    notification("notifications/progress", json!({ "progressToken": token, "progress": at }))
}

/// Returns the end of a listener's stream, for transports where it has no stream of its own.
pub fn cancelled(listener: &Value) -> Value {
    notification("notifications/cancelled", json!({ "requestId": listener, "reason": "scripted" }))
}

/// Returns a question, as the answer to a request.
fn asks() -> Value {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let question = json!({ "mode": "form", "message": "Your name?", "requestedSchema": schema });
    let request = json!({ "method": "elicitation/create", "params": question });
    json!({ "resultType": "input_required", "inputRequests": { "name": request } })
}

fn completed(params: &Value) -> Value {
    let value = params["argument"]["value"].as_str().unwrap();
    let values = [format!("{value}1"), format!("{value}2")];
    json!({ "completion": { "values": values, "total": 2, "hasMore": false } })
}
