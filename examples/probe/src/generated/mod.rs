//! Written by `cargo xtask generate`: do not edit. The routes of `probe`.

// A build without any transport uses little of this.
#![allow(dead_code)]

use polywire::codegen::{Leaf, Node, Route, Table};

polywire::if_hyper! {
    mod hyper; // gone? Run `cargo xtask generate`
}

polywire::if_fast! {
    mod fast; // gone? Run `cargo xtask generate`
}

/// The application: what stands around and behind its 15 routes.
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
    pub(super) const DOWNLOAD: usize = 1;
    pub(super) const ECHO: usize = 2;
    pub(super) const EVENTS: usize = 3;
    pub(super) const FILE: usize = 4;
    pub(super) const LARGE: usize = 5;
    pub(super) const PING: usize = 6;
    pub(super) const ROWS: usize = 7;
    pub(super) const SEARCH: usize = 8;
    pub(super) const ASSET: usize = 9;
    pub(super) const UPLOAD: usize = 10;
    pub(super) const CREATE_USER: usize = 11;
    pub(super) const SHOW_USER: usize = 12;
    pub(super) const WAIT: usize = 13;
    pub(super) const WS: usize = 14;
}

/// Every route, by pattern and method.
static ROUTES: &[Route] = &[
    Route::new("index", "GET", "/", "probe::index"),
    Route::new("download", "GET", "/download/{bytes}", "probe::download")
        .with_params(&["bytes"]),
    Route::new("echo", "POST", "/echo", "probe::echo").with_body_limit(1_048_576),
    Route::new("events", "GET", "/events", "probe::events"),
    Route::new("file", "GET", "/files/{size}", "probe::file").with_params(&["size"]),
    Route::new("large", "GET", "/large", "probe::large"),
    Route::new("ping", "GET", "/ping", "probe::ping"),
    Route::new("rows", "GET", "/rows", "probe::rows"),
    Route::new("search", "GET", "/search", "probe::search"),
    Route::new("asset", "GET", "/static/{*path}", "probe::asset").with_params(&["path"]),
    Route::new("upload", "POST", "/upload", "probe::upload")
        .with_body_limit(1_099_511_627_776),
    Route::new("create_user", "POST", "/users", "probe::create_user"),
    Route::new("show_user", "GET", "/users/{id}", "probe::show_user")
        .with_params(&["id"]),
    Route::new("wait", "GET", "/wait", "probe::wait"),
    Route::new("ws", "GET", "/ws", "probe::ws"),
];

/// `/users` and what may follow it.
const USERS: Node = Node::literal("users")
    .leaf(&Leaf::new(&[("POST", at::CREATE_USER)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::SHOW_USER)])));

/// What may follow the first slash of a path.
static ROOT: Node = Node::new()
    .slash(&Leaf::new(&[("GET", at::INDEX)]))
    .literals(&[
        Node::literal("download")
            .param(&Node::new().leaf(&Leaf::new(&[("GET", at::DOWNLOAD)]))),
        Node::literal("echo").leaf(&Leaf::new(&[("POST", at::ECHO)])),
        Node::literal("events").leaf(&Leaf::new(&[("GET", at::EVENTS)])),
        Node::literal("files")
            .param(&Node::new().leaf(&Leaf::new(&[("GET", at::FILE)]))),
        Node::literal("large").leaf(&Leaf::new(&[("GET", at::LARGE)])),
        Node::literal("ping").leaf(&Leaf::new(&[("GET", at::PING)])),
        Node::literal("rows").leaf(&Leaf::new(&[("GET", at::ROWS)])),
        Node::literal("search").leaf(&Leaf::new(&[("GET", at::SEARCH)])),
        Node::literal("static").rest(&Leaf::new(&[("GET", at::ASSET)])),
        Node::literal("upload").leaf(&Leaf::new(&[("POST", at::UPLOAD)])),
        USERS,
        Node::literal("wait").leaf(&Leaf::new(&[("GET", at::WAIT)])),
        Node::literal("ws").leaf(&Leaf::new(&[("GET", at::WS)])),
    ]);

/// What the transport asks which route a request is for.
static TABLE: Table = Table::new(ROUTES, &ROOT, &[]);

/// What `generated!` compares with its own options.
pub const OPTIONS: u64 = 0x5823_dbbf_c6f1_f18d;

/// What each `#[route]` looks up to know that it is in here, as it is now.
pub const FINGERPRINTS: &[u64] = &[
    0x0c30_8aa3_af5e_ddc9, // rows
    0x1637_d176_d63c_f69d, // echo
    0x346a_51dc_133f_744d, // search
    0x3f1a_9d6a_9b18_3fb9, // index
    0x4108_3ae1_a2d1_d14e, // show_user
    0x5e94_e9ba_465b_a0e4, // large
    0x6c24_1a04_702d_c0f5, // upload
    0x7cd0_1de9_be10_e70d, // ws
    0x7ce8_167e_dcf4_8cad, // create_user
    0x840d_ba78_73c0_f2c3, // file
    0x84df_95fb_7f5e_4580, // asset
    0x938e_834e_867b_8fa9, // events
    0xa20a_05f6_f288_2118, // wait
    0xe1f0_3232_c4b5_8801, // ping
    0xfc58_c075_99ca_5c3d, // download
];
