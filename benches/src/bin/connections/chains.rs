//! Turns through chains of proxies that change nothing: ours, and the official conductor with
//! proxies on the official SDK. The agent is the floor's, and so is the client.
//!
//! A proxy is a process, or a part of the conductor's.

use std::ffi::OsString;
use std::rc::Rc;

use acp_process::Command;
use acp_proxy::{Conductor, Policy, Proxy};
use agent_client_protocol::{AcpAgent, ByteStreams, Proxy as Official};
use agent_client_protocol_conductor::{ConductorImpl, ProxiesAndAgent};
use anyhow::{Context as _, Result, bail};
use benches::report::{Report, duration, times_of};
use benches::{Contender, Table, Times, race};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};
use tokio_util::compat::{Compat, TokioAsyncReadCompatExt as _, TokioAsyncWriteCompatExt as _};

use crate::agents::{Agent, pipes};
use crate::clients::{Connected, MEMORY_PIPE, connect_to};
use crate::run::runtime;
use crate::script::Script;

/// The updates of a turn, and its messages: prompt and answer come to them.
const UPDATES: usize = 16;
const MESSAGES: f64 = 18.0;

/// The kind of a chain: its name in the table and on the command line, with the numbers of proxies.
const CHAINS: [(&str, &str, &[usize]); 4] = [
    ("ours, in the conductor", "ours-inside", &[0, 1, 3, 10]),
    ("ours, processes", "ours", &[1, 3]),
    ("Rust SDK, in the conductor", "official-inside", &[1, 3]),
    ("Rust SDK, processes", "official", &[1, 3]),
];

/// A chain that runs.
struct Running {
    name: &'static str,
    word: &'static str,
    proxies: usize,
    connected: Box<dyn Connected>,
}

impl Running {
    fn turn(&self) -> Result<()> {
        let came = self.connected.turns(&[&Script::Say(UPDATES).to_string()])?;
        anyhow::ensure!(came == UPDATES, "{came} updates through {} {}", self.proxies, self.name);
        Ok(())
    }
}

/// The table and its bars.
pub(crate) fn run(report: &mut Report, rounds: usize) -> Result<()> {
    let runtime = Rc::new(runtime()?);
    let direct = connect_to(&runtime, &Agent::Floor.command()?)?;
    let mut all = vec![Running { name: "no conductor", word: "", proxies: 0, connected: direct }];
    for (name, word, counts) in CHAINS {
        for &proxies in counts {
            let me = std::env::current_exe()?;
            let command: [OsString; 4] = [me.into(), "chain".into(), word.into(), proxies.to_string().into()];
            let connected =
                connect_to(&runtime, &command).with_context(|| format!("{name}, {proxies} proxies"))?;
            all.push(Running { name, word, proxies, connected });
        }
    }
    all.iter().try_for_each(Running::turn)?;
    let contenders: Vec<_> = all
        .iter()
        .map(|chain| Contender {
            name: chain.name,
            run: Box::new(|| chain.turn().expect("it worked a moment ago")),
        })
        .collect();
    let times = race(&contenders, rounds);
    table(report, &all, &times);
    bars(report, &all, &times)
}

fn table(report: &mut Report, all: &[Running], times: &[Times]) {
    let mut table = Table::new(&["proxies", "number", "16 updates", "beside no conductor"]);
    for (chain, of) in all.iter().zip(times) {
        table.row([
            chain.name.to_owned(),
            chain.proxies.to_string(),
            duration(of.median()),
            format!("{:.1}x", times_of(of, &times[0])),
        ]);
    }
    report.table("chains", table);
}

