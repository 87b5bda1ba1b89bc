//! A slip in a name.

polywire::generated! { states: AppState }

fn main() {}
