//! What the macros accept (`pass/`), what they say of what they don't (`fail/`), and what the compiler says, at which
//! place, of types that can't be where they are (`types/`). One mistake per file.
//!
//! Where a route is right, its fingerprint must be found: `generated/` has those of `pass/` and `types/`, computed by
//! `pw-syntax` in a plain program as the generator does, while the macro computes its own within the compiler. So this
//! also tests that the two agree. `pass/generated` is the same for the one file that calls `generated!`.
//! `TRYBUILD=overwrite` writes these and the golden `.stderr` files.

use std::fs;
use std::path::{Path, PathBuf};

use syn::Item;

#[test]
fn ui() {
    for folder in ["pass", "types"] {
        for file in sources(&tests().join(folder)) {
            fingerprints(&file);
        }
    }
    {
        let checked = trybuild::TestCases::new();
        checked.compile_fail("tests/fail/*.rs");
        checked.compile_fail("tests/types/*.rs");
    }
    let built = trybuild::TestCases::new();
    built.pass("tests/pass/*.rs");
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    entries
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// Writes or checks `generated/` for one file of `pass/` or `types/`.
fn fingerprints(file: &Path) {
    let text = fs::read_to_string(file).expect("it can be read");
    let source = syn::parse_file(&text).expect("it can be parsed");
    let mut routes = Vec::new();
    collect(&source.items, "", &mut routes);
    let (generated, expected) = if file.ends_with("application.rs") {
        let options = pw_syntax::GeneratedArgs::default().hash();
        let expected = format!("{}\npub const OPTIONS: u64 = {options:#018x};\n", table(&routes));
        (tests().join("pass/generated/mod.rs"), expected)
    } else {
        let name = file.file_name().expect("it is a file");
        (tests().join("generated").join(name), table(&routes))
    };
    if std::env::var_os("TRYBUILD").is_some_and(|mode| mode == "overwrite") {
        fs::write(&generated, expected).expect("it can be written");
    } else {
        let found = fs::read_to_string(&generated).unwrap_or_default();
        let file = file.display();
        assert_eq!(
            found, expected,
            "run this test with TRYBUILD=overwrite: routes of {file} have changed"
        );
    }
}

/// The hash and the module of each route.
fn collect(items: &[Item], module: &str, routes: &mut Vec<(u64, String)>) {
    for item in items {
        match item {
            Item::Fn(function) => {
                let attributes = function.attrs.iter().filter(|a| a.path().is_ident("route"));
                for attribute in attributes {
                    let route = pw_syntax::parse(attribute, &function.sig).expect("it is right");
                    routes.push((route.hash(), module.to_owned()));
                }
            }
            Item::Mod(inner) => {
                if let Some((_, items)) = &inner.content {
                    collect(items, &format!("{module}::{}", inner.ident), routes);
                }
            }
            _ => {}
        }
    }
}

/// A module as the generator would write it; the name of the crate is that of the test's binary.
fn table(routes: &[(u64, String)]) -> String {
    let mut text = String::from("//! Written by `TRYBUILD=overwrite cargo test -p pw-macros`: do not edit.\n\n");
    text.push_str("use polywire::codegen::fingerprint;\n\n");
    text.push_str(&format!(
        "pub static FINGERPRINTS: [u64; {}] = sorted([\n",
        routes.len()
    ));
    for (hash, module) in routes {
        text.push_str(&format!(
            "    fingerprint({hash:#018x}, concat!(env!(\"CARGO_CRATE_NAME\"), {module:?})),\n"
        ));
    }
    text.push_str("]);\n");
    text.push_str(SORTED);
    text
}

const SORTED: &str = "
const fn sorted<const N: usize>(mut table: [u64; N]) -> [u64; N] {
    let mut i = 1;
    while i < N {
        let mut j = i;
        while j > 0 && table[j - 1] > table[j] {
            (table[j - 1], table[j]) = (table[j], table[j - 1]);
            j -= 1;
        }
        i += 1;
    }
    table
}
";
