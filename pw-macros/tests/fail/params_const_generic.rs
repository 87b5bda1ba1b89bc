//! Generic over a constant.

use polywire::PathParams;

#[derive(PathParams)]
struct UserPath<const N: usize> {
    id: u64,
}

fn main() {}
