//! Installing, updating and removing agents.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use acp_client::{Binary, Registry};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use time::OffsetDateTime;

use super::download::{self, Limits};
use super::entry::Entry;
use super::error::InstallError;
use super::guard::Guard;
use super::home::{Home, hex};
use super::lock::{Installed, LockFile};
use super::start;
use super::unpack;
use super::way::Way;

/// The limits of archives.
const ARCHIVE: Limits = Limits { bytes: 1024 * 1024 * 1024, pause: Duration::from_secs(30), whole: None };
/// The beginning of the name of a folder that is being filled.
const NEW: &str = ".new-";

/// The use of the network.
#[derive(Clone, Copy)]
pub(crate) struct Network<'a> {
    /// No server is asked.
    pub(crate) is_off: bool,
    /// Hears what is downloaded.
    pub(crate) tell: &'a dyn Fn(&str),
}

/// The outcome of an installation.
#[derive(Debug)]
pub(crate) enum Done {
    Installed(Installed),
    /// This version was there already.
    Already(Installed),
    /// Another version is there, and stays.
    Other(Installed),
}

/// Installs an agent that is not there yet.
///
/// # Errors
/// The agent does not run here, or its archive cannot be fetched or is not the right one. Nothing
/// is changed then.
pub(crate) async fn install(
    home: &Home,
    entry: &Entry,
    way: Option<Way>,
    env: &[String],
    network: Network<'_>,
) -> Result<Done, InstallError> {
    let _guard = alone(home, &entry.agent.id).await?;
    let lock = LockFile::read(home)?;
    if let Some(there) = lock.get(&entry.agent.id).filter(|there| start::is_whole(home, there)) {
        if there.version != entry.version {
            return Ok(Done::Other(there.clone()));
        }
        if way.is_none_or(|way| way == there.way) {
            let mut there = there.clone();
            add(&mut there.env, env);
            LockFile::change(home, |lock| lock.put(there.clone(), &Registry::platform()))?;
            return Ok(Done::Already(there));
        }
    }
    let mut names = lock.get(&entry.agent.id).map(|there| there.env.clone()).unwrap_or_default();
    add(&mut names, env);
    put(home, &lock, entry, way, names, network).await.map(Done::Installed)
}

/// Puts the version of a list in the place of the one that is there.
///
/// # Errors
/// As [`install`], and if a process uses the agent.
pub(crate) async fn update(
    home: &Home,
    entry: &Entry,
    there: &Installed,
    network: Network<'_>,
) -> Result<Installed, InstallError> {
    let _guard = alone(home, &there.id).await?;
    // Nothing is downloaded for an agent that is in use.
    drop(Guard::take(home, &there.id)?);
    let lock = LockFile::read(home)?;
    let way = there.way.works(&entry.agent).is_ok().then_some(there.way);
    put(home, &lock, entry, way, there.env.clone(), network).await
}

/// Removes an agent.
///
/// # Errors
/// It is not installed, or a process uses it.
pub(crate) async fn remove(home: &Home, id: &str) -> Result<Installed, InstallError> {
    let not_installed = || InstallError::NotInstalled { id: id.to_owned() };
    // No file is made for an id that is none.
    LockFile::read(home)?.get(id).ok_or_else(not_installed)?;
    let _guard = alone(home, id).await?;
    let _use = Guard::take(home, id)?;
    let there = LockFile::read(home)?.get(id).cloned().ok_or_else(not_installed)?;
    LockFile::change(home, |lock| lock.remove(id))?;
    remove_folder(&home.agent(id))?;
    Ok(there)
}

/// Waits until no other process installs the agent.
async fn alone(home: &Home, id: &str) -> Result<Guard, InstallError> {
    let (home, id) = (home.clone(), id.to_owned());
    blocking(move || Guard::install(&home, &id)).await
}

/// Runs something that takes long on a thread of its own, so that Ctrl-C is heard.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, InstallError> + Send + 'static,
) -> Result<T, InstallError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

