//! A first application: a page, JSON with a path parameter, a query, and a JSON post that changes the state.
//!
//! Run it with `cargo run --release -p helloworld`. After adding or changing a `#[route]`: `cargo xtask generate`.

use std::sync::{Mutex, PoisonError};

use polywire::prelude::*;
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

polywire::generated! { state: Users }

/// The state of the application: the names of its users. A user's id is the place of its name.
struct Users(Mutex<Vec<String>>);

#[derive(Serialize)]
struct User {
    id: usize,
    name: String,
}

#[derive(Deserialize)]
struct NewUser {
    name: String,
}

#[derive(Deserialize)]
struct Greeting<'a> {
    name: Option<&'a str>,
}

#[route(GET, "/")]
async fn index() -> Html<&'static str> {
    Html(include_str!("index.html"))
}

#[route(GET, "/greet")]
async fn greet(Query(greeting): Query<Greeting<'_>>) -> String {
    format!("Hello, {}!", greeting.name.unwrap_or("world"))
}

/// `None` is 404.
#[route(GET, "/users/{id}")]
async fn show_user(Path(id): Path<usize>, State(users): State<'_, Users>) -> Option<Json<User>> {
    let name = users.names().get(id).cloned()?;
    Some(Json(User { id, name }))
}

#[route(POST, "/users", body_limit = "4 KiB")]
async fn create_user(
    State(users): State<'_, Users>,
    Json(new): Json<NewUser>,
) -> (StatusCode, [(HeaderName, String); 1], Json<User>) {
    let (mut names, name) = (users.names(), new.name);
    let id = names.len();
    names.push(name.clone());
    (
        StatusCode::CREATED,
        [(header::LOCATION, format!("/users/{id}"))],
        Json(User { id, name }),
    )
}

impl Users {
    fn names(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn main() -> ExitCode {
    let users = Users(Mutex::new(vec!["ann".to_owned()]));
    App::new(generated::Routes::new(users))
        .about("A first Polywire application.")
        .run()
}
