use acp_client::{Event, Result, client};

trait Screen {
    fn show(&self, text: &str) -> impl Future<Output = ()> + Send;
}

struct Editor<S> {
    screen: S,
}

#[client]
impl<S: Screen> Editor<S> {
    async fn update(&self, event: Event) {
        self.screen.show(event.text().unwrap_or_default()).await;
    }

    async fn read_text_file(&self) -> Result<String> {
        self.screen.show("a file").await;
        Ok(String::new())
    }
}

fn main() {}
