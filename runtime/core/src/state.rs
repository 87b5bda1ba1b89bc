//! What an application builds once and every handler may borrow.

/// The application's state, or a part of it, borrowed for the handler's time.
///
/// ```
/// use pw_core::State;
/// struct Db { name: &'static str }
/// async fn name(State(db): State<'_, Db>) -> &'static str {
///     db.name
/// }
/// ```
///
/// Wrong: `State(db): State<'_, Arc<Db>>` to share it. The reference is shared already; put what changes behind a
/// lock or an atomic inside the state.
#[derive(Debug)]
pub struct State<'a, T>(pub &'a T);

impl<T> Clone for State<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for State<'_, T> {}

impl<T> std::ops::Deref for State<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

/// An application's state that has a `T` in it. Every type provides itself; implement it for the parts that handlers
/// ask for by themselves:
///
/// ```
/// use pw_core::Provide;
/// struct Db;
/// struct AppState { db: Db }
/// impl Provide<Db> for AppState {
///     fn provide(&self) -> &Db {
///         &self.db
///     }
/// }
/// ```
///
/// Wrong: `impl Provide<String>` for a password, and another wish for a `String` later. A type is provided once: give
/// each part a type of its own.
#[diagnostic::on_unimplemented(
    message = "a handler asks for `State<'_, {T}>`, and the application's state `{Self}` does not provide it",
    label = "no `{T}` in `{Self}`",
    note = "ask for `State<'_, {Self}>`, or write `impl Provide<{T}> for {Self}`; the state is named in `polywire::generated!`"
)]
pub trait Provide<T> {
    /// The part.
    fn provide(&self) -> &T;
}

/// What a state provides, asked from the part's side. With `Provide` alone rustc takes the one implementation it sees, that every type
/// provides itself, for the one that is meant, and finds two types that differ; of a part it does not know yet it assumes nothing.
#[doc(hidden)]
pub trait Part<S>: Sized {
    /// The part of this state.
    fn of(state: &S) -> &Self;
}

impl<S: Provide<T>, T> Part<S> for T {
    #[inline]
    fn of(state: &S) -> &T {
        state.provide()
    }
}

impl<T> Provide<T> for T {
    fn provide(&self) -> &T {
        self
    }
}
