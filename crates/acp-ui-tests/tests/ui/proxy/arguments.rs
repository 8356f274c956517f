use acp_proxy::proxy;

struct Titled;

#[proxy(title = "x")]
impl Titled {}

struct Numbered;

#[proxy(name = 7)]
impl Numbered {}

struct One;

#[proxy(refuse = "session/list")]
impl One {}

struct Lost;

#[proxy(refuse = ["session/lost"])]
impl Lost {}

fn main() {}
