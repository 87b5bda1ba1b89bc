//! From generated files to the disk: written only if changed, or compared.

use std::collections::BTreeMap;
use std::io;

use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};
use pw_syntax::names::WRITTEN_BY;
use similar::TextDiff;

use crate::diagnostic::Diagnostic;

/// What stands on disk and what should.
#[derive(Debug)]
pub(crate) struct Output {
    folder: Utf8PathBuf,
    changes: Vec<Change>,
}

#[derive(Debug)]
struct Change {
    name: String,
    old: Option<String>,
    /// `None`: the file goes.
    new: Option<String>,
}

impl Output {
    /// Compares a folder with the files that should be in it. A file that this command did not write is left alone.
    ///
    /// # Errors
    /// The folder can't be read, or a file that must be written is somebody else's.
    pub(crate) fn compare(folder: &Utf8Path, files: BTreeMap<String, String>) -> Result<Self, Diagnostic> {
        let old =
            existing(folder).map_err(|error| Diagnostic::nowhere(format!("`{folder}` can't be read: {error}")))?;
        let mut changes = Vec::new();
        for (name, old) in &old {
            if !files.contains_key(name) && is_ours(old) {
                changes.push(Change {
                    name: name.clone(),
                    old: Some(old.clone()),
                    new: None,
                });
            }
        }
        for (name, new) in files {
            let old = old.get(&name).cloned();
            if old.as_ref().is_some_and(|old| !is_ours(old)) {
                let message = format!("`{}` was not written by this command", folder.join(&name));
                return Err(Diagnostic::nowhere(message).help("move it: this folder holds generated files"));
            }
            if old.as_ref() != Some(&new) {
                changes.push(Change {
                    name,
                    old,
                    new: Some(new),
                });
            }
        }
        // `mod.rs` first, as one reads them.
        changes.sort_by(|a, b| (a.name != "mod.rs", &a.name).cmp(&(b.name != "mod.rs", &b.name)));
        Ok(Self {
            folder: folder.to_owned(),
            changes,
        })
    }

    /// Whether the disk is as it should be.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.changes.is_empty()
    }

    /// Brings the disk up to date. Each file is there as it was or as it should be at any time, also where this is cut short or
    /// the disk is full.
    ///
    /// # Errors
    /// It can't be written.
    pub(crate) fn write(&self) -> Result<(), Diagnostic> {
        let failed =
            |path: &Utf8Path, error: io::Error| Diagnostic::nowhere(format!("`{path}` can't be written: {error}"));
        if !self.changes.is_empty() {
            std::fs::create_dir_all(&self.folder).map_err(|error| failed(&self.folder, error))?;
        }
        for change in &self.changes {
            let path = self.folder.join(&change.name);
            let done = match &change.new {
                Some(text) => replace(&path, text),
                None => std::fs::remove_file(&path),
            };
            done.map_err(|error| failed(&path, error))?;
        }
        Ok(())
    }

    /// "wrote src/generated/mod.rs, hyper.rs" and "removed fast.rs".
    pub(crate) fn summary(&self, folder: &Utf8Path) -> String {
        let names = |gone: bool| {
            let names = self
                .changes
                .iter()
                .filter(|c| c.new.is_none() == gone)
                .map(|c| c.name.as_str());
            names.collect::<Vec<_>>().join(", ")
        };
        let mut parts = Vec::new();
        for (verb, names) in [("wrote", names(false)), ("removed", names(true))] {
            if !names.is_empty() {
                parts.push(format!("{verb} {folder}/{names}"));
            }
        }
        match parts.is_empty() {
            true => "unchanged".to_owned(),
            false => parts.join(", "),
        }
    }

    /// A unified diff from the disk to what should be there. `folder` is how its paths begin.
    pub(crate) fn diff(&self, folder: &Utf8Path) -> String {
        let mut text = String::new();
        for change in &self.changes {
            let path = folder.join(&change.name);
            let (old, new) = (change.old.as_deref(), change.new.as_deref());
            let side = |prefix: &str, there: bool| match there {
                true => format!("{prefix}/{path}"),
                false => "/dev/null".to_owned(),
            };
            let diff = TextDiff::from_lines(old.unwrap_or_default(), new.unwrap_or_default());
            let mut diff = diff.unified_diff();
            text.push_str(
                &diff
                    .header(&side("a", old.is_some()), &side("b", new.is_some()))
                    .to_string(),
            );
        }
        text
    }
}

