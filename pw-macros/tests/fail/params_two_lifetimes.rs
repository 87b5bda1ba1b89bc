//! Two lifetimes.

use polywire::PathParams;

#[derive(PathParams)]
struct UserPath<'a, 'b> {
    a: &'a str,
    b: &'b str,
}

fn main() {}
