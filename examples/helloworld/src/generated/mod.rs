//! Written by `cargo xtask generate`: do not edit. The routes of `helloworld`.

// A build without any transport uses little of this.
#![allow(dead_code)]

use polywire::codegen::{Leaf, Node, Route, Table};

polywire::if_hyper! {
    mod hyper; // gone? Run `cargo xtask generate`
}

polywire::if_fast! {
    mod fast; // gone? Run `cargo xtask generate`
}

/// The application: what stands around and behind its 4 routes.
pub struct Routes {
    chain: polywire::DefaultChain,
    state: crate::Users,
}

impl Routes {
    /// The default chain, and the state that handlers borrow.
    pub fn new(state: crate::Users) -> Self {
        Self {
            chain: polywire::DefaultChain::default(),
            state,
        }
    }
}

/// Where each route stands in `ROUTES`.
mod at {
    pub(super) const INDEX: usize = 0;
    pub(super) const GREET: usize = 1;
    pub(super) const CREATE_USER: usize = 2;
    pub(super) const SHOW_USER: usize = 3;
}

/// Every route, by pattern and method.
static ROUTES: &[Route] = &[
    Route::new("index", "GET", "/", "helloworld::index"),
    Route::new("greet", "GET", "/greet", "helloworld::greet"),
    Route::new("create_user", "POST", "/users", "helloworld::create_user")
        .with_body_limit(4096),
    Route::new("show_user", "GET", "/users/{id}", "helloworld::show_user")
        .with_params(&["id"]),
];

/// `/users` and what may follow it.
const USERS: Node = Node::literal("users")
    .leaf(&Leaf::new(&[("POST", at::CREATE_USER)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::SHOW_USER)])));

/// What may follow the first slash of a path.
static ROOT: Node = Node::new()
    .slash(&Leaf::new(&[("GET", at::INDEX)]))
    .literals(&[Node::literal("greet").leaf(&Leaf::new(&[("GET", at::GREET)])), USERS]);

/// What the transport asks which route a request is for.
static TABLE: Table = Table::new(ROUTES, &ROOT, &[]);

/// What `generated!` compares with its own options.
pub const OPTIONS: u64 = 0xa473_4dbe_cca9_560c;

/// What each `#[route]` looks up to know that it is in here, as it is now.
pub const FINGERPRINTS: &[u64] = &[
    0x1ca2_3fee_5828_5b33, // greet
    0x3c62_bff2_e5e3_7565, // index
    0xddd2_90a0_d92d_fb11, // show_user
    0xe737_833a_3e00_eb3e, // create_user
];