/// Puts a file in place of another, whole.
fn replace(path: &Utf8Path, text: &str) -> io::Result<()> {
    let new = path.with_extension("rs.new");
    let done = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, path));
    if done.is_err() {
        // What is wrong with it has been found already.
        let _ = std::fs::remove_file(&new);
    }
    done
}

/// The `.rs` files of a folder, by name; none if there is no folder.
fn existing(folder: &Utf8Path) -> io::Result<BTreeMap<String, String>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error),
    };
    let mut files = BTreeMap::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".rs") && entry.file_type()?.is_file() {
            files.insert(
                name,
                String::from_utf8_lossy(&std::fs::read(entry.path())?).into_owned(),
            );
        }
    }
    Ok(files)
}

/// Whether this command wrote a file, or somebody emptied it. Markers of a merge may stand before the first line.
fn is_ours(text: &str) -> bool {
    text.trim().is_empty() || text.lines().take(4).any(|line| line.contains(WRITTEN_BY))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(all: &[(&str, &str)]) -> BTreeMap<String, String> {
        all.iter()
            .map(|(name, text)| ((*name).to_owned(), format!("//! {WRITTEN_BY}\n{text}\n")))
            .collect()
    }

    #[test]
    fn only_what_changed_is_written_and_only_what_is_ours_removed() {
        let folder = Utf8PathBuf::from_path_buf(std::env::temp_dir()).unwrap();
        let folder = folder.join(format!("pw-gen-output-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let first = Output::compare(&folder, files(&[("mod.rs", "1"), ("hyper.rs", "1")])).unwrap();
        first.write().unwrap();
        assert_eq!(
            first.summary("src/generated".into()),
            "wrote src/generated/mod.rs, hyper.rs"
        );
        std::fs::write(folder.join("notes.rs"), "// by hand").unwrap();

        let second = Output::compare(&folder, files(&[("mod.rs", "2")])).unwrap();
        assert_eq!(second.summary("g".into()), "wrote g/mod.rs, removed g/hyper.rs");
        let diff = second.diff("g".into());
        assert!(diff.contains("--- a/g/mod.rs\n+++ b/g/mod.rs\n"), "{diff}");
        assert!(diff.contains("-1\n+2\n"), "{diff}");
        assert!(diff.contains("--- a/g/hyper.rs\n+++ /dev/null\n"), "{diff}");
        second.write().unwrap();
        assert!(folder.join("notes.rs").exists());
        assert!(
            Output::compare(&folder, files(&[("mod.rs", "2")]))
                .unwrap()
                .is_unchanged()
        );

        let refused = Output::compare(&folder, files(&[("notes.rs", "")])).unwrap_err();
        assert!(refused.to_string().contains("was not written by this command"));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_replaced_and_not_written_over() {
        use std::io::Read;

        let folder = Utf8PathBuf::from_path_buf(std::env::temp_dir()).unwrap();
        let folder = folder.join(format!("pw-gen-replaced-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let write = |text| Output::compare(&folder, files(&[("mod.rs", text)])).unwrap().write();
        write("old").unwrap();
        let mut before = std::fs::File::open(folder.join("mod.rs")).unwrap();
        write("new").unwrap();
        let mut text = String::new();
        before.read_to_string(&mut text).unwrap();
        assert!(text.ends_with("old\n"), "{text}");
        let names: Vec<_> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["mod.rs"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
