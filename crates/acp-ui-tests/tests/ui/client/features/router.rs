use acp_client::{Event, Result, Router, op};

struct Editor;

impl Editor {
    async fn read(&self, _event: Event) -> Result<String> {
        Ok(String::new())
    }

    async fn update(&self, _event: Event) {}
}

fn main() {
    let _ = Router::new(Editor).on::<op::ReadTextFile, _>(Editor::read);
    let _ = Router::new(Editor).on::<op::Update, _>(Editor::update);
    let _ = Router::new(Editor).on_notification::<op::ReadTextFile, _>(Editor::update);
}
