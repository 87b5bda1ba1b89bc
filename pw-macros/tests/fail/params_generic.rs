//! Generic over a type.

use polywire::PathParams;

#[derive(PathParams)]
struct UserPath<T> {
    id: T,
}

fn main() {}
