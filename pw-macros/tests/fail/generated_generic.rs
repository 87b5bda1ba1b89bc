//! A type that is no plain path.

polywire::generated! { state: Arc<AppState> }

fn main() {}
