//! A fragment that is also an application.

polywire::generated! { fragment, state: AppState }

fn main() {}
