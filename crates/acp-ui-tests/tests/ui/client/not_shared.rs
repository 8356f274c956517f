use std::cell::RefCell;

use acp_client::{Event, Result, client};

struct Editor {
    count: RefCell<u64>,
}

#[client]
impl Editor {
    async fn update(&self, _event: Event) {
        *self.count.borrow_mut() += 1;
    }

    async fn read_text_file(&self) -> Result<String> {
        Ok(self.count.borrow().to_string())
    }
}

fn main() {
    let editor = Editor { count: RefCell::default() };
    let _ = |wire: acp_client::Transport| acp_client::connect(wire).client(editor);
}
