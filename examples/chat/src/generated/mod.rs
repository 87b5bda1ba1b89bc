//! Written by `cargo xtask generate`: do not edit. The routes of `chat`.

// A build without any transport uses little of this.
#![allow(dead_code)]

use polywire::codegen::{Leaf, Node, Route, Table};

polywire::if_hyper! {
    mod hyper; // gone? Run `cargo xtask generate`
}

polywire::if_fast! {
    mod fast; // gone? Run `cargo xtask generate`
}

/// The application: what stands around and behind its 3 routes.
pub struct Routes {
    chain: crate::Chain,
    state: crate::Chat,
}

impl Routes {
    /// The chain around every handler, and the state that handlers borrow.
    pub fn new(chain: crate::Chain, state: crate::Chat) -> Self {
        Self { chain, state }
    }
}

/// Where each route stands in `ROUTES`.
mod at {
    pub(super) const INDEX: usize = 0;
    pub(super) const CLOCK: usize = 1;
    pub(super) const TALK: usize = 2;
}

/// Every route, by pattern and method.
static ROUTES: &[Route] = &[
    Route::new("index", "GET", "/", "chat::index"),
    Route::new("clock", "GET", "/clock", "chat::clock"),
    Route::new("talk", "GET", "/talk", "chat::talk"),
];

/// What may follow the first slash of a path.
static ROOT: Node = Node::new()
    .slash(&Leaf::new(&[("GET", at::INDEX)]))
    .literals(&[
        Node::literal("clock").leaf(&Leaf::new(&[("GET", at::CLOCK)])),
        Node::literal("talk").leaf(&Leaf::new(&[("GET", at::TALK)])),
    ]);

/// What the transport asks which route a request is for.
static TABLE: Table = Table::new(ROUTES, &ROOT, &[]);

/// What `generated!` compares with its own options.
pub const OPTIONS: u64 = 0x7f1e_42b9_733a_fe0e;

/// What each `#[route]` looks up to know that it is in here, as it is now.
pub const FINGERPRINTS: &[u64] = &[
    0x43c2_49c1_c97c_eb13, // talk
    0x4bcf_826a_1079_bb28, // index
    0xbbf2_d792_6347_a298, // clock
];
