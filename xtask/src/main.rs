//! The workspace's own commands.

fn main() {}
