//! Polywire's attribute and derive macros: a thin shell over `pw-syntax`, which reads and checks.
//!
//! What is here decides how the result is written: the user's item unchanged, and beside it assertions that the compiler
//! checks. It knows no files but for one question in [`generated!`]. Applications reach all of it through `polywire`.

mod checks;
mod generated;
mod path_params;
mod route;

use proc_macro::TokenStream;

/// Makes an `async fn` the handler of a route.
///
/// The function comes out unchanged, so it can be called and tested as it is. Beside it stands an assertion that
/// `cargo xtask generate` has run since the route was last changed: until then the program does not build.
///
/// ```standalone_crate
/// use polywire::prelude::*;
/// # const ROOT: &str = module_path!();
/// # mod generated {
/// #     use polywire::codegen::fingerprint;
/// #     pub static FINGERPRINTS: [u64; 1] = [fingerprint(0x73c55f3063c8ce22, super::ROOT)];
/// # }
///
/// #[route(GET, "/users/{id}", name = "users.show", timeout = "5s")]
/// async fn show_user(Path(id): Path<u64>) -> String {
///     format!("user {id}")
/// }
/// # fn main() {}
/// ```
///
/// # Syntax
///
/// `#[route(METHOD, "pattern", option = value, ..)]`
///
/// **The method** is one of the [IANA registry](https://www.iana.org/assignments/http-methods) as a bare word: `GET`,
/// `POST`, `PROPFIND`. Any other is a string, as is one with a dash: `"PURGE"`, `"VERSION-CONTROL"`. `HEAD` is answered
/// by the route for `GET` and `OPTIONS` by Polywire, unless there is a route for them. `CONNECT` and `TRACE` are refused.
///
/// **The pattern** is a path, a string that begins with `/`. What stands between two slashes is
///
/// | | matches |
/// |---|---|
/// | `users` | itself. Characters that a path can't hold are percent-encoded (`/caf%C3%A9`); `%7E` and `~` are the same |
/// | `{id}` | one segment of any text, but not an empty one |
/// | `{*rest}` | all that remains, but not nothing; only at the end |
///
/// A literal goes before a parameter, a parameter before a wildcard, whatever the order of declaration. `/users/` and
/// `/users` are two paths. A pattern has at most 16 parameters, each of another name.
///
/// **The options**, each at most once:
///
/// | | | default |
/// |---|---|---|
/// | `name = "users.show"` | what logs and tools call it, unique in the application | the function's name |
/// | `body_limit = "64 KiB"` | the most bytes of a request's body: `B`, `KiB`, `MiB`, `GiB` or a whole number; more is 413 | the server's, 1 MiB |
/// | `timeout = "500ms"` | how long the handler may take: `ms`, `s`, `m`, `h`; longer is 503 | none |
///
/// # Arguments
///
/// An argument is known by how its type is written, in any order, but for the body, which is last.
///
/// | | |
/// |---|---|
/// | `Path(id): Path<u64>` | the parameters of the path: one value, a tuple in the pattern's order, or a struct with [`#[derive(PathParams)]`](macro@PathParams) |
/// | `Query(search): Query<Search>` | the query |
/// | `State(app): State<'_, App>` | the application's state, or a part of it |
/// | `head: &impl RequestHead` | the head: method, path, fields, peer |
/// | `cx: &mut impl Exchange` | the exchange: body and answer by hand. Also `cx: &mut E` with `<E: Exchange>`; `&mut impl Upgrade` where the connection is taken over |
/// | `Json(order): Json<Order>`, `&[u8]`, `&str`, `String`, `Bytes`, `Vec<u8>` | the body; last, one at most, and not beside the exchange |
/// | any other type | one that implements `FromHead`; if it is last, or `FromBody` |
///
/// A pattern with parameters needs an argument that reads them: `Path`, the head, the exchange, or a type of your own. What
/// is returned implements `Respond`: `Json`, `Html`, text, bytes, a status, `Result<_, Problem>` and more.
///
/// # Errors
///
/// All mistakes are told at once, each at its place with the way to mend it. This one takes a parameter that its pattern
/// does not have:
///
/// ```compile_fail
/// use polywire::prelude::*;
///
/// #[route(GET, "/users")]
/// async fn show_user(Path(id): Path<u64>) -> String {
///     format!("user {id}")
/// }
/// # fn main() {}
/// ```
///
/// ```text
/// error: route `show_user` must not take a `Path`: its pattern `/users` has no parameter
///        help: remove the argument, or name a parameter in the pattern: `/users/{id}`
///  --> src/main.rs:4:30
///   |
/// 4 | async fn show_user(Path(id): Path<u64>) -> String {
///   |                              ^^^^^^^^^
/// ```
///
/// What the compiler can't see here, the generator refuses: two routes that collide, a handler that the crate root can't
/// see, a route made by `macro_rules!`, one in an `impl` or in a function.
#[proc_macro_attribute]
pub fn route(attribute: TokenStream, item: TokenStream) -> TokenStream {
    route::expand(attribute.into(), item.into()).into()
}

