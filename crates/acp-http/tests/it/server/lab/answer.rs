//! An answer over HTTP.

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn new(status: u16, headers: &http::HeaderMap, body: String) -> Self {
        let line = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
            format!("{name}: {}\r\n", value.to_str().unwrap())
        };
        Self { status, head: headers.iter().map(line).collect(), body }
    }

    pub(super) fn of(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("not an answer: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|line| line.0 == name)
            .map(|line| line.1)
    }

    /// Returns the code of the JSON-RPC error, which has no id.
    pub(crate) fn code(&self) -> Option<i64> {
        let error: serde_json::Value = serde_json::from_str(&self.body).ok()?;
        assert!(error["id"].is_null(), "{error}");
        error["error"]["code"].as_i64()
    }
}