fn add(names: &mut Vec<String>, more: &[String]) {
    for name in more {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
}

async fn put(
    home: &Home,
    lock: &LockFile,
    entry: &Entry,
    way: Option<Way>,
    env: Vec<String>,
    network: Network<'_>,
) -> Result<Installed, InstallError> {
    let id = &entry.agent.id;
    let way = Way::choose(&entry.agent, way)?;
    way.check_pinned(&entry.agent).map_err(|problem| InstallError::Entry {
        id: id.clone(),
        list: entry.list.clone(),
        problem,
    })?;
    let mut installed = Installed {
        id: id.clone(),
        version: entry.version.clone(),
        way,
        sha256: None,
        folder: None,
        date: OffsetDateTime::now_utc().date().to_string(),
        list: entry.list.clone(),
        env,
        entry: entry.text.clone(),
        answered: None,
    };
    let new = match entry.agent.binary().filter(|_| way == Way::Binary) {
        Some(binary) => Some(fetch(home, lock, entry, binary, network).await?),
        None => None,
    };
    let _use = Guard::take(home, id)?;
    if let Some(new) = &new {
        installed.folder = Some(new.place(&home.agent(id), &entry.version)?);
        installed.sha256 = Some(new.sha256.clone());
    }
    let before = LockFile::read(home)?.get(id).cloned();
    LockFile::change(home, |lock| lock.put(installed.clone(), &Registry::platform()))?;
    if let Some(folder) = before.and_then(|before| before.folder)
        && Some(&folder) != installed.folder.as_ref()
    {
        remove_folder(&home.agent(id).join(folder))?;
    }
    Ok(installed)
}

/// An archive that was unpacked beside its later place. Dropping it removes it.
struct New {
    work: TempDir,
    sha256: String,
}

impl New {
    fn files(&self) -> PathBuf {
        self.work.path().join("files")
    }

    /// Moves the files to their place, and returns its name.
    fn place(&self, agent: &Path, version: &str) -> Result<String, InstallError> {
        let short: String = self.sha256.chars().take(8).collect();
        let name = format!("{version}-{short}");
        let place = agent.join(&name);
        match fs::rename(&place, self.work.path().join("old")) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(InstallError::File { file: place, error });
            }
            _ => {}
        }
        fs::rename(self.files(), &place).map_err(InstallError::file(&place))?;
        Ok(name)
    }
}

/// Downloads an archive, checks it and unpacks it.
async fn fetch(
    home: &Home,
    lock: &LockFile,
    entry: &Entry,
    binary: &Binary,
    network: Network<'_>,
) -> Result<New, InstallError> {
    let id = &entry.agent.id;
    let address = &binary.archive;
    if network.is_off {
        let problem = "no server is asked with `--offline`".to_owned();
        return Err(InstallError::Download { id: id.clone(), address: address.clone(), problem });
    }
    let work = work_folder(&home.agent(id))?;
    let archive = work.path().join("archive");
    (network.tell)(&format!("downloading {address}"));
    let sha256 = download(id, address, &archive).await?;
    check(home, lock, entry, binary, &sha256)?;
    if binary.sha256.is_none() && lock.seen(id, &entry.version, &Registry::platform()).is_none() {
        (network.tell)(&format!("the list has no SHA-256 of it: {sha256} is recorded, and must stay"));
    }
    let new = New { work, sha256 };
    let (files, cmd) = (new.files(), binary.cmd.clone());
    let failed = {
        let (id, address) = (id.clone(), address.clone());
        move |problem| InstallError::Archive { id, address, problem }
    };
    let to = files.clone();
    let refused = failed.clone();
    blocking(move || unpack::unpack(&archive, &to, &cmd, unpack::Limits::default()).map_err(refused)).await?;
    let command = entry.agent.command(Some(&files)).map_err(|error| failed.clone()(error.to_string()))?;
    let program = Path::new(command.program());
    if program.is_absolute() && !program.is_file() {
        return Err(failed(format!("its `cmd` {} is not in it", binary.cmd)));
    }
    Ok(new)
}

/// Downloads an archive into a file, and returns its SHA-256.
async fn download(id: &str, address: &str, file: &Path) -> Result<String, InstallError> {
    let failed = |problem| InstallError::Download { id: id.to_owned(), address: address.to_owned(), problem };
    let url = download::address(address).map_err(failed)?;
    let mut to = File::create(file).map_err(InstallError::file(file))?;
    let mut hash = Sha256::new();
    let taken = download::get(&url, ARCHIVE, |piece| {
        hash.update(piece);
        to.write_all(piece)
    });
    taken.await.map_err(failed)?;
    Ok(hex(&hash.finalize()))
}

/// Compares an archive with the list, and with the one that this version had before.
fn check(
    home: &Home,
    lock: &LockFile,
    entry: &Entry,
    binary: &Binary,
    found: &str,
) -> Result<(), InstallError> {
    let (id, found) = (entry.agent.id.clone(), found.to_owned());
    if let Some(listed) = binary.sha256.as_ref().filter(|listed| !listed.eq_ignore_ascii_case(&found)) {
        return Err(InstallError::Checksum {
            id,
            address: binary.archive.clone(),
            listed: listed.clone(),
            found,
        });
    }
    match lock.seen(&id, &entry.version, &Registry::platform()) {
        Some(before) if before != found => Err(InstallError::Changed {
            id,
            version: entry.version.clone(),
            before: before.to_owned(),
            found,
            lock: home.lock(),
        }),
        _ => Ok(()),
    }
}

/// Makes a folder beside the versions of an agent, and removes those that a crash has left.
fn work_folder(agent: &Path) -> Result<TempDir, InstallError> {
    let made = || {
        fs::create_dir_all(agent)?;
        for entry in fs::read_dir(agent)? {
            let entry = entry?;
            if entry.file_name().as_encoded_bytes().starts_with(NEW.as_bytes()) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        tempfile::Builder::new().prefix(NEW).tempdir_in(agent)
    };
    made().map_err(InstallError::file(agent))
}

fn remove_folder(folder: &Path) -> Result<(), InstallError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(InstallError::File { file: folder.to_owned(), error })
        }
        _ => Ok(()),
    }
}
