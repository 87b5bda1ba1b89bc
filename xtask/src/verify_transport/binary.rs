//! What a binary shows of the crates in it: its symbols, and the source paths that rustc keeps for panics.
//!
//! Both outlive fat LTO: functions that are not inlined everywhere keep their symbol, each bounds check and `expect` that is
//! left keeps its path. They are independent of each other: inlining takes symbols only.

use std::collections::BTreeSet;
use std::path::Path;

use object::{Object, ObjectSegment, ObjectSymbol};
use rustc_demangle::try_demangle;

/// A binary, read.
#[derive(Debug, Default)]
pub(super) struct Binary {
    /// Symbols of Rust code, demangled.
    pub(super) symbols: BTreeSet<String>,
    /// The parts of the file that are mapped when it runs, as text as far as it is text, with `/` in paths.
    pub(super) mapped: Vec<String>,
    /// The file's size in bytes.
    pub(super) size: u64,
    /// The size in bytes of what is mapped. `strip` leaves this and, on Linux, 2 or 3 kB of section headers.
    pub(super) stripped: u64,
}

impl Binary {
    /// Reads an executable: ELF or Mach-O. On Windows symbols are in a file of their own.
    ///
    /// # Errors
    /// The file can't be read, or is no such executable.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("`{}` can't be read: {error}", path.display());
        let bytes = std::fs::read(path).map_err(|error| wrong(&error))?;
        let file = object::File::parse(bytes.as_slice()).map_err(|error| wrong(&error))?;
        let mut binary = Self {
            symbols: file
                .symbols()
                .filter_map(|symbol| demangled(symbol.name().ok()?))
                .collect(),
            size: bytes.len() as u64,
            ..Self::default()
        };
        for segment in file.segments() {
            // Mach-O's symbol table is in a segment of its own.
            if segment.name().ok().flatten() == Some("__LINKEDIT") {
                continue;
            }
            let data = segment.data().map_err(|error| wrong(&error))?;
            binary.stripped += data.len() as u64;
            binary.mapped.push(String::from_utf8_lossy(data).replace('\\', "/"));
        }
        Ok(binary)
    }

    /// The symbols that name something of a crate, called as cargo calls it: its functions, and others' instantiated with
    /// its types.
    pub(super) fn symbols_of(&self, package: &str) -> Vec<&str> {
        let root = format!("{}::", package.replace('-', "_"));
        let symbols = self.symbols.iter().map(String::as_str);
        symbols.filter(|symbol| has_path(symbol, &root)).collect()
    }

    /// The source paths of a crate: `NAME-1.2.3/src/..` as in a registry, or in its folder if it is of this workspace.
    pub(super) fn sources_of(&self, package: &str, folder: Option<&str>) -> BTreeSet<&str> {
        let versioned = format!("{package}-");
        let inside = folder.map(|folder| format!("{folder}/src/"));
        let mut paths = BTreeSet::new();
        for text in &self.mapped {
            let found = text.match_indices(&versioned);
            paths.extend(found.filter_map(|(at, _)| versioned_path(text, at, package)));
            if let Some(inside) = &inside {
                paths.extend(text.match_indices(inside).map(|(at, _)| path_at(text, at)));
            }
        }
        paths
    }
}

/// The symbol without its hash, if it is of Rust code.
fn demangled(symbol: &str) -> Option<String> {
    Some(format!("{:#}", try_demangle(symbol).ok()?))
}

/// Whether a path in a demangled symbol begins with `root`, wherever in the symbol: as itself, in a generic argument, as an
/// impl's type or trait. A module of that name inside another crate does not.
fn has_path(symbol: &str, root: &str) -> bool {
    symbol
        .match_indices(root)
        .any(|(at, _)| !symbol[..at].ends_with(|c: char| is_word(c) || c == ':'))
}

/// `package-1.2.3/src/file.rs`, if that is what stands at `at`.
fn versioned_path<'a>(text: &'a str, at: usize, package: &str) -> Option<&'a str> {
    let version = &text[at + package.len() + 1..];
    let end = version.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-')))?;
    let is_path = version.starts_with(|c: char| c.is_ascii_digit()) && version[end..].starts_with("/src/");
    let is_whole = !text[..at].ends_with(|c: char| is_word(c) || c == '-');
    (is_path && is_whole).then(|| path_at(text, at))
}

