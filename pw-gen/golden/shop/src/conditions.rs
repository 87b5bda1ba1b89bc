//! Routes that are not in every build. Those before and behind them must not notice.

use polywire::prelude::*;

#[cfg(unix)]
#[route(GET, "/platform")]
pub(crate) async fn platform() -> &'static str {
    "unix"
}

#[cfg(not(unix))]
#[route(GET, "/platform", name = "platform")]
pub(crate) async fn other_platform() -> &'static str {
    "other"
}

#[cfg(feature = "admin")]
pub(crate) mod admin {
    use super::*;

    #[route(GET, "/admin")]
    pub(crate) async fn admin() -> &'static str {
        "admin"
    }

    #[cfg(not(feature = "search"))]
    #[route(GET, "/admin/search", name = "admin.nothing")]
    pub(crate) async fn nothing() -> &'static str {
        "nothing to search"
    }

    #[cfg(feature = "search")]
    #[route(GET, "/admin/search", name = "admin.search")]
    pub(crate) async fn search() -> &'static str {
        "searched"
    }
}

#[cfg(feature = "search")]
#[route("SEARCH", "/search")]
pub(crate) async fn search(Query(query): Query<Vec<(String, String)>>) -> String {
    format!("{query:?}")
}

#[cfg(feature = "search")]
#[route(GET, "/search", name = "search.form")]
pub(crate) async fn search_form() -> &'static str {
    "form"
}

/// Answers where `/admin` is not built in.
#[route(GET, "/{page}")]
pub(crate) async fn page(Path(page): Path<&str>) -> String {
    format!("page {page}")
}
