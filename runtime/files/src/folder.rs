//! A folder, and opening what is beneath it: the kernel sees to it that nothing else is.
//!
//! On Linux every path is resolved by `openat2` with `RESOLVE_BENEATH`: no `..`, no absolute path and no symbolic link leads out,
//! whatever is renamed meanwhile; links that stay beneath are followed. Where there is no such call (a kernel before 5.6, a sandbox
//! that knows it not, another Unix) the path is walked, folder by folder, and no link is followed. Names are checked before
//! (`name.rs`).

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::SystemTime;

use pw_core::Seldom;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// A folder that was opened, once.
#[derive(Debug)]
pub(crate) struct Folder {
    root: OwnedFd,
    resolve: Resolve,
}

/// Who resolves paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resolve {
    #[cfg(target_os = "linux")]
    Kernel,
    Walk,
}

/// What is at a path.
pub(crate) enum Found {
    /// A regular file, open.
    File(File, Metadata),
    Folder,
    /// Nothing, or nothing that may be shown.
    Nothing,
}

/// How a regular file was, and which one it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) length: u64,
    /// Seconds and nanoseconds. Anybody who may write can set it to what they like.
    pub(crate) modified: (i64, i64),
    /// Seconds and nanoseconds. Nobody can set it.
    pub(crate) changed: (i64, i64),
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether it was left alone for long enough that one more change would show: clocks of file systems tick every few
    /// milliseconds, some every two seconds.
    pub(crate) fn is_settled(&self, now: SystemTime) -> bool {
        let now = now
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |now| now.as_secs());
        let before = i64::try_from(now).unwrap_or(i64::MAX) - 2;
        self.changed.0 < before && self.modified.0 < before
    }
}

/// To read it. A fifo does not wait for its writer, and a terminal does not become ours.
fn reading() -> OFlags {
    OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC
}

/// To ask how it is.
fn looking() -> OFlags {
    #[cfg(target_os = "linux")]
    return OFlags::PATH | OFlags::CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    return reading();
}

impl Folder {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(path, flags, Mode::empty())?;
        let resolve = Resolve::of(root.as_fd());
        Ok(Self { root, resolve })
    }

    /// The same folder, as on a kernel without `openat2`.
    #[cfg(test)]
    fn walked(mut self) -> Self {
        self.resolve = Resolve::Walk;
        self
    }

    /// What is at a path, opened.
    pub(crate) fn find(&self, path: &str) -> io::Result<Found> {
        let file = match self.resolve(path, reading()) {
            Ok(file) => File::from(file),
            Err(errno) => return nothing_or(errno, path),
        };
        let metadata = file.metadata()?;
        Ok(match metadata.file_type() {
            kind if kind.is_file() => Found::File(file, metadata),
            kind if kind.is_dir() => Found::Folder,
            _ => Found::Nothing,
        })
    }

    /// How the regular file at a path is, without opening it to read. `None` if there is none.
    pub(crate) fn stamp(&self, path: &str) -> io::Result<Option<Stamp>> {
        let file = match self.resolve(path, looking()) {
            Ok(file) => File::from(file),
            Err(errno) => return nothing_or(errno, path).map(|_| None),
        };
        let metadata = file.metadata()?;
        Ok(metadata.is_file().then(|| Stamp::of(&metadata)))
    }

    fn resolve(&self, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        match self.resolve {
            #[cfg(target_os = "linux")]
            Resolve::Kernel => beneath(self.root.as_fd(), path, flags),
            Resolve::Walk => walk(self.root.as_fd(), path, flags),
        }
    }
}

