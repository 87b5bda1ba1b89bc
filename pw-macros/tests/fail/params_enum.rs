//! No struct.

use polywire::PathParams;

#[derive(PathParams)]
enum UserPath {
    Id(u64),
}

fn main() {}
