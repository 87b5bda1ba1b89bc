//! No fields.

use polywire::PathParams;

#[derive(PathParams)]
struct UserPath;

fn main() {}
