struct Bot;

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
