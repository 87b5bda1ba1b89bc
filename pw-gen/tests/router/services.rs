//! Routes of as many services of one shape as are wanted: what a lookup costs as an application grows.

const WORDS: [&str; 25] = [
    "actor", "album", "board", "books", "carts", "chart", "event", "files", "goods", "group", "hotel", "items",
    "label", "media", "notes", "order", "pages", "photo", "plans", "posts", "rooms", "teams", "tours", "users",
    "votes",
];

/// What each resource has.
const SHAPE: [(&str, &str); 5] = [
    ("GET", ""),
    ("POST", ""),
    ("GET", "/{id}"),
    ("GET", "/{id}/history"),
    ("DELETE", "/{id}/parts/{part}"),
];

/// This many routes, at most 3,125: methods and patterns. All resources are alike, so more of them are more to choose among, and
/// nothing else.
pub(crate) fn services(count: usize) -> Vec<(&'static str, String)> {
    assert!(count <= WORDS.len() * WORDS.len() * SHAPE.len());
    let resources = WORDS
        .iter()
        .flat_map(|a| WORDS.iter().map(move |b| format!("/{a}-{b}")));
    let routes = resources.flat_map(|resource| SHAPE.map(|(method, rest)| (method, format!("{resource}{rest}"))));
    routes.take(count).collect()
}

/// A path that such a pattern matches.
pub(crate) fn service_path(pattern: &str) -> String {
    pattern.replace("{id}", "4711").replace("{part}", "17")
}
