use acp_proxy::proxy;

#[proxy]
struct NoBlock;

struct Mine;

#[proxy]
impl Default for Mine {
    fn default() -> Self {
        Self
    }
}

fn main() {}
