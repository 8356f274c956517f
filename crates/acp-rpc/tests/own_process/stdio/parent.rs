//! The cases, each with a child process at the other end.

use std::fs::{self, File};
use std::io::{Read, Write, pipe};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use acp_json::{Node, Value};
use acp_rpc::{
    CloseReason, Delivery, Driver, Error, Fault, Noise, Options, Peer, Request, Service, Task, Transport,
    connect,
};
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, OutputModes, tcgetattr, tcsetattr};

use super::is_nonblocking;

pub(crate) fn run(is_picked: impl Fn(&str) -> bool) {
    let cases: [(&str, fn()); 13] = [
        ("pipes hold long messages", pipes_are_wide),
        ("pipes", over_pipes),
        ("without the guard", without_the_guard),
        ("sockets", over_sockets),
        ("files", over_files),
        ("files are never made non-blocking", files_stay_blocking),
        ("a terminal", over_a_terminal),
        ("a terminal is left to others", after_a_terminal),
        ("what cannot be written is told", full_disk),
        ("what cannot be read is told", unreadable),
        ("non-blocking pipes are given back", flags_are_restored),
        ("stdout and stderr are one pipe", shared_with_stderr),
        ("a reader that is gone", nobody_listens),
    ];
    for (name, case) in cases.into_iter().filter(|(name, _)| is_picked(&format!("stdio: {name}"))) {
        case();
        eprintln!("test stdio: {name} ... ok");
    }
}

fn program() -> std::path::PathBuf {
    std::env::current_exe().unwrap()
}

fn command(guard: &str) -> Command {
    let mut command = Command::new(program());
    command.env("ACP_RPC_TEST_AGENT", guard);
    command
}

/// A command with enough time to end by itself.
fn patient(guard: &str) -> acp_rpc::Command {
    let grace = std::time::Duration::from_secs(60);
    acp_rpc::Command::new(program()).env("ACP_RPC_TEST_AGENT", guard).grace(grace)
}

/// A client that only notes faults.
#[derive(Clone, Default)]
struct Client {
    noise: Arc<Mutex<Vec<String>>>,
}

impl Service for Client {
    fn request(&self, method: &str, _: Node<'_>, _: Request) -> Result<Task, Error> {
        Err(Error::method_not_found(method))
    }

    fn notification(&self, _: &str, _: Node<'_>, _: &Peer) -> Delivery {
        Delivery::Ignore
    }

    fn fault(&self, fault: Fault<'_>) {
        let Fault::NotJson { line, .. } = fault else { panic!("{fault}") };
        self.noise.lock().unwrap().push(String::from_utf8_lossy(line).into_owned());
    }
}

fn on_runtime<T>(test: impl AsyncFnOnce() -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let guard = std::time::Duration::from_secs(120);
    runtime.block_on(async { tokio::time::timeout(guard, test()).await.expect("a case hangs") })
}

fn client(transport: Transport) -> (Client, Peer, Driver) {
    let client = Client::default();
    let (peer, driver) = connect(transport, client.clone(), Options::default().noise(Noise::Skip));
    (client, peer, driver)
}

async fn ask(peer: &Peer, method: &str) -> Value {
    peer.request(method, &["x"]).await.unwrap()
}

async fn echo(peer: &Peer) {
    let text = "\u{1F980}".repeat(200_000);
    let answer: Value = peer.request("echo", &[&text]).await.unwrap();
    assert_eq!(answer, Value::new(&[text]).unwrap());
}

fn over_pipes() {
    on_runtime(async || {
        let (transport, child) = Transport::process(patient("guarded")).unwrap();
        let (client, peer, driver) = client(transport);
        let driver = tokio::spawn(driver);
        echo(&peer).await;
        ask(&peer, "print").await;
        assert_eq!(ask(&peer, "run").await.as_bool(), Some(true), "a child reads nothing and goes on");
        assert_eq!(ask(&peer, "read").await.as_str(), Some(""));
        let again = ask(&peer, "open_again").await;
        assert_eq!(again.as_str(), Some("stdin and stdout already carry another connection"));
        echo(&peer).await;
        assert_eq!(*client.noise.lock().unwrap(), Vec::<String>::new());
        peer.close();
        assert!(matches!(driver.await.unwrap(), CloseReason::Local));
        let exit = child.wait().await;
        assert_eq!(
            (exit.status, exit.stderr_tail.as_str()),
            (Some(0), "a stray print\nprinted by a child\n")
        );
    });
}

