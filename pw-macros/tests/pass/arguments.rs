//! Every kind of argument, and lifetimes in every place.

use std::borrow::Cow;
use std::pin::Pin;

use futures_core::Stream;
use polywire::prelude::*;

#[path = "../generated/arguments.rs"]
mod generated;

struct App;

#[derive(PathParams)]
struct UserPath<'a> {
    id: u64,
    slug: &'a str,
}

#[derive(PathParams)]
struct Slug {
    r#type: String,
}

/// An extractor of the application's own.
struct Language<'a>(&'a [u8]);

impl<'a> FromHead<'a> for Language<'a> {
    fn from_head(head: &'a impl RequestHead) -> Result<Self, Problem> {
        Ok(Self(head.field("accept-language").unwrap_or_default()))
    }
}

struct Csv(String);

impl FromBody<'_> for Csv {
    fn from_body(body: &[u8]) -> Result<Self, Problem> {
        Ok(Self(String::from_utf8_lossy(body).into_owned()))
    }
}

#[derive(serde::Deserialize)]
struct Search<'a> {
    #[serde(borrow)]
    q: Cow<'a, str>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Order {
    note: String,
}

#[route(GET, "/")]
async fn index() -> &'static str {
    "hello"
}

#[route(GET, "/one/{id}")]
async fn one(Path(id): Path<u64>) -> String {
    id.to_string()
}

#[route(GET, "/two/{id}/{slug}")]
async fn two(Path((id, slug)): Path<(u64, &str)>) -> String {
    format!("{id} {slug}")
}

#[route(GET, "/both/{slug}/{id}")]
async fn both(Path(path): Path<UserPath<'_>>) -> String {
    format!("{} {}", path.id, path.slug)
}

#[route(GET, "/struct/{type}")]
async fn single(Path(slug): Path<Slug>) -> String {
    slug.r#type
}

#[route(GET, "/rest/{*rest}")]
async fn rest<'a>(path: Path<Cow<'a, str>>, State(_app): State<'a, App>) -> Cow<'a, str> {
    path.0
}

#[route(GET, "/head/{id}")]
async fn head(head: &impl RequestHead, Language(language): Language<'_>) -> Vec<u8> {
    let _ = head.param("id");
    language.to_vec()
}

#[route(GET, "/language")]
async fn language<'a>(Language(language): Language<'a>) -> &'a [u8] {
    language
}

#[route(GET, "/search")]
async fn search(State(_app): State<'_, App>, Query(search): Query<Search<'_>>) -> Result<String, Problem> {
    Ok(search.q.into_owned())
}

#[route(POST, "/echo", name = "echo.bytes", body_limit = 1_048_576, timeout = "5s")]
async fn echo(body: &[u8]) -> &[u8] {
    body
}

#[route(POST, "/order", body_limit = "64 KiB")]
async fn order(Json(order): Json<Order>) -> (StatusCode, Json<Order>) {
    (StatusCode::CREATED, Json(order))
}

#[route("PURGE", "/csv")]
async fn csv(csv: Csv) -> impl Respond {
    csv.0
}

#[route(POST, "/raw/{id}")]
async fn raw(cx: &mut impl Exchange, Path(id): Path<&str>) -> Result<(), Problem> {
    cx.reply().buffer().extend_from_slice(id.as_bytes());
    Ok(())
}

#[route(POST, "/generic/{id}")]
async fn generic<E: Exchange>(_head: &E::Head, cx: &mut E) {
    let _ = cx.split();
}

#[route(GET, "/a")]
#[route(HEAD, "/b", name = "also", )]
async fn several() {}

type Line = Result<String, std::io::Error>;

#[route(GET, "/lines")]
async fn lines() -> polywire::Streamed<Pin<Box<dyn Stream<Item = Line> + Send>>> {
    unreachable!()
}

#[route(GET, "/lines/borrowed")]
async fn borrowed(State(_): State<'_, App>) -> Result<Html<Box<dyn Text + '_>>, Problem> {
    Err(Problem::not_found())
}

trait Text {}

impl AsRef<str> for Box<dyn Text + '_> {
    fn as_ref(&self) -> &str {
        ""
    }
}

mod users {
    pub(super) mod admin {
        use polywire::prelude::*;

        #[route(GET, "/users/admin/{id}")]
        pub(in super::super) async fn show(id: Path<std::net::IpAddr>) -> String {
            id.0.to_string()
        }
    }
}

// A route that `macro_rules!` made can't be in the table, and must still be parsed.
macro_rules! handler {
    ($name:ident, $path:literal, $ty:ty) => {
        #[route(GET, $path)]
        #[cfg(any())]
        async fn $name(value: $ty) {}
    };
}
handler!(made, "/made/{id}", Path<u64>);

#[route(GET, "/cfg/{a}")]
#[cfg(any())]
async fn never(Path(nothing): Path<Nothing>) -> Nothing {}

fn main() {
    let _ = (index(), one(Path(1)), two(Path((1, ""))), single(Path(Slug { r#type: String::new() })));
    let _ = both(Path(UserPath { id: 1, slug: "" }));
    let _ = (rest(Path(Cow::Borrowed("")), State(&App)), search(State(&App), Query(Search { q: Cow::Borrowed("") })));
    let _ = (language(Language(b"")), echo(b""), order(Json(Order { note: String::new() })), csv(Csv(String::new())));
    let _ = (several(), lines(), borrowed(State(&App)));
    let _ = users::admin::show(Path([0, 0, 0, 0].into()));
}
