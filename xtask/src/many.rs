//! `cargo xtask many`: an application of many handlers, to measure the generator and the compiler with.

use std::fmt::Write;
use std::path::{Path, PathBuf};

const RESOURCES: [&str; 25] = [
    "accounts", "actors", "albums", "articles", "boards", "books", "carts", "charges", "cities", "clients", "comments",
    "coupons", "devices", "events", "files", "groups", "invoices", "labels", "messages", "orders", "photos", "posts",
    "products", "teams", "users",
];

/// Writes the application.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let [count, folder] = arguments else {
        return Err("`many` needs a number and a folder: `cargo xtask many 1000 target/many`".to_owned());
    };
    let count: usize = count
        .parse()
        .map_err(|_| format!("`{count}` is no number of handlers"))?;
    let folder = PathBuf::from(folder);
    write(&folder.join("Cargo.toml"), &manifest())?;
    let mut main = String::from(
        "//! An application of many handlers.\n\nuse polywire::prelude::*;\n\npolywire::generated!();\n\n",
    );
    let used = count.div_ceil(HANDLERS).min(RESOURCES.len());
    for (at, resource) in RESOURCES[..used].iter().enumerate() {
        let from = count * at / used;
        let to = count * (at + 1) / used;
        writeln!(main, "mod {resource};").expect("a String takes all");
        write(&folder.join(format!("src/{resource}.rs")), &module(resource, to - from))?;
    }
    main.push_str("\nfn main() -> ExitCode {\n    polywire::App::new(generated::Routes::new()).run()\n}\n");
    write(&folder.join("src/main.rs"), &main)?;
    println!(
        "wrote {count} handlers to {}: run `cargo xtask generate` there, then `cargo build --release`",
        folder.display()
    );
    Ok(())
}

/// About as many in one file as a person would have.
const HANDLERS: usize = 40;

fn write(path: &Path, text: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("`{}` can't be written: {error}", path.display());
    std::fs::create_dir_all(path.parent().expect("it is in a folder")).map_err(failed)?;
    std::fs::write(path, text).map_err(failed)
}

fn manifest() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is in the workspace");
    format!(
        "[package]\nname = \"many\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         polywire = {{ path = {:?}, features = [\"transport-hyper\"] }}\nserde = {{ version = \"1\", features = [\"derive\"] }}\n\n\
         [profile.release]\nlto = \"fat\"\ncodegen-units = 1\n\n[workspace]\n",
        root.join("runtime/polywire")
    )
}

/// A resource as services have them: lists, items, posts with a body, each kind of argument.
fn module(resource: &str, count: usize) -> String {
    let mut text = format!(
        "//! Handlers of `{resource}`.\n\nuse polywire::prelude::*;\nuse serde::{{Deserialize, Serialize}};\n\n"
    );
    text.push_str("#[derive(Deserialize)]\npub(crate) struct Page {\n    page: Option<u32>,\n}\n\n");
    text.push_str("#[derive(Deserialize, Serialize)]\npub(crate) struct Item {\n    id: u64,\n    name: String,\n}\n");
    for at in 0..count {
        let (attribute, signature, body) = match at % 4 {
            0 => (
                format!("GET, \"/{resource}/list{at}\""),
                "Query(page): Query<Page>) -> String".to_owned(),
                "format!(\"page {}\", page.page.unwrap_or(1))".to_owned(),
            ),
            1 => (
                format!("GET, \"/{resource}/{{id}}/part{at}\""),
                "Path(id): Path<u64>) -> Json<Item>".to_owned(),
                format!("Json(Item {{ id, name: \"part {at}\".to_owned() }})"),
            ),
            2 => (
                format!("POST, \"/{resource}/{{id}}/part{at}\""),
                "Path(id): Path<u64>, Json(item): Json<Item>) -> Result<Json<Item>, Problem>".to_owned(),
                "Ok(Json(Item { id, name: item.name }))".to_owned(),
            ),
            _ => (
                format!("DELETE, \"/{resource}/{{id}}/part{at}\""),
                "Path(id): Path<u64>, head: &impl RequestHead) -> (StatusCode, String)".to_owned(),
                "(StatusCode::ACCEPTED, format!(\"{id} of {}\", head.host()))".to_owned(),
            ),
        };
        write!(
            text,
            "\n#[route({attribute}, name = \"{resource}.h{at}\")]\npub(crate) async fn h{at}({signature} {{\n    {body}\n}}\n"
        )
        .expect("a String takes all");
    }
    text
}