/// Each side must do this, because the other one may be another program.
#[cfg(target_os = "linux")]
fn pipes_are_wide() {
    const SIZE: usize = 256 * 1024;
    on_runtime(async || {
        let (transport, _child) = Transport::process(patient("measures")).unwrap();
        let (_client, peer, driver) = client(transport);
        let driver = tokio::spawn(driver);
        assert_eq!(ask(&peer, "sizes").await, Value::new(&[SIZE, SIZE]).unwrap(), "made by the client");
        peer.close();
        driver.await.unwrap();
    });
    for (given, expected) in [(64 * 1024, SIZE), (1024 * 1024, 1024 * 1024)] {
        // The pipe has its size before the agent starts, because the agent changes it at once.
        let (stdin, mut input) = std::io::pipe().unwrap();
        rustix::pipe::fcntl_setpipe_size(&input, given).unwrap();
        let mut child = command("guarded").stdin(stdin).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        writeln!(input, r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":[]}}"#).unwrap();
        output.read_exact(&mut [0]).unwrap();
        let sizes = [super::pipe_size(&input), super::pipe_size(&output)];
        assert_eq!(sizes, [expected, SIZE], "taken by the agent");
        drop(input);
        assert!(child.wait().unwrap().success());
    }
}

#[cfg(not(target_os = "linux"))]
fn pipes_are_wide() {}

fn without_the_guard() {
    on_runtime(async || {
        let (transport, child) = Transport::process(patient("open")).unwrap();
        let (client, peer, driver) = client(transport);
        tokio::spawn(driver);
        assert_eq!(ask(&peer, "are_nonblocking").await, Value::new(&[true, true]).unwrap());
        ask(&peer, "print").await;
        ask(&peer, "let_a_child_print").await;
        assert_eq!(*client.noise.lock().unwrap(), ["a stray print", "printed by a child"]);
        peer.close();
        assert_eq!(child.wait().await.stderr_tail, "");
    });
}

fn over_sockets() {
    on_runtime(async || {
        let (input, theirs_in) = StdUnixStream::pair().unwrap();
        let (output, theirs_out) = StdUnixStream::pair().unwrap();
        let mut command = command("guarded");
        command.stdin(OwnedFd::from(theirs_in)).stdout(OwnedFd::from(theirs_out)).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        drop(command);
        let ours = |stream: StdUnixStream| {
            stream.set_nonblocking(true).unwrap();
            tokio::net::UnixStream::from_std(stream).unwrap()
        };
        let (client, peer, driver) = client(Transport::new(ours(output), ours(input)));
        let driver = tokio::spawn(driver);
        echo(&peer).await;
        ask(&peer, "print").await;
        assert_eq!(*client.noise.lock().unwrap(), Vec::<String>::new());
        peer.close();
        driver.await.unwrap();
        // Its last print finds the socket closed, so it may well fail.
        child.wait().unwrap();
    });
}

fn over_files() {
    let folder = std::env::temp_dir().join(format!("acp-rpc-stdio-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (input, output) = (folder.join("in"), folder.join("out"));
    let text = "x".repeat(10_000);
    let lines: String = (0..200)
        .map(|id| {
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"echo\",\"params\":[\"{text}\"]}}\n")
        })
        .collect();
    fs::write(&input, lines).unwrap();
    let mut command = command("guarded");
    command.stdin(File::open(&input).unwrap()).stdout(File::create(&output).unwrap());
    assert!(command.status().unwrap().success());
    let said = fs::read_to_string(&output).unwrap();
    let expected: Vec<String> =
        (0..200).map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":[\"{text}\"]}}")).collect();
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said.len(), 201, "everything was written before the program ended");
    assert!(said.iter().zip(&expected).all(|(said, expected)| said == expected));
    assert_eq!(said[200], "given back");
    fs::remove_dir_all(&folder).unwrap();
}

fn files_stay_blocking() {
    let folder = std::env::temp_dir().join(format!("acp-rpc-stdio-flags-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (input, output) = (folder.join("in"), folder.join("out"));
    fs::write(&input, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"are_nonblocking\"}\n").unwrap();
    let mut command = command("open");
    command.stdin(File::open(&input).unwrap()).stdout(File::create(&output).unwrap());
    assert!(command.status().unwrap().success());
    let said = fs::read_to_string(&output).unwrap();
    assert_eq!(said, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[false,false]}\ngiven back\n");
    fs::remove_dir_all(&folder).unwrap();
}

/// Both ends of a terminal that passes all input through unchanged.
fn terminal() -> (File, File) {
    let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&screen).unwrap();
    unlockpt(&screen).unwrap();
    let name = ptsname(&screen, Vec::new()).unwrap();
    let name = std::ffi::OsStr::from_bytes(name.to_bytes());
    let flags = OFlags::NOCTTY.bits().cast_signed();
    let line = File::options().read(true).write(true).custom_flags(flags).open(name).unwrap();
    let mut modes = tcgetattr(&line).unwrap();
    modes.local_modes.remove(LocalModes::ECHO);
    modes.output_modes.remove(OutputModes::OPOST);
    tcsetattr(&line, OptionalActions::Now, &modes).unwrap();
    (File::from(screen), line)
}

fn expect(screen: &mut File, expected: &str) {
    let mut said = vec![0; expected.len()];
    screen.read_exact(&mut said).unwrap();
    assert_eq!(String::from_utf8_lossy(&said), expected);
}

fn over_a_terminal() {
    const END: &[u8] = b"\x04";
    for (guard, stray) in [("guarded", ""), ("open", "a stray print\n")] {
        let (mut screen, line) = terminal();
        let mut command = command(guard);
        command.stdin(line.try_clone().unwrap()).stdout(line.try_clone().unwrap()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        screen.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"are_nonblocking\"}\n").unwrap();
        expect(&mut screen, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[false,false]}\n");
        // The child may have any descriptors: this is the terminal that both share.
        assert!(!is_nonblocking(&line) && !is_nonblocking(&screen));
        screen.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"print\"}\n").unwrap();
        expect(&mut screen, &format!("{stray}{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":null}}\n"));
        screen.write_all(END).unwrap();
        expect(&mut screen, "given back\n");
        assert!(child.wait().unwrap().success());
    }
}

