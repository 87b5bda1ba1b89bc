//! No names.

use polywire::PathParams;

#[derive(PathParams)]
struct UserPath(u64);

fn main() {}
