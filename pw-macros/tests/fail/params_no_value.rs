//! A field that no parameter can become.

use polywire::PathParams;

struct Id;

#[derive(PathParams)]
struct UserPath {
    id: Id,
}

fn main() {}