/// Input that is typed after a connection belongs to the next reader, whichever side has ended
/// it.
fn after_a_terminal() {
    let (mut screen, line) = terminal();
    let mut command = command("guarded");
    command.stdin(line.try_clone().unwrap()).stdout(line).stderr(Stdio::null());
    let mut child = command.env("ACP_RPC_TEST_READS_ON", "yes").spawn().unwrap();
    drop(command);
    screen.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"close\"}\n").unwrap();
    expect(&mut screen, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\ngiven back\n");
    screen.write_all(b"mine\n").unwrap();
    expect(&mut screen, "read mine\n");
    assert!(child.wait().unwrap().success());
}

/// One case has stdin at its end, and one has it open.
fn full_disk() {
    if !cfg!(target_os = "linux") {
        return;
    }
    for ends in [true, false] {
        let (stdin, mut input) = pipe().unwrap();
        let mut command = command("guarded");
        command.stdin(stdin).stdout(File::options().write(true).open("/dev/full").unwrap());
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        drop(command);
        input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}\n").unwrap();
        let held = (!ends).then_some(input);
        let told = child.wait_with_output().unwrap().stderr;
        assert!(String::from_utf8_lossy(&told).starts_with("StorageFull\n"), "stdin ends: {ends}");
        drop(held);
    }
}

fn unreadable() {
    let mut command = command("guarded");
    command.stdin(File::open("/").unwrap()).stdout(Stdio::null()).stderr(Stdio::piped());
    let told = command.spawn().unwrap().wait_with_output().unwrap().stderr;
    assert_eq!(String::from_utf8_lossy(&told), "IsADirectory\n");
}

fn flags_are_restored() {
    let ((stdin, mut input), (mut output, stdout)) = (pipe().unwrap(), pipe().unwrap());
    let mut command = command("guarded");
    command.stdin(stdin.try_clone().unwrap()).stdout(stdout.try_clone().unwrap()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}\n").unwrap();
    let mut answer = [0; 39];
    output.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n");
    assert!(is_nonblocking(&stdin) && is_nonblocking(&stdout));
    drop(input);
    assert!(child.wait().unwrap().success());
    assert!(!is_nonblocking(&stdin) && !is_nonblocking(&stdout));
    drop((command, stdout));
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "given back\n");
}

fn shared_with_stderr() {
    on_runtime(async || {
        let ((stdin, input), (output, stdout)) = (pipe().unwrap(), pipe().unwrap());
        let mut command = command("guarded");
        command.stdin(stdin).stdout(stdout.try_clone().unwrap()).stderr(stdout.try_clone().unwrap());
        let mut child = command.spawn().unwrap();
        drop(command);
        let input = tokio::net::unix::pipe::Sender::from_owned_fd(OwnedFd::from(input)).unwrap();
        let output = tokio::net::unix::pipe::Receiver::from_owned_fd(OwnedFd::from(output)).unwrap();
        let (client, peer, driver) = client(Transport::new(output, input));
        let driver = tokio::spawn(driver);
        // Prints to stderr must not fail because a pipe is full, as they would if it were
        // non-blocking.
        assert_eq!(ask(&peer, "chatter").await.as_bool(), Some(true));
        assert!(!is_nonblocking(&stdout));
        let noise = client.noise.lock().unwrap().len();
        assert_eq!(noise, 40_000);
        drop(stdout);
        peer.close();
        driver.await.unwrap();
        child.wait().unwrap();
    });
}

fn nobody_listens() {
    let ((stdin, mut input), (output, stdout)) = (pipe().unwrap(), pipe().unwrap());
    let mut command = command("guarded");
    command.stdin(stdin).stdout(stdout).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop((command, output));
    input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}\n").unwrap();
    // It ends by itself, although its stdin stays open, because it cannot answer any more.
    child.wait().unwrap();
}
