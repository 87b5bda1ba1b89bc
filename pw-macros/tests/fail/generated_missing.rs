//! Never generated: that is all that is said.

use polywire::prelude::*;

polywire::generated! { state: AppState }

struct AppState;

mod users {
    use polywire::prelude::*;

    #[route(GET, "/users")]
    pub(crate) async fn list() {}
}

#[route(GET, "/")]
async fn index(State(_): State<'_, AppState>) {}

fn main() -> ExitCode {
    App::new(generated::Routes::new(AppState)).run()
}
