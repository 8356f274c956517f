//! The owner, the rights and the extended attributes of a file (unix). The attributes hold ACLs.

use std::ffi::{CStr, CString, OsStr};
use std::io;

use cap_std::fs::{Dir, File};
use rustix::fs::{Gid, Mode, OFlags, Stat, Uid, fchmod, fchown, fstat, openat};
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
use rustix::io::Errno;

/// The mode without setuid and setgid. The new text must not run with the rights of others, who may
/// not have written it.
const NOT_LENT: u32 = 0o1777;

/// The attributes of a file that is to be replaced.
pub(super) struct Rights {
    stat: Stat,
    /// `None` if they cannot be read.
    attributes: Option<Vec<Attribute>>,
}

struct Attribute {
    name: CString,
    value: Vec<u8>,
}

impl Rights {
    pub(super) fn of(folder: &Dir, name: &OsStr) -> io::Result<Self> {
        // If it has become a pipe meanwhile, nothing waits for the other end.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let open = |access| openat(folder, name, access | flags, Mode::empty());
        let file = open(OFlags::RDONLY).or_else(|_| open(OFlags::WRONLY))?;
        Ok(Self { stat: fstat(&file)?, attributes: attributes::all(&file).ok() })
    }

    /// Gives all attributes to a new file, apart from lent rights. Returns false if that fails.
    /// Then the new file is useless.
    pub(super) fn give(&self, file: &File) -> bool {
        self.try_give(file).unwrap_or(false)
    }

    /// The order matters: at no moment may the new file be readable to somebody who may not read
    /// the old one.
    fn try_give(&self, file: &File) -> io::Result<bool> {
        let Some(kept) = &self.attributes else { return Ok(false) };
        let (lists, others): (Vec<_>, Vec<_>) = kept.iter().partition(|attribute| attribute.is_acl());
        for attribute in others {
            attribute.give(file)?;
        }
        let now = fstat(file)?;
        let uid = (now.st_uid != self.stat.st_uid).then(|| Uid::from_raw(self.stat.st_uid));
        let gid = (now.st_gid != self.stat.st_gid).then(|| Gid::from_raw(self.stat.st_gid));
        if uid.is_some() || gid.is_some() {
            fchown(file, uid, gid)?;
        }
        if lists.is_empty() {
            // The folder may give an ACL to every new file.
            remove_acl(file)?;
        }
        for list in lists {
            list.give(file)?;
        }
        fchmod(file, Mode::from_raw_mode(self.stat.st_mode & NOT_LENT))?;
        Ok(true)
    }

    /// Writes into the file itself, which keeps all its attributes. Other readers of the file may
    /// see it half written.
    pub(super) fn write_in_place(&self, folder: &Dir, name: &OsStr, text: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(folder, name, flags, Mode::empty())?;
        let now = fstat(&file)?;
        if (now.st_dev, now.st_ino) != (self.stat.st_dev, self.stat.st_ino) {
            return Err(io::Error::other("the file was replaced meanwhile: try again"));
        }
        // Its text may belong to a file outside of the root.
        if now.st_nlink != 1 {
            let problem =
                "the file has other names (hard links), and a new one cannot have its owner, group or ACL";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
        }
        let mut file = std::fs::File::from(file);
        reserve(&file, text.len())?;
        if now.st_mode & !NOT_LENT & 0o7777 != 0 {
            // Without the right to do this, the write itself clears the bits.
            let _ = fchmod(&file, Mode::from_raw_mode(now.st_mode & NOT_LENT));
        }
        io::Write::write_all(&mut file, text)?;
        file.set_len(u64::try_from(text.len()).unwrap_or(u64::MAX))?;
        file.sync_all()
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn remove_acl(file: &File) -> io::Result<()> {
    match rustix::fs::fremovexattr(file, ACL) {
        Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn remove_acl(_: &File) -> io::Result<()> {
    Ok(())
}

/// A full disk must show before the old text is touched.
#[cfg(target_os = "linux")]
fn reserve(file: &std::fs::File, length: usize) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    let length = u64::try_from(length).unwrap_or(u64::MAX);
    match fallocate(file, FallocateFlags::KEEP_SIZE, 0, length) {
        Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => Err(error.into()),
        // Not every file system can do this, and an empty text needs no space.
        _ => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve(_: &std::fs::File, _: usize) -> io::Result<()> {
    Ok(())
}

impl Attribute {
    fn is_acl(&self) -> bool {
        self.name.as_c_str() == ACL
    }
}

/// The extended attribute that holds the ACL of a file.
const ACL: &CStr = c"system.posix_acl_access";

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod attributes {
    use std::os::fd::AsFd;

    use rustix::fs::fsetxattr;
    use rustix::fs::{XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query};

    use super::{Attribute, CStr, CString, Errno, File, io};

    /// They belong to the old text, or lend rights to it. The system manages them itself.
    const NOT_KEPT: [&CStr; 4] =
        [c"security.capability", c"security.ima", c"security.evm", c"com.apple.provenance"];

    pub(super) fn all(file: impl AsFd) -> io::Result<Vec<Attribute>> {
        let names = read(|| flistxattr_query(&file), |buffer| flistxattr(&file, buffer));
        let names = match names {
            Err(Errno::OPNOTSUPP) => return Ok(Vec::new()),
            names => names?,
        };
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let names = names.filter_map(|name| CString::new(name).ok());
        let kept = names.filter(|name| !NOT_KEPT.contains(&name.as_c_str()));
        kept.map(|name| {
            let value = value_of(&file, &name)?;
            Ok(Attribute { name, value })
        })
        .collect()
    }

    impl Attribute {
        pub(super) fn give(&self, file: &File) -> io::Result<()> {
            // Some appear by themselves, and not everybody may set them.
            if value_of(file, &self.name).is_ok_and(|value| value == self.value) {
                return Ok(());
            }
            Ok(fsetxattr(file, self.name.as_c_str(), &self.value, XattrFlags::empty())?)
        }
    }

    fn value_of(file: impl AsFd, name: &CStr) -> rustix::io::Result<Vec<u8>> {
        read(|| fgetxattr_query(&file, name), |buffer| fgetxattr(&file, name, buffer))
    }

    /// Asks for the length and then for the bytes. Repeats it if the value has grown in between.
    fn read(
        query: impl Fn() -> rustix::io::Result<usize>,
        fill: impl Fn(&mut [u8]) -> rustix::io::Result<usize>,
    ) -> rustix::io::Result<Vec<u8>> {
        loop {
            let mut buffer = vec![0; query()?];
            if buffer.is_empty() {
                return Ok(buffer);
            }
            match fill(&mut buffer) {
                Ok(length) => {
                    buffer.truncate(length);
                    return Ok(buffer);
                }
                Err(Errno::RANGE) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod attributes {
    use std::os::fd::AsFd;

    use super::{Attribute, File, io};

    pub(super) fn all(_: impl AsFd) -> io::Result<Vec<Attribute>> {
        Ok(Vec::new())
    }

    impl Attribute {
        pub(super) fn give(&self, _: &File) -> io::Result<()> {
            Ok(())
        }
    }
}
