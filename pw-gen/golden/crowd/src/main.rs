//! More routes than one `match` takes: the binder is cut into groups.

use polywire::prelude::*;

polywire::generated!();

mod books;
mod carts;
#[cfg(feature = "extra")]
mod extra;
mod orders;
#[cfg(test)]
mod tests;
mod users;

fn main() -> ExitCode {
    App::new(generated::Routes::new()).run()
}
