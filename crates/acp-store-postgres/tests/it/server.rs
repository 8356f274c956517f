//! Servers of PostgreSQL and pgbouncer in temporary folders, and databases on them.

use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The user who runs the servers if this is root, which PostgreSQL refuses.
const NOBODY: u32 = 65534;

/// Runs a program until stdin ends, and then ends it at once. So no server outlives the tests. Its
/// folder goes with it, unless the last word on stdin is `keep`.
const GUARD: &str = r#"
exec 3<&0
{
    read -r word <&3
    kill -${SIGNAL:-QUIT} $$ 2>/dev/null
    [ "$word" = keep ] && exit
    while kill -0 $$ 2>/dev/null; do sleep 0.1; done
    rm -rf "$FOLDER"
} &
exec "$@" 3<&- </dev/null
"#;

/// Returns a server for a test, or says loudly that the test is skipped.
macro_rules! server_or_skip {
    ($server:expr) => {
        match $server {
            Some(server) => server,
            None => return,
        }
    };
}

pub(crate) use server_or_skip;

/// Finds a program of PostgreSQL or pgbouncer. Without it the test is skipped, or fails if
/// `ACP_REQUIRE_POSTGRES` is 1.
fn program(name: &str) -> Option<PathBuf> {
    // The folder of the version first: the programs elsewhere may be wrappers.
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.push("/usr/sbin".into());
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let found = folders.into_iter().map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        assert!(
            std::env::var_os("ACP_REQUIRE_POSTGRES").is_none_or(|required| required != "1"),
            "`{name}` is missing: install PostgreSQL and pgbouncer",
        );
        eprintln!("\n*** SKIPPED: no `{name}`. Sessions on PostgreSQL are NOT tested. ***\n");
    }
    found
}

/// Prepares a command as a user who may run the servers.
fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.current_dir("/").env("LC_ALL", "C").stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Prepares a program that ends with the tests. The arguments are the program and its own.
fn guarded(folder: &Path) -> Command {
    let mut guard = command("/bin/sh");
    guard.args(["-c", GUARD, "sh"]).env("FOLDER", folder).stdin(Stdio::piped());
    guard
}

/// Ends a guarded program, and waits for it.
fn end(mut guard: Child) {
    if let Some(mut stdin) = guard.stdin.take() {
        // The guard may have ended with its program.
        let _ = stdin.write_all(b"keep\n");
    }
    guard.wait().unwrap();
}

