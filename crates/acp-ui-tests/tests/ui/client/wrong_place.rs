use acp_client::client;

#[client]
struct Editor;

struct Borrowed<'a>(&'a str);

#[client]
impl<'a> Borrowed<'a> {
    async fn update(&self) {}
}

struct Elided<'a>(&'a str);

#[client]
impl Elided<'_> {
    async fn update(&self) {}
}

trait Updates {
    async fn update(&self);
}

struct Third;

#[client]
impl Updates for Third {
    async fn update(&self) {}
}

fn main() {}