impl Resolve {
    #[cfg(target_os = "linux")]
    fn of(root: BorrowedFd<'_>) -> Self {
        // Sandboxes answer `EPERM` to calls they don't know.
        match beneath(root, ".", looking() | OFlags::DIRECTORY) {
            Ok(_) => Self::Kernel,
            Err(_) => Self::Walk,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn of(_: BorrowedFd<'_>) -> Self {
        Self::Walk
    }
}

#[cfg(target_os = "linux")]
fn beneath(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};

    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let mut tries = 0;
    loop {
        match openat2(root, path, flags, Mode::empty(), resolve) {
            // Something was renamed while a link's `..` was resolved, and the kernel can't be sure.
            Err(Errno::AGAIN | Errno::INTR) if tries < 8 => tries += 1,
            outcome => return outcome,
        }
    }
}

fn walk(root: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let into = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let (folders, last) = path.rsplit_once('/').unwrap_or(("", path));
    let mut folder: Option<OwnedFd> = None;
    for name in folders.split('/').filter(|name| !name.is_empty()) {
        let at = folder.as_ref().map_or(root, |folder| folder.as_fd());
        folder = Some(rustix::fs::openat(at, name, into, Mode::empty())?);
    }
    let at = folder.as_ref().map_or(root, |folder| folder.as_fd());
    rustix::fs::openat(at, last, flags | OFlags::NOFOLLOW, Mode::empty())
}

/// Tells what is not there, or may not be seen, from what has gone wrong.
fn nothing_or(errno: Errno, path: &str) -> io::Result<Found> {
    match errno {
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV | Errno::NAMETOOLONG => Ok(Found::Nothing),
        // A socket, a device without a driver; a name that this file system can't have.
        Errno::NXIO | Errno::NODEV | Errno::INVAL | Errno::ILSEQ => Ok(Found::Nothing),
        Errno::ACCESS | Errno::PERM => {
            // Whoever runs the server wants to know. It is a file of theirs, so its name may be told; but clients must not fill the
            // log by asking for it.
            static TOLD: Seldom = Seldom::new();
            if TOLD.is_due() {
                tracing::warn!(target: "polywire", path, error = %errno, "a file may not be read, and is answered with 404");
            }
            Ok(Found::Nothing)
        }
        errno => Err(errno.into()),
    }
}

/// Whether no more files can be opened: by this process, or by anybody.
pub(crate) fn is_exhausted(error: &io::Error) -> bool {
    let exhausted = [Errno::MFILE, Errno::NFILE].map(Errno::raw_os_error);
    error.raw_os_error().is_some_and(|code| exhausted.contains(&code))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::*;

    fn text(found: Found) -> Option<String> {
        let Found::File(mut file, _) = found else { return None };
        let mut text = String::new();
        file.read_to_string(&mut text).expect("it is text");
        Some(text)
    }

    #[test]
    fn links_are_followed_beneath_the_folder_or_not_at_all() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::create_dir(place.path().join("root-evil")).unwrap();
        fs::write(place.path().join("secret"), "secret").unwrap();
        fs::write(place.path().join("root-evil/leak"), "secret").unwrap();
        fs::write(root.join("sub/file"), "file").unwrap();
        for (target, name) in [
            ("sub/file", "in"),
            ("../in", "sub/up"),
            ("sub", "folder"),
            ("../secret", "out"),
            ("../root-evil", "sibling"),
            ("/etc/passwd", "absolute"),
            ("loop", "loop"),
            ("nothing", "dangling"),
            ("/proc/self/root", "magic"),
            ("/proc/self/cwd", "cwd"),
        ] {
            symlink(target, root.join(name)).unwrap();
        }
        symlink(root.join("sub/file"), root.join("absolute-in")).unwrap();
        let kernel = Folder::open(&root).unwrap();
        let walked = Folder::open(&root).unwrap().walked();
        assert_ne!(kernel.resolve, walked.resolve, "this kernel has openat2");
        for (path, followed) in [
            ("in", true),
            ("sub/up", true),
            ("folder/file", true),
            ("sub/file", false),
        ] {
            assert_eq!(text(kernel.find(path).unwrap()).as_deref(), Some("file"), "{path}");
            assert_eq!(text(walked.find(path).unwrap()).is_none(), followed, "{path}");
            assert!(kernel.stamp(path).unwrap().is_some());
        }
        for folder in [&kernel, &walked] {
            for path in [
                "out",
                "sibling/leak",
                "absolute",
                "absolute-in",
                "loop",
                "dangling",
                "magic/etc/passwd",
                "cwd/Cargo.toml",
                "nothing",
                "sub/file/x",
            ] {
                assert!(matches!(folder.find(path).unwrap(), Found::Nothing), "{path}");
                assert_eq!(folder.stamp(path).unwrap(), None, "{path}");
            }
            assert!(matches!(folder.find("sub").unwrap(), Found::Folder));
        }
        // Names are checked before. Without that the kernel still stands in the way.
        for path in ["../secret", "sub/../../secret", "/etc/passwd"] {
            assert!(matches!(kernel.find(path).unwrap(), Found::Nothing), "{path}");
        }
    }

    #[test]
    fn a_stamp_is_settled_when_its_clock_has_moved_on() {
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let stamp = Stamp {
            device: 1,
            inode: 1,
            length: 1,
            modified: (90, 0),
            changed: (100, 0),
        };
        assert!(!stamp.is_settled(at(100)) && !stamp.is_settled(at(102)) && stamp.is_settled(at(103)));
        let to_come = Stamp {
            modified: (500, 0),
            ..stamp
        };
        assert!(!to_come.is_settled(at(103)));
    }
}
