use acp_proxy::{Json, Next, Pass, Reply, proxy};

struct Mine;

#[proxy]
impl Mine {
    async fn update(&self, _params: Json, next: Next) -> Reply {
        next.run().await
    }

    async fn prompt(&self, _params: Json, pass: Pass) {
        pass.run();
    }

    fn load_session(&self, _params: Json, _next: Next) -> Reply {
        unreachable!()
    }

    async fn new_session(&mut self, _params: Json, next: Next) -> Reply {
        next.run().await
    }

    async fn cancel(&self, pass: Pass, _params: Json) {
        pass.run();
    }

    async fn close_session(&self, _first: Json, _second: Json, next: Next) -> Reply {
        next.run().await
    }
}

fn main() {}
