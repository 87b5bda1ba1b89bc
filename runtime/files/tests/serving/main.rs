//! Real folders, asked as a transport would ask: what a client gets, and what it never gets.

mod cache;
mod client;
mod coding;
mod conditional;
mod embedded;
mod paths;
mod ranges;
mod under;

use std::fs;

use pw_files::Files;
use tempfile::TempDir;

/// A folder `root` with a few files, and others beside it that nobody must see.
pub(crate) struct Site {
    place: TempDir,
}

impl Site {
    pub(crate) fn new() -> Self {
        let place = tempfile::tempdir().expect("there is room for temporary files");
        let site = Self { place };
        fs::create_dir_all(site.path("sub")).unwrap();
        fs::create_dir_all(site.path("../root-evil")).unwrap();
        site.write("hello.txt", "hello world");
        site.write("sub/inner.txt", "inner page");
        site.write(".env", "SECRET");
        site.write("../secret.txt", "SECRET");
        site.write("../root-evil/leak.txt", "SECRET");
        std::os::unix::fs::symlink("../secret.txt", site.path("link-out")).unwrap();
        site
    }

    /// Of a path beneath the root.
    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        self.place.path().join("root").join(path)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(path), content).expect("the folder is there");
    }

    pub(crate) fn files(&self) -> Files {
        Files::at(self.path("")).expect("the folder is there")
    }
}

/// 100,000 bytes, no two places of which look the same.
pub(crate) fn large() -> Vec<u8> {
    (0..10_000u32)
        .flat_map(|line| format!("{line:09}\n").into_bytes())
        .collect()
}
