//! Resources that were loaded, by the paths they were asked for: bounded, and shared by all threads.
//!
//! A hit takes a read lock for the time of one look-up. What has not been asked for since the last round goes first (the clock
//! algorithm). Whether an entry is still right is the caller's to find out, when it is due (`files.rs`).

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

use crate::load::Stamps;
use crate::resource::{Resource, Store};

/// How much is kept of files that were asked for, so that they need not be opened again.
///
/// ```
/// use pw_files::CacheSize;
/// // A server of a few large files, on a machine that has descriptors for them.
/// let size = CacheSize { open_files: 500, ..CacheSize::default() };
/// assert_eq!(size.files, 1_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSize {
    /// The most files, 1,000. 0: none is kept, and each request opens its file.
    pub files: usize,
    /// The most descriptors, 32. Files above 16 KiB hold one each; so does each precompressed file beside them. Those that are being
    /// sent hold theirs beyond this. A server leaves 64 descriptors of its limit to what is not a connection.
    pub open_files: usize,
    /// The most bytes of files of at most 16 KiB, which are kept in memory: 8 MiB.
    pub bytes: usize,
}

impl Default for CacheSize {
    fn default() -> Self {
        Self {
            files: 1_000,
            open_files: 32,
            bytes: 8 * 1024 * 1024,
        }
    }
}

/// The cache.
#[derive(Debug)]
pub(crate) struct Cache {
    size: CacheSize,
    recheck: Duration,
    began: Instant,
    kept: RwLock<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    entries: HashMap<Arc<str>, Entry>,
    /// The paths, those that were looked at longest ago first.
    round: VecDeque<Arc<str>>,
    open_files: usize,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    resource: Arc<Resource>,
    source: Arc<Source>,
    cost: Cost,
    /// Asked for since the round was here.
    used: AtomicBool,
    /// When it was last found to be right, in milliseconds since the cache began.
    checked: AtomicU64,
}

/// Where a resource came from.
#[derive(Debug)]
pub(crate) struct Source {
    /// The file's name, which the path asked for may not end in: `index.html`.
    pub(crate) name: Box<str>,
    pub(crate) stamps: Box<Stamps>,
    /// Whether the stamps tell one more change.
    pub(crate) settled: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    open_files: usize,
    bytes: usize,
}

impl Cost {
    fn of(resource: &Resource) -> Self {
        let mut cost = Self::default();
        for representation in resource.representations() {
            match &representation.store {
                Store::Memory(bytes) => cost.bytes += bytes.len(),
                Store::File(_) => cost.open_files += 1,
            }
        }
        cost
    }
}

/// What the cache has for a path.
pub(crate) enum Hit {
    /// It was right a moment ago.
    Fresh(Arc<Resource>),
    /// It is to be looked at again, by this caller alone; others take it as it is meanwhile.
    Due(Arc<Resource>, Arc<Source>),
    None,
}

impl Cache {
    pub(crate) fn new(size: CacheSize, recheck: Duration) -> Self {
        Self {
            size,
            recheck,
            began: Instant::now(),
            kept: RwLock::default(),
        }
    }

    pub(crate) fn size(&self) -> CacheSize {
        self.size
    }

    pub(crate) fn recheck(&self) -> Duration {
        self.recheck
    }

    pub(crate) fn find(&self, path: &str) -> Hit {
        let kept = self.read();
        let Some(entry) = kept.entries.get(path) else {
            return Hit::None;
        };
        if !entry.used.load(Ordering::Relaxed) {
            entry.used.store(true, Ordering::Relaxed);
        }
        let now = self.now();
        let checked = entry.checked.load(Ordering::Relaxed);
        let is_due = u128::from(now.saturating_sub(checked)) >= self.recheck.as_millis();
        let claim = || {
            entry
                .checked
                .compare_exchange(checked, now, Ordering::Relaxed, Ordering::Relaxed)
        };
        match is_due && claim().is_ok() {
            true => Hit::Due(entry.resource.clone(), entry.source.clone()),
            false => Hit::Fresh(entry.resource.clone()),
        }
    }

    /// Keeps a resource in place of what the path had, if there is room for it at all.
    pub(crate) fn keep(&self, path: &str, resource: Arc<Resource>, source: Source) {
        let cost = Cost::of(&resource);
        let mut kept = self.write();
        kept.remove(path);
        if self.size.files == 0 || cost.open_files > self.size.open_files || cost.bytes > self.size.bytes {
            return;
        }
        while kept.entries.len() + 1 > self.size.files
            || kept.open_files + cost.open_files > self.size.open_files
            || kept.bytes + cost.bytes > self.size.bytes
        {
            kept.evict();
        }
        let path: Arc<str> = path.into();
        kept.open_files += cost.open_files;
        kept.bytes += cost.bytes;
        kept.round.push_back(path.clone());
        let entry = Entry {
            resource,
            source: Arc::new(source),
            cost,
            used: AtomicBool::new(false),
            checked: AtomicU64::new(self.now()),
        };
        kept.entries.insert(path, entry);
    }

