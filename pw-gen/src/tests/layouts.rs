//! Where routes may stand, and what is no route of ours.

use super::SourceTree;

/// The handlers of a tree, sorted, each with its condition.
fn handlers(tree: &str) -> Vec<String> {
    let routes = SourceTree::new(tree).routes();
    let mut handlers: Vec<_> = routes
        .routes
        .iter()
        .map(|route| format!("{} {}", route.handler, route.condition).trim_end().to_owned())
        .collect();
    handlers.sort();
    handlers
}

#[test]
fn files_of_every_kind() {
    let tree = r#"
//- src/main.rs
polywire::generated!();
mod flat;
mod folder;
#[path = "odd/place.rs"]
mod elsewhere;
mod inline {
    pub(crate) mod below;
    #[path = "named.rs"]
    pub(crate) mod by_path;
}
//- src/flat.rs
pub(crate) mod child;
//- src/flat/child.rs
#[polywire::route(GET, "/flat")]
pub(crate) async fn flat() {}
//- src/folder/mod.rs
pub(crate) mod child;
//- src/folder/child.rs
#[polywire::route(GET, "/folder")]
pub(crate) async fn folder() {}
//- src/odd/place.rs
pub(crate) mod child;
//- src/odd/child.rs
#[polywire::route(GET, "/odd")]
pub(crate) async fn odd() {}
//- src/inline/below.rs
#[polywire::route(GET, "/below")]
pub(crate) async fn below() {}
//- src/inline/named.rs
#[polywire::route(GET, "/named")]
pub(crate) async fn named() {}
"#;
    assert_eq!(
        handlers(tree),
        [
            "app::elsewhere::child::odd",
            "app::flat::child::flat",
            "app::folder::child::folder",
            "app::inline::below::below",
            "app::inline::by_path::named",
        ]
    );
}

#[test]
fn conditions_of_everything_around_a_route() {
    let tree = r#"
//- src/main.rs
polywire::generated!();
#[cfg(feature = "a")]
mod outer;
#[cfg_attr(windows, path = "windows.rs")]
mod system;
//- src/outer.rs
#![cfg(any(unix, windows))]
#[cfg(not(feature = "b"))]
#[polywire::route(GET, "/outer")]
pub async fn outer() {}
//- src/windows.rs
#[polywire::route(GET, "/system")]
pub async fn system() {}
//- src/system.rs
#[polywire::route(GET, "/system")]
pub async fn system() {}
"#;
    assert_eq!(
        handlers(tree),
        [
            r#"app::outer::outer all(any(unix, windows), feature = "a", not(feature = "b"))"#,
            "app::system::system not(windows)",
            "app::system::system windows",
        ]
    );
}

#[test]
fn attributes_of_others_are_left_alone() {
    let tree = r#"
//- src/main.rs
polywire::generated!();
mod other {
    use actix_web::route;
    #[route("/x", method = "GET")]
    async fn x() {}
    #[rocket::route(GET, uri = "/y")]
    async fn y() {}
}
macro_rules! log { ($($t:tt)*) => { #[inline] fn f() {} }; }
#[polywire::route(GET, "/")]
async fn index() {
    let route = [(GET, "/x")];
    println!("{route:?}");
}
"#;
    assert_eq!(handlers(tree), ["app::index"]);
}

#[test]
fn a_package_without_routes_is_none() {
    let tree = SourceTree::new("//- src/main.rs\nfn main() {}\n");
    assert!(tree.check().expect("nothing is wrong").is_none());
}

#[test]
fn the_order_of_sources_makes_no_difference() {
    let one = "#[polywire::route(GET, \"/a\")]\nasync fn a() {}\n";
    let two = "#[polywire::route(GET, \"/{b}\")]\nasync fn b(head: &impl RequestHead) {}\n";
    let tree = |first: &str, second: &str| {
        SourceTree::new(&format!("//- src/main.rs\npolywire::generated!();\n{first}{second}"))
    };
    for name in ["mod.rs", "hyper.rs", "fast.rs"] {
        assert_eq!(tree(one, two).file(name), tree(two, one).file(name));
    }
}

#[test]
fn a_digest_changes_with_what_applications_are_generated_from() {
    let digest = |route: &str, vis: &str| {
        let tree = SourceTree::new(&format!(
            "//- src/lib.rs\npolywire::generated! {{ fragment }}\n#[polywire::route({route})]\n{vis} async fn a() {{}}\n"
        ));
        tree.routes().digest()
    };
    let one = digest("GET, \"/a\"", "pub");
    assert_eq!(one, digest("GET , \"/a\",", "/// Documented.\npub"));
    assert_ne!(one, digest("GET, \"/b\"", "pub"));
    assert_ne!(one, digest("GET, \"/a\", name = \"b\"", "pub"));
    assert_ne!(one, digest("GET, \"/a\"", "#[cfg(unix)]\npub"));
}
