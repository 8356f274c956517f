use acp_proxy::{Json, Next, Pass, Reply, proxy};

struct Mine;

#[proxy]
impl Mine {
    async fn promt(&self, _params: Json, next: Next) -> Reply {
        next.run().await
    }

    async fn session_update(&self, _params: Json, pass: Pass) {
        pass.run();
    }

    async fn something_else(&self, _params: Json, next: Next) -> Reply {
        next.run().await
    }
}

fn main() {}
