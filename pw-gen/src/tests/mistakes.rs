//! One small source tree per mistake, and what is said of it.

mod collisions;
mod fragments;
mod modules;
mod places;
mod root;

use expect_test::Expect;

use super::SourceTree;

fn check(tree: &str, expected: Expect) {
    expected.assert_eq(&SourceTree::new(tree).check().expect_err("it is a mistake"));
}
