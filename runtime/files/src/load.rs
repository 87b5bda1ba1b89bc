//! Makes a resource of a file beneath a folder, and of those beside it that hold the same in other codings.

use std::fs::{File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use pw_core::OpenFile;

use crate::coding::Coding;
use crate::folder::{Folder, Found, Stamp};
use crate::media;
use crate::resource::{Parts, Representation, Resource, Store};
use crate::rules::Rules;

/// Files up to this length are kept in memory. They leave with their heads in one piece, and hold no descriptor.
pub(crate) const MAX_IN_MEMORY: u64 = 16 * 1024;

/// How files are shown.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    pub(crate) rules: Rules,
    pub(crate) precompressed: bool,
    pub(crate) copied: bool,
}

/// A file and those beside it as they were found: what a later look is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamps {
    original: Stamp,
    coded: [Option<Stamp>; Coding::ALL.len()],
}

impl Stamps {
    /// Looks at a file, and those beside it. `None`: it is not there.
    pub(crate) fn look(folder: &Folder, name: &str, shape: &Shape) -> io::Result<Option<Self>> {
        let Some(original) = folder.stamp(name)? else {
            return Ok(None);
        };
        let mut coded = [None; Coding::ALL.len()];
        if shape.precompressed {
            for (stamp, coding) in coded.iter_mut().zip(Coding::ALL) {
                *stamp = folder.stamp(&format!("{name}{}", coding.suffix()))?;
            }
        }
        Ok(Some(Self { original, coded }))
    }

    /// Whether one more change of any of them would show.
    pub(crate) fn are_settled(&self, now: SystemTime) -> bool {
        let coded = self.coded.iter().flatten();
        [&self.original]
            .into_iter()
            .chain(coded)
            .all(|stamp| stamp.is_settled(now))
    }
}

/// What is at a path.
pub(crate) enum Loaded {
    File(Arc<Resource>, Box<Stamps>),
    Folder,
    Nothing,
}

/// Loads a file. It is opened, and read if it is short: calls that block, though not for long.
pub(crate) fn load(folder: &Folder, name: &str, shape: &Shape) -> io::Result<Loaded> {
    let (file, metadata) = match folder.find(name)? {
        Found::File(file, metadata) => (file, metadata),
        Found::Folder => return Ok(Loaded::Folder),
        Found::Nothing => return Ok(Loaded::Nothing),
    };
    let now = SystemTime::now();
    let (original, stamp) = represent(file, &metadata, name, None, shape, now)?;
    let mut stamps = Stamps {
        original: stamp,
        coded: [None; Coding::ALL.len()],
    };
    let mut resource = Resource {
        original,
        codings: Vec::new(),
        coded: Vec::new(),
        negotiated: shape.precompressed,
    };
    if shape.precompressed {
        for (kept, coding) in stamps.coded.iter_mut().zip(Coding::ALL) {
            let beside = folder.find(&format!("{name}{}", coding.suffix()));
            // What lies beside a file does not keep it from being sent.
            let Ok(Found::File(file, metadata)) = beside else {
                continue;
            };
            *kept = Some(Stamp::of(&metadata));
            if metadata.len() >= resource.original.length {
                continue;
            }
            let Ok((coded, stamp)) = represent(file, &metadata, name, Some(coding), shape, now) else {
                continue;
            };
            *kept = Some(stamp);
            resource.codings.push((coding, coded.length));
            resource.coded.push(coded);
        }
    }
    Ok(Loaded::File(Arc::new(resource), Box::new(stamps)))
}

fn represent(
    file: File,
    metadata: &Metadata,
    name: &str,
    coding: Option<Coding>,
    shape: &Shape,
    now: SystemTime,
) -> io::Result<(Representation, Stamp)> {
    let open = OpenFile::new(file)?;
    // What the tag says must be so of the file that is sent: one look before it was taken, one after.
    let stamp = Stamp::of(metadata);
    if Stamp::of(&open.file().metadata()?) != stamp {
        return Err(io::Error::new(
            io::ErrorKind::Interrupted,
            "it was written to meanwhile",
        ));
    }
    let media_type = media::of(name);
    let representation = Representation::new(Parts {
        tag: tag(&stamp, coding),
        modified: modified(&stamp).filter(|modified| *modified <= now),
        store: store(if shape.copied { open.copied() } else { open })?,
        media_type,
        coding,
        cache_control: shape.rules.value(name),
        negotiated: shape.precompressed,
    })
    .map_err(io::Error::other)?;
    Ok((representation, stamp))
}

/// In memory, if it is short and stays as it is while it is read.
fn store(open: OpenFile) -> io::Result<Store> {
    if open.length() <= MAX_IN_MEMORY {
        let mut bytes = vec![0; open.length() as usize];
        let mut read = 0;
        while read < bytes.len() {
            match open.read_at(&mut bytes[read..], read as u64) {
                Ok(0) => break,
                Ok(count) => read += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if read == bytes.len() && open.is_unchanged()? {
            let bytes = Bytes::from(bytes);
            // The first clone allocates: here, not in a request.
            drop(bytes.clone());
            return Ok(Store::Memory(bytes));
        }
    }
    Ok(Store::File(Arc::new(open)))
}

/// The time it was written to; `None` before 1970.
fn modified(stamp: &Stamp) -> Option<SystemTime> {
    let (seconds, nanoseconds) = stamp.modified;
    let since = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanoseconds).ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since)
}

/// An entity tag, without its quotes: length and time, as may be read, and a hash of what is nobody's business.
fn tag(stamp: &Stamp, coding: Option<Coding>) -> String {
    let mut hasher = DefaultHasher::new();
    (stamp.device, stamp.inode, stamp.changed).hash(&mut hasher);
    let nanoseconds = i128::from(stamp.modified.0) * 1_000_000_000 + i128::from(stamp.modified.1);
    let tag = format!(
        "{:x}-{:x}-{:x}",
        stamp.length,
        nanoseconds as u128 as u64,
        hasher.finish()
    );
    match coding {
        Some(coding) => format!("{tag}-{}", coding.name()),
        None => tag,
    }
}