/// Lets `Path` take a route's parameters as a struct, each by the name of its field.
///
/// The struct has named fields and at most one lifetime, that of the request; each field's type is one that a parameter can
/// become (`FromParam`): a number, `bool`, `&str`, `String` and so on. A field `r#type` takes `{type}`. The names of the
/// fields are those of the pattern, all of them and no others, in any order; the compiler says if they are not.
///
/// ```standalone_crate
/// use polywire::prelude::*;
/// # const ROOT: &str = module_path!();
/// # mod generated {
/// #     use polywire::codegen::fingerprint;
/// #     pub static FINGERPRINTS: [u64; 1] = [fingerprint(0x926ee050f6263cab, super::ROOT)];
/// # }
///
/// #[derive(PathParams)]
/// struct PostPath<'a> {
///     user: u64,
///     slug: &'a str,
/// }
///
/// #[route(GET, "/users/{user}/posts/{slug}")]
/// async fn show_post(Path(path): Path<PostPath<'_>>) -> String {
///     format!("{} by {}", path.slug, path.user)
/// }
/// # fn main() {}
/// ```
///
/// # Errors
///
/// An enum, a tuple struct (take a tuple as it is: `Path<(u64, &str)>`), a struct that is generic over more than one
/// lifetime. Wrong:
///
/// ```compile_fail
/// #[derive(polywire::PathParams)]
/// struct PostPath<T> {
///     user: T,
/// }
/// ```
///
/// ```text
/// error: `PostPath` with `#[derive(PathParams)]` must not be generic over `T`: its fields are what the path has
///        help: write the type itself
/// ```
#[proc_macro_derive(PathParams)]
pub fn path_params(item: TokenStream) -> TokenStream {
    path_params::expand(item.into()).into()
}

/// The module of generated code, once, in the crate root (`src/main.rs` or `src/lib.rs`).
///
/// Becomes `pub mod generated;`, which is `src/generated/mod.rs`: the routes of this crate as `generated::Routes`. Before the
/// first generation it is an error that names the command, `cargo xtask generate`, which reads what is said here:
///
/// ```text
/// polywire::generated!();
///
/// polywire::generated! {
///     state: AppState,                // Routes::new(state): what `State` lends to handlers
///     chain: Chain,                   // Routes::new(chain, state): the middlewares, else `DefaultChain`
///     crates: [accounts, billing],    // libraries whose routes this application has, too
/// }
///
/// polywire::generated! { fragment }   // such a library
/// ```
///
/// All of it is optional. `state` and `chain` are paths of types from the crate root (`AppState`, `web::Chain`), which is
/// how generated code names them; a longer type gets a name there: `pub type Chain = (RequestId, (Recover, MyOwn));`.
///
/// # Errors
///
/// ```text
/// error: src/generated does not exist yet: run `cargo xtask generate`
///  --> src/main.rs:3:1
///   |
/// 3 | polywire::generated!();
///   | ^^^^^^^^^^^^^^^^^^^^^^
/// ```
///
/// If options were changed since: "the options of `polywire::generated!` are not those of src/generated: run
/// `cargo xtask generate`".
///
/// Wrong, because the type has no plain path:
///
/// ```compile_fail
/// polywire::generated! { state: std::sync::Arc<AppState> }
/// # pub struct AppState;
/// # fn main() {}
/// ```
///
/// ```text
/// error: `generated!` must have a plain path from the crate root as its `state`: generated code writes it after `crate::`
///        help: name a type of the crate root: `state: AppState`, with `pub type AppState = ..;` there if need be
/// ```
#[proc_macro]
pub fn generated(arguments: TokenStream) -> TokenStream {
    generated::expand(arguments.into(), proc_macro::Span::call_site().local_file()).into()
}