/// A source path from its begin to its end. What follows in the data may be any other text.
fn path_at(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let end = rest
        .find(|c: char| !(is_word(c) || matches!(c, '/' | '.' | '+' | '-')))
        .unwrap_or(rest.len());
    let path = &rest[..end];
    path.find(".rs").map_or(path, |at| &path[..at + 3])
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(mangled: &[&str]) -> Binary {
        Binary {
            symbols: mangled.iter().filter_map(|symbol| demangled(symbol)).collect(),
            ..Binary::default()
        }
    }

    /// What linkers of this workspace's binaries were given, legacy and v0.
    #[test]
    fn a_crate_is_named_wherever_a_path_begins() {
        for (mangled, packages) in [
            // Its own function, and a method; with Mach-O's underscore.
            ("_ZN8pw_hyper3kit3Kit4take17h4a6a3a2ab576c4f5E", &["pw-hyper"][..]),
            ("__ZN8pw_hyper3kit3Kit4take17h4a6a3a2ab576c4f5E", &["pw-hyper"]),
            (
                "_RNvMs3_NtNtNtCs2PNxlwiR9cX_5hyper5proto2h24pingNtB5_9KeepAlive10maybe_ping",
                &["hyper"],
            ),
            // An impl of somebody else's trait.
            (
                "_ZN101_$LT$hyper..proto..h2..server..H2Stream$LT$F$C$B$C$Ex$GT$$u20$as$u20$core..future..future..Future$GT$4poll17h36b2747f5fcbdeceE",
                &["hyper"],
            ),
            // Somebody else's function, instantiated with its types.
            (
                "_ZN4core3ptr102drop_in_place$LT$h2..frame..Frame$LT$hyper..proto..h2..SendBuf$LT$pw_hyper..content..Piece$GT$$GT$$GT$17hbc28922ca0599fe1E",
                &["h2", "hyper", "pw-hyper"],
            ),
            (
                "_RINvMs5_NtNtCsjrHSEGnQ3l9_3std2io5errorNtB6_5Error3newNtNtCs7Z6ByU9kCXN_8pw_hyper4body7RefusedECs3yBtPTa5TJs_10helloworld",
                &["pw-hyper"],
            ),
            // A module of that name in another crate, and `h2` as a module of hyper above.
            (
                "_ZN4core3ptr162drop_in_place$LT$polywire..transport..hyper..$LT$impl$u20$polywire..transport..Service$LT$probe..generated..Routes$GT$$GT$..serve..$u7b$$u7b$closure$u7d$$u7d$$GT$17h364c09c8d527958cE",
                &[],
            ),
            (
                "_RNvNCNvMs_NtNtCs4Rz53tZu8it_8polywire9transport5hyperINtBa_7ServicepE5serve0s_10___CALLSITE",
                &[],
            ),
            // A function of alloc that happened to be instantiated there first: others use it too.
            (
                "_RNvMs4_NtCslNYArtu3iFV_5alloc7raw_vecNtB5_11RawVecInner11finish_growCs2PNxlwiR9cX_5hyper",
                &[],
            ),
            // Not Rust.
            ("main", &[]),
        ] {
            let binary = symbols(&[mangled]);
            let found: Vec<_> = ["h2", "hyper", "pw-hyper"]
                .into_iter()
                .filter(|package| !binary.symbols_of(package).is_empty())
                .collect();
            assert_eq!(found, packages, "{mangled}");
        }
    }

    #[test]
    fn source_paths_are_told_apart() {
        let binary = Binary {
            mapped: vec![
                "\0/home/me/.cargo/registry/src/index-1/hyper-1.12.0/src/proto/h1/io.rs\0\
                 /home/me/.cargo/registry/src/index-1/hyper-util-0.1.20/src/rt/tokio.rs\0\
                 /registry/h2-0.4.20/src/server.rsassertion failed\0transports/hyper/src/gate.rs\0\
                 /checkouts/polywire/transports/fast/src/worker.rs\0pw-fast-0.1.0/src/lib.rs\0\
                 use hyper-1 or hyper-2\0"
                    .to_owned(),
            ],
            ..Binary::default()
        };
        for (package, folder, paths) in [
            ("hyper", None, &["hyper-1.12.0/src/proto/h1/io.rs"][..]),
            ("h2", None, &["h2-0.4.20/src/server.rs"]),
            ("pw-hyper", Some("transports/hyper"), &["transports/hyper/src/gate.rs"]),
            (
                "pw-fast",
                Some("transports/fast"),
                &["pw-fast-0.1.0/src/lib.rs", "transports/fast/src/worker.rs"],
            ),
            ("fast", None, &[]),
            ("may", None, &[]),
        ] {
            let found: Vec<_> = binary.sources_of(package, folder).into_iter().collect();
            assert_eq!(found, paths, "{package}");
        }
    }

    /// The reading itself, on a binary that is at hand: this one.
    #[test]
    fn this_test_has_its_own_crate_and_no_transport() {
        let path = std::env::current_exe().expect("a test runs from a file");
        let binary = Binary::read(&path).expect("it is an executable");
        assert!(!binary.symbols_of("xtask").is_empty());
        assert!(!binary.symbols_of("cargo_metadata").is_empty());
        assert!(!binary.sources_of("xtask", Some("xtask")).is_empty());
        assert_eq!(binary.symbols_of("hyper"), [""; 0]);
        assert!(0 < binary.stripped && binary.stripped < binary.size);
    }

    #[test]
    fn what_is_no_executable_is_refused() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let error = Binary::read(&manifest).expect_err("it is text");
        assert!(error.contains("Cargo.toml` can't be read: "), "{error}");
    }
}