fn folder() -> TempDir {
    let folder = tempfile::Builder::new().prefix("acp-postgres-").tempdir_in("/tmp").unwrap();
    if rustix::process::geteuid().is_root() {
        chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    folder
}

/// A server of PostgreSQL on a unix socket.
pub(crate) struct Server {
    folder: TempDir,
    postgres: PathBuf,
    running: Option<Child>,
    /// The port of 127.0.0.1 that it listens on.
    tcp: Option<u16>,
}

impl Server {
    /// Starts a server of its own for a test.
    pub(crate) fn start() -> Option<Self> {
        let (initdb, postgres) = (program("initdb")?, program("postgres")?);
        let folder = folder();
        let data = folder.path().join("data");
        let made = command(initdb)
            .args(["--no-locale", "-E", "UTF8", "-U", "postgres", "-A", "trust", "--no-sync", "-D"])
            .arg(&data)
            .status();
        assert!(made.unwrap().success(), "initdb");
        let mut server = Server { folder, postgres, running: None, tcp: None };
        server.run();
        Some(server)
    }

    /// Starts the server again with these lines in its configuration, on a port of 127.0.0.1 if one
    /// is given.
    pub(crate) fn configure(&mut self, lines: &str, port: Option<u16>) {
        self.stop();
        self.tcp = port;
        let path = self.path().join("data/postgresql.auto.conf");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, format!("{text}\n{lines}\n")).unwrap();
        self.run();
    }

    /// Writes a file that the user of the server owns, and nobody else may read.
    pub(crate) fn write_file(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        if rustix::process::geteuid().is_root() {
            chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    /// Returns the server that most tests share.
    pub(crate) fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Server>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Starts the server again, and waits until it takes connections.
    pub(crate) fn run(&mut self) {
        self.running = Some(self.spawn());
        let until = Instant::now() + Duration::from_secs(120);
        while self.psql("postgres", "select 1").is_none() {
            assert!(Instant::now() < until, "the server does not start");
            std::thread::sleep(Duration::from_millis(20));
            // It refuses to start while processes of a killed one still have its memory.
            if self.running.as_mut().is_none_or(|guard| guard.try_wait().unwrap().is_some()) {
                self.stopped();
                self.running = Some(self.spawn());
            }
        }
    }

    fn port(&self) -> u16 {
        self.tcp.unwrap_or(5432)
    }

    fn spawn(&self) -> Child {
        let mut server = guarded(self.path());
        server.arg(&self.postgres).arg("-D").arg(self.path().join("data"));
        server.arg("-k").arg(self.path());
        let address = if self.tcp.is_some() { "127.0.0.1" } else { "" };
        server.arg("-c").arg(format!("listen_addresses={address}")).arg("-p").arg(self.port().to_string());
        for setting in ["shared_buffers=16MB", "max_connections=60"] {
            server.args(["-c", setting]);
        }
        server.spawn().unwrap()
    }

    /// Kills the server. Its other processes notice that, and end.
    pub(crate) fn kill(&mut self) {
        let data = self.path().join("data");
        if let Ok(text) = std::fs::read_to_string(data.join("postmaster.pid"))
            && let Some(pid) = text.lines().next().and_then(|line| line.trim().parse().ok())
            && let Some(pid) = rustix::process::Pid::from_raw(pid)
        {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        self.stopped();
    }

    /// Ends the server at once.
    pub(crate) fn stop(&mut self) {
        self.stopped();
    }

    fn stopped(&mut self) {
        if let Some(guard) = self.running.take() {
            end(guard);
        }
    }

    /// Carries out SQL. Returns its output, or `None` if it failed.
    pub(crate) fn psql(&self, database: &str, sql: &str) -> Option<String> {
        let mut psql = command(self.postgres.with_file_name("psql"));
        psql.args([
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-U",
            "postgres",
            "-d",
            database,
            "-c",
            sql,
        ]);
        psql.arg("-p").arg(self.port().to_string());
        let mut psql = psql.arg("-h").arg(self.path()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = String::new();
        psql.stdout.take().unwrap().read_to_string(&mut output).unwrap();
        psql.wait().unwrap().success().then_some(output)
    }

    /// Makes a copy of the server, which follows it from then on.
    pub(crate) fn standby(&self, name: &str) -> Server {
        let mut standby = self.base_backup(name, &["-R"]);
        standby.run();
        standby
    }

    /// Copies the files of the server, for a server that is not started yet.
    pub(crate) fn base_backup(&self, name: &str, options: &[&str]) -> Server {
        let folder = folder();
        let copied = command(self.postgres.with_file_name("pg_basebackup"))
            .args(options)
            .args(["-U", "postgres", "-X", "stream", "--checkpoint=fast", "--no-sync", "-d"])
            .arg(format!("host={} application_name={name}", self.path().display()))
            .arg("-D")
            .arg(folder.path().join("data"))
            .status();
        assert!(copied.unwrap().success(), "pg_basebackup");
        Server { folder, postgres: self.postgres.clone(), running: None, tcp: None }
    }

    /// Makes a standby the primary.
    pub(crate) fn promote(&mut self) {
        self.psql("postgres", "select pg_promote(true, 120)").expect("pg_promote");
    }

    /// Copies the tables of a database to a new one, by pg_dump.
    pub(crate) fn restored(&self, database: &Database) -> Database {
        let dump = self.path().join(format!("{}.sql", database.name));
        let mut pg_dump = command(self.postgres.with_file_name("pg_dump"));
        pg_dump.args(["-U", "postgres", "-d", &database.name, "-f"]).arg(&dump).arg("-h").arg(self.path());
        assert!(pg_dump.status().unwrap().success(), "pg_dump");
        let restored = self.database();
        let text = std::fs::read_to_string(dump).unwrap();
        let mut psql = command(self.postgres.with_file_name("psql"));
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-d", &restored.name]);
        let mut psql = psql.arg("-h").arg(self.path()).stdin(Stdio::piped()).spawn().unwrap();
        psql.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(psql.wait().unwrap().success(), "psql");
        restored
    }

    /// Returns a database of this server that has come with its files.
    pub(crate) fn own(&self, database: &Database) -> Database {
        Database { host: self.path().to_owned(), ..database.clone() }
    }

    /// Makes a new database.
    pub(crate) fn database(&self) -> Database {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        self.psql("postgres", &format!("create database {name}")).expect("create database");
        Database { host: self.path().to_owned(), port: 5432, name, user: "postgres".to_owned() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped();
    }
}

/// A database, and the way to it.
#[derive(Clone)]
pub(crate) struct Database {
    host: PathBuf,
    port: u16,
    pub(crate) name: String,
    user: String,
}

impl Database {
    pub(crate) fn url(&self) -> String {
        let Database { host, port, name, user } = self;
        format!("host={} port={port} dbname={name} user={user}", host.display())
    }

    /// Returns the way to whichever of these servers is the primary.
    pub(crate) fn url_of(&self, servers: &[&Server]) -> String {
        let Database { name, user, .. } = self;
        let hosts: Vec<String> = servers.iter().map(|server| server.path().display().to_string()).collect();
        let hosts = hosts.join(",");
        format!("host={hosts} dbname={name} user={user} target_session_attrs=read-write")
    }

    pub(crate) fn as_user(&self, user: &str) -> Self {
        Database { user: user.to_owned(), ..self.clone() }
    }
}

/// A pgbouncer in transaction mode before a server.
pub(crate) struct Bouncer {
    folder: TempDir,
    guard: Option<Child>,
}

impl Bouncer {
    pub(crate) fn before(server: &Server) -> Option<Self> {
        let pgbouncer = program("pgbouncer")?;
        let folder = folder();
        let config = folder.path().join("pgbouncer.ini");
        let text = format!(
            "[databases]\n* = host={} port=5432 user=postgres\n[pgbouncer]\npool_mode = transaction\n\
             auth_type = any\nlisten_addr =\nunix_socket_dir = {}\nlisten_port = 6432\ndefault_pool_size = 4\n\
             max_client_conn = 1000\n",
            server.path().display(),
            folder.path().display(),
        );
        std::fs::write(&config, text).unwrap();
        // Where SIGQUIT was ignored at the start, pgbouncer ignores it, too.
        let guard = guarded(folder.path()).env("SIGNAL", "KILL").arg(pgbouncer).arg(&config).spawn().unwrap();
        let bouncer = Bouncer { folder, guard: Some(guard) };
        let until = Instant::now() + Duration::from_secs(60);
        while !bouncer.folder.path().join(".s.PGSQL.6432").exists() {
            assert!(Instant::now() < until, "pgbouncer does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(bouncer)
    }

    /// Returns the way to a database through the pooler.
    pub(crate) fn to(&self, database: &Database) -> Database {
        Database { host: self.folder.path().to_owned(), port: 6432, ..database.clone() }
    }
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        if let Some(guard) = self.guard.take() {
            end(guard);
        }
    }
}
