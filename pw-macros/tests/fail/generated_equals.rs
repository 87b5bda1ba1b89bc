//! `=` in the place of `:`.

polywire::generated! { state = AppState }

fn main() {}
