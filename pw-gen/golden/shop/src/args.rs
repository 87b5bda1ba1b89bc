//! Every kind of argument, in every order that there may be.

use polywire::prelude::*;
use serde::{Deserialize, Serialize};

use crate::Shop;

/// Parameters by name.
#[derive(PathParams)]
pub(crate) struct Place<'a> {
    city: &'a str,
    street: String,
}

/// A page of a list.
#[derive(Deserialize)]
pub(crate) struct Page {
    page: Option<u32>,
}

/// Something to send and to get back.
#[derive(Deserialize, Serialize)]
pub(crate) struct Note<'a> {
    text: &'a str,
}

/// Made from the head.
pub(crate) struct Agent<'a>(&'a [u8]);

impl<'a> FromHead<'a> for Agent<'a> {
    fn from_head(head: &'a impl RequestHead) -> Result<Self, Problem> {
        Ok(Self(head.field("user-agent").unwrap_or_default()))
    }
}

/// Made from the body.
pub(crate) struct Length(usize);

impl<'a> FromBody<'a> for Length {
    fn from_body(body: &'a [u8]) -> Result<Self, Problem> {
        Ok(Self(body.len()))
    }
}

#[route(GET, "/args/one/{id}")]
pub(crate) async fn one(Path(id): Path<u64>) -> String {
    id.to_string()
}

#[route(GET, "/args/two/{a}/{b}")]
pub(crate) async fn two(Path((a, b)): Path<(u8, &str)>) -> String {
    format!("{a} {b}")
}

#[route(GET, "/args/named/{street}/{city}")]
pub(crate) async fn named(Path(place): Path<Place<'_>>) -> String {
    format!("{} in {}", place.street, place.city)
}

#[route(GET, "/args/query")]
pub(crate) async fn query(Query(page): Query<Page>) -> String {
    format!("{:?}", page.page)
}

#[route(GET, "/args/agent")]
pub(crate) async fn agent(agent: Agent<'_>) -> Vec<u8> {
    agent.0.to_vec()
}

#[route(POST, "/args/length")]
pub(crate) async fn length(length: Length) -> String {
    length.0.to_string()
}

#[route(GET, "/args/head/{id}")]
pub(crate) async fn head(head: &impl RequestHead, State(shop): State<'_, Shop>) -> String {
    format!("{:?} {}", head.param("id"), shop.name)
}

#[route(POST, "/args/echo")]
pub(crate) async fn echo(body: &[u8]) -> &[u8] {
    body
}

#[route(POST, "/args/note/{id}", body_limit = 64)]
pub(crate) async fn note<'a>(
    state: State<'a, Shop>,
    Path(id): Path<u64>,
    agent: Agent<'a>,
    other_agent: Agent<'a>,
    Query(page): Query<Page>,
    head: &'a impl RequestHead,
    Json(note): Json<Note<'a>>,
) -> Json<Note<'a>> {
    let _ = (state.name, id, agent.0, other_agent.0, page.page, head.path());
    Json(note)
}

#[route(POST, "/args/raw/{name}")]
pub(crate) async fn raw(agent: Agent<'_>, cx: &mut impl Exchange, Path(name): Path<&str>) -> Result<(), Problem> {
    let (body, reply) = cx.split();
    let body = body.read(100).await?;
    for part in [name.as_bytes(), b" ", agent.0, b" ", body] {
        reply.buffer().extend_from_slice(part);
    }
    Ok(())
}

#[route(POST, "/args/generic/{name}", timeout = "1h")]
pub(crate) async fn generic<E: Exchange>(head: &E::Head, cx: &mut E) -> Result<(), Problem> {
    let name = head.param("name").unwrap_or_default();
    cx.reply().buffer().extend_from_slice(name.as_bytes());
    Ok(())
}

#[route(GET, "/args/type", name = "raw-name")]
pub(crate) async fn r#type() -> &'static str {
    "type"
}
