use acp_proxy::{Json, Next, Reply, proxy};

struct Mine;

#[proxy]
impl Mine {
    #[ext("mine/x")]
    async fn not_reserved(&self, _params: Json, next: Next) -> Reply {
        next.run().await
    }

    #[raw("session/fork", from = agent)]
    async fn fork(&self, _params: Json, next: Next) -> Reply {
        next.run().await
    }
}

struct Twice;

#[proxy]
impl Twice {
    async fn prompt(&self, _params: Json, next: Next) -> Reply {
        next.run().await
    }

    #[raw("session/prompt")]
    async fn other(&self, _params: Json, next: Next) -> Reply {
        next.run().await
    }
}

fn main() {}