    pub(crate) fn forget(&self, path: &str) {
        self.write().remove(path);
    }

    /// Forgets all, and so closes what nobody is sending.
    pub(crate) fn clear(&self) {
        *self.write() = Kept::default();
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    // Nothing panics with the lock held but for want of memory, and then the entries are still whole.
    fn read(&self) -> RwLockReadGuard<'_, Kept> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Kept> {
        self.kept.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn remove(&mut self, path: &str) {
        if self.drop_entry(path) {
            self.round.retain(|other| **other != *path);
        }
    }

    fn drop_entry(&mut self, path: &str) -> bool {
        let Some(entry) = self.entries.remove(path) else {
            return false;
        };
        self.open_files -= entry.cost.open_files;
        self.bytes -= entry.cost.bytes;
        true
    }

    /// Drops the first that was not asked for since it was last passed. After one whole round that is the first of all.
    fn evict(&mut self) {
        while let Some(path) = self.round.pop_front() {
            let used = self
                .entries
                .get(&*path)
                .map(|entry| entry.used.swap(false, Ordering::Relaxed));
            match used {
                Some(true) => self.round.push_back(path),
                _ => {
                    self.drop_entry(&path);
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;
    use crate::load::{Loaded, Shape, load};

    struct Loader {
        _place: tempfile::TempDir,
        folder: Folder,
    }

    impl Loader {
        /// Files `a` to `e`, of these many bytes.
        fn of(bytes: usize) -> Self {
            let place = tempfile::tempdir().unwrap();
            for name in ["a", "b", "c", "d", "e"] {
                std::fs::write(place.path().join(name), vec![b'x'; bytes]).unwrap();
            }
            let folder = Folder::open(place.path()).unwrap();
            Self { _place: place, folder }
        }

        fn keep(&self, cache: &Cache, name: &str) {
            let Loaded::File(resource, stamps) = load(&self.folder, name, &Shape::default()).unwrap() else {
                panic!("the file is there")
            };
            let source = Source {
                name: name.into(),
                stamps,
                settled: true,
            };
            cache.keep(name, resource, source);
        }
    }

    const LATER: Duration = Duration::from_secs(3600);

    fn kept(cache: &Cache) -> String {
        let mut names: Vec<_> = cache.read().entries.keys().map(|name| name.to_string()).collect();
        names.sort_unstable();
        names.concat()
    }

    fn is_kept(cache: &Cache, name: &str) -> bool {
        !matches!(cache.find(name), Hit::None)
    }

    #[test]
    fn what_nobody_asks_for_goes_first() {
        let loader = Loader::of(10);
        let size = CacheSize {
            files: 3,
            ..CacheSize::default()
        };
        let cache = Cache::new(size, LATER);
        for name in ["a", "b", "c"] {
            loader.keep(&cache, name);
        }
        assert!(is_kept(&cache, "a") && is_kept(&cache, "c"));
        loader.keep(&cache, "d");
        assert_eq!(kept(&cache), "acd");
        // All were passed, and nobody has asked since.
        loader.keep(&cache, "e");
        assert_eq!(kept(&cache).len(), 3);
        loader.keep(&cache, "e");
        assert_eq!(
            (kept(&cache).len(), cache.read().round.len()),
            (3, 3),
            "in place of itself"
        );
        cache.forget("e");
        assert!(!is_kept(&cache, "e"));
        cache.clear();
        assert_eq!((kept(&cache).as_str(), cache.read().bytes), ("", 0));
    }

    #[test]
    fn bytes_and_descriptors_are_bounded() {
        let short = Loader::of(10);
        let size = CacheSize {
            bytes: 25,
            ..CacheSize::default()
        };
        let cache = Cache::new(size, LATER);
        for name in ["a", "b", "c"] {
            short.keep(&cache, name);
        }
        assert_eq!((kept(&cache).as_str(), cache.read().bytes), ("bc", 20));
        let long = Loader::of(20_000);
        let size = CacheSize {
            open_files: 2,
            ..CacheSize::default()
        };
        let cache = Cache::new(size, LATER);
        for name in ["a", "b", "c"] {
            long.keep(&cache, name);
        }
        assert_eq!((kept(&cache).as_str(), cache.read().open_files), ("bc", 2));
        for nothing in [
            CacheSize {
                files: 0,
                ..CacheSize::default()
            },
            CacheSize {
                open_files: 0,
                ..CacheSize::default()
            },
        ] {
            let cache = Cache::new(nothing, LATER);
            long.keep(&cache, "a");
            assert!(!is_kept(&cache, "a"));
        }
    }

    #[test]
    fn one_caller_is_told_when_it_is_due() {
        let loader = Loader::of(10);
        let cache = Cache::new(CacheSize::default(), LATER);
        loader.keep(&cache, "a");
        assert!(matches!(cache.find("a"), Hit::Fresh(_)));
        let cache = Cache::new(CacheSize::default(), Duration::ZERO);
        loader.keep(&cache, "a");
        assert!(matches!(cache.find("a"), Hit::Due(..)));
    }
}