fn bars(report: &mut Report, all: &[Running], times: &[Times]) -> Result<()> {
    let at = |word: &str, proxies| {
        let found = all.iter().position(|chain| chain.word == word && chain.proxies == proxies);
        found.map(|index| &times[index]).context("no such chain")
    };
    let beside = |ours, official| anyhow::Ok(times_of(at(ours, 3)?, at(official, 3)?));
    let case = "turn through 3 proxies: in the conductor";
    report.ratio(case, 0.1, "Rust SDK", beside("ours-inside", "official-inside")?, None);
    report.ratio("turn through 3 proxies: processes", 0.1, "Rust SDK", beside("ours", "official")?, None);
    // The cost of a proxy is that of one more of them.
    let more = |word, few: usize, many: usize| {
        anyhow::Ok((at(word, many)?.median() - at(word, few)?.median()) / (many - few) as f64)
    };
    let micros = |nanoseconds: f64| nanoseconds / MESSAGES / 1_000.0;
    let ours = micros(more("ours-inside", 0, 10)?);
    let official = micros(more("official-inside", 1, 3)?);
    report.count("proxy in the conductor: a message", 1.0, "µs", ours, Some(official));
    // Each process is two links more. The floor's turn is one, with the work at both ends of it.
    let floor = at("", 0)?.median();
    let [ours, official] = [more("ours", 1, 3)?, more("official", 1, 3)?].map(|hop| hop / 2.0 / floor);
    report.ratio("proxy as a process: a link", 1.3, "floor", ours, Some(official));
    Ok(())
}

/// The main function of a child process: a chain before the floor's agent, over stdin and stdout.
pub(crate) fn child(word: &str, proxies: usize) -> Result<()> {
    let agent = Agent::Floor.command()?;
    runtime()?.block_on(async {
        match word {
            "ours-inside" => Ok(ours(proxies).agent(command(&agent)).serve_stdio().await?),
            "ours" => {
                let proxy = || command(&[agent[0].clone(), "proxy".into(), "ours".into()]);
                let chain = Conductor::new();
                let chain = (0..proxies).fold(chain, |chain, _| chain.process(proxy(), Policy::Required));
                Ok(chain.agent(command(&agent)).serve_stdio().await?)
            }
            "official-inside" => {
                let chain = ProxiesAndAgent::new(AcpAgent::from_args(texts(&agent))?);
                let chain = (0..proxies).fold(chain, |chain, _| chain.proxy(Official.v1()));
                let (reader, writer) = pipes()?;
                Ok(ConductorImpl::new_agent("bench", chain).run(streams(reader, writer)).await?)
            }
            "official" => {
                let mut chain = ProxiesAndAgent::new(AcpAgent::from_args(texts(&agent))?);
                for _ in 0..proxies {
                    let proxy = texts(&[agent[0].clone(), "proxy".into(), "official".into()]);
                    chain = chain.proxy(AcpAgent::from_args(proxy)?);
                }
                let (reader, writer) = pipes()?;
                Ok(ConductorImpl::new_agent("bench", chain).run(streams(reader, writer)).await?)
            }
            other => bail!("no chain `{other}`"),
        }
    })
}

/// The main function of a child process: a proxy over stdin and stdout.
pub(crate) fn proxy_child(word: &str) -> Result<()> {
    runtime()?.block_on(async {
        match word {
            "ours" => Ok(Proxy::new("pass").run(std::iter::empty::<OsString>()).await?),
            "official" => {
                let (reader, writer) = pipes()?;
                Ok(Official.v1().connect_to(streams(reader, writer)).await?)
            }
            other => bail!("no proxy `{other}`"),
        }
    })
}

/// Serves a conductor with one proxy in this process, before the floor's agent.
pub(crate) async fn serve(is_ours: bool, stream: DuplexStream) -> Result<()> {
    let (here, there) = tokio::io::duplex(MEMORY_PIPE);
    tokio::spawn(Agent::Floor.serve(there));
    if is_ours {
        let agent = acp_agent::Transport::from_stream(here);
        return Ok(ours(1).agent(agent).serve(acp_agent::Transport::from_stream(stream)).await?);
    }
    let (reader, writer) = tokio::io::split(here);
    let chain = ProxiesAndAgent::new(streams(reader, writer)).proxy(Official.v1());
    let (reader, writer) = tokio::io::split(stream);
    Ok(ConductorImpl::new_agent("bench", chain).run(streams(reader, writer)).await?)
}

fn ours(proxies: usize) -> Conductor {
    (0..proxies).fold(Conductor::new(), |chain, _| chain.proxy(Proxy::new("pass")))
}

fn command(words: &[OsString]) -> Command {
    words[1..].iter().fold(Command::new(&words[0]), Command::arg)
}

fn texts(words: &[OsString]) -> Vec<String> {
    words.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

fn streams<R, W>(reader: R, writer: W) -> ByteStreams<Compat<W>, Compat<R>>
where
    R: AsyncRead + Send + 'static,
    W: AsyncWrite + Send + 'static,
{
    ByteStreams::new(writer.compat_write(), reader.compat())
}
