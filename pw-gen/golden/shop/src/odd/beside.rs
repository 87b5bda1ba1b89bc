//! A child of a file that `#[path]` names: it stands beside it. Its handler is in a private module that the crate root can't see,
//! so it has none.
