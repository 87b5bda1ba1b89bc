//! Written by `cargo xtask generate`: do not edit. The routes of `pw-gen-golden-plain`.

// A build without any transport uses little of this.
#![allow(dead_code)]

use polywire::codegen::{Leaf, Node, Route, Table};

polywire::if_hyper! {
    mod hyper; // gone? Run `cargo xtask generate`
}

polywire::if_fast! {
    mod fast; // gone? Run `cargo xtask generate`
}

/// The application: what stands around and behind its 2 routes.
pub struct Routes {
    chain: polywire::DefaultChain,
}

impl Routes {
    /// The default chain, and no state.
    pub fn new() -> Self {
        Self {
            chain: polywire::DefaultChain::default(),
        }
    }
}

/// Where each route stands in `ROUTES`.
mod at {
    pub(super) const INDEX: usize = 0;
    pub(super) const HELLO: usize = 1;
}

/// Every route, by pattern and method.
static ROUTES: &[Route] = &[
    Route::new("index", "GET", "/", "pw_gen_golden_plain::index"),
    Route::new("hello", "GET", "/hello/{name}", "pw_gen_golden_plain::hello")
        .with_params(&["name"]),
];

/// What may follow the first slash of a path.
static ROOT: Node = Node::new()
    .slash(&Leaf::new(&[("GET", at::INDEX)]))
    .literals(&[
        Node::literal("hello")
            .param(&Node::new().leaf(&Leaf::new(&[("GET", at::HELLO)]))),
    ]);

/// What the transport asks which route a request is for.
static TABLE: Table = Table::new(ROUTES, &ROOT, &[]);

/// What `generated!` compares with its own options.
pub const OPTIONS: u64 = 0x5823_dbbf_c6f1_f18d;

/// What each `#[route]` looks up to know that it is in here, as it is now.
pub const FINGERPRINTS: &[u64] = &[
    0xaecd_90d7_e1e1_7bec, // index
    0xc254_d009_0a6e_080d, // hello
];
