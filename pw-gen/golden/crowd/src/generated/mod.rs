//! Written by `cargo xtask generate`: do not edit. The routes of `pw-gen-golden-crowd`.

// A build without any transport uses little of this.
#![allow(dead_code)]

use polywire::codegen::{Leaf, Node, Route, Table};

polywire::if_hyper! {
    mod hyper; // gone? Run `cargo xtask generate`
}

polywire::if_fast! {
    mod fast; // gone? Run `cargo xtask generate`
}

/// The application: what stands around and behind its 46 routes.
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
    pub(super) const BOOKS_LIST: usize = 0;
    pub(super) const BOOKS_CREATE: usize = 1;
    pub(super) const BOOKS_DELETE: usize = 2;
    pub(super) const BOOKS_SHOW: usize = 3;
    pub(super) const BOOKS_REPLACE: usize = 4;
    pub(super) const BOOKS_LINKS: usize = 5;
    pub(super) const BOOKS_LINKS_AT: usize = 6;
    pub(super) const BOOKS_NOTES: usize = 7;
    pub(super) const BOOKS_NOTES_AT: usize = 8;
    pub(super) const BOOKS_TAGS: usize = 9;
    pub(super) const BOOKS_TAGS_AT: usize = 10;
    pub(super) const CARTS_LIST: usize = 11;
    pub(super) const CARTS_CREATE: usize = 12;
    pub(super) const CARTS_DELETE: usize = 13;
    pub(super) const CARTS_SHOW: usize = 14;
    pub(super) const CARTS_REPLACE: usize = 15;
    pub(super) const CARTS_LINKS: usize = 16;
    pub(super) const CARTS_LINKS_AT: usize = 17;
    pub(super) const CARTS_NOTES: usize = 18;
    pub(super) const CARTS_NOTES_AT: usize = 19;
    pub(super) const CARTS_TAGS: usize = 20;
    pub(super) const CARTS_TAGS_AT: usize = 21;
    pub(super) const ORDERS_LIST: usize = 22;
    pub(super) const ORDERS_CREATE: usize = 23;
    pub(super) const ORDERS_DELETE: usize = 24;
    pub(super) const ORDERS_SHOW: usize = 25;
    pub(super) const ORDERS_REPLACE: usize = 26;
    pub(super) const ORDERS_LINKS: usize = 27;
    pub(super) const ORDERS_LINKS_AT: usize = 28;
    pub(super) const ORDERS_NOTES: usize = 29;
    pub(super) const ORDERS_NOTES_AT: usize = 30;
    pub(super) const ORDERS_TAGS: usize = 31;
    pub(super) const ORDERS_TAGS_AT: usize = 32;
    pub(super) const USERS_LIST: usize = 33;
    pub(super) const USERS_CREATE: usize = 34;
    pub(super) const USERS_DELETE: usize = 35;
    pub(super) const USERS_SHOW: usize = 36;
    pub(super) const USERS_REPLACE: usize = 37;
    pub(super) const USERS_LINKS: usize = 38;
    pub(super) const USERS_LINKS_AT: usize = 39;
    pub(super) const USERS_NOTES: usize = 40;
    pub(super) const USERS_NOTES_AT: usize = 41;
    pub(super) const USERS_TAGS: usize = 42;
    pub(super) const USERS_TAGS_AT: usize = 43;
    #[cfg(feature = "extra")]
    pub(super) const BOOKS_EXTRA: usize = 44;
    #[cfg(feature = "extra")]
    pub(super) const ZOO: usize = 45;
}

/// Every route, by pattern and method.
static ROUTES: &[Route] = &[
    Route::new("books.list", "GET", "/books", "pw_gen_golden_crowd::books::list"),
    Route::new("books.create", "POST", "/books", "pw_gen_golden_crowd::books::create"),
    Route::new(
        "books.delete",
        "DELETE",
        "/books/{id}",
        "pw_gen_golden_crowd::books::delete",
    )
    .with_params(&["id"]),
    Route::new("books.show", "GET", "/books/{id}", "pw_gen_golden_crowd::books::show")
        .with_params(&["id"]),
    Route::new(
        "books.replace",
        "PUT",
        "/books/{id}",
        "pw_gen_golden_crowd::books::replace",
    )
    .with_params(&["id"]),
    Route::new(
        "books.links",
        "GET",
        "/books/{id}/links",
        "pw_gen_golden_crowd::books::links",
    )
    .with_params(&["id"]),
    Route::new(
        "books.links_at",
        "GET",
        "/books/{id}/links/{at}",
        "pw_gen_golden_crowd::books::links_at",
    )
    .with_params(&["id", "at"]),
    Route::new(
        "books.notes",
        "GET",
        "/books/{id}/notes",
        "pw_gen_golden_crowd::books::notes",
    )
    .with_params(&["id"]),
    Route::new(
        "books.notes_at",
        "GET",
        "/books/{id}/notes/{at}",
        "pw_gen_golden_crowd::books::notes_at",
    )
    .with_params(&["id", "at"]),
    Route::new(
        "books.tags",
        "GET",
        "/books/{id}/tags",
        "pw_gen_golden_crowd::books::tags",
    )
    .with_params(&["id"]),
    Route::new(
        "books.tags_at",
        "GET",
        "/books/{id}/tags/{at}",
        "pw_gen_golden_crowd::books::tags_at",
    )
    .with_params(&["id", "at"]),
    Route::new("carts.list", "GET", "/carts", "pw_gen_golden_crowd::carts::list"),
    Route::new("carts.create", "POST", "/carts", "pw_gen_golden_crowd::carts::create"),
    Route::new(
        "carts.delete",
        "DELETE",
        "/carts/{id}",
        "pw_gen_golden_crowd::carts::delete",
    )
    .with_params(&["id"]),
    Route::new("carts.show", "GET", "/carts/{id}", "pw_gen_golden_crowd::carts::show")
        .with_params(&["id"]),
    Route::new(
        "carts.replace",
        "PUT",
        "/carts/{id}",
        "pw_gen_golden_crowd::carts::replace",
    )
    .with_params(&["id"]),
    Route::new(
        "carts.links",
        "GET",
        "/carts/{id}/links",
        "pw_gen_golden_crowd::carts::links",
    )
    .with_params(&["id"]),
    Route::new(
        "carts.links_at",
        "GET",
        "/carts/{id}/links/{at}",
        "pw_gen_golden_crowd::carts::links_at",
    )
    .with_params(&["id", "at"]),
    Route::new(
        "carts.notes",
        "GET",
        "/carts/{id}/notes",
        "pw_gen_golden_crowd::carts::notes",
    )
    .with_params(&["id"]),
    Route::new(
        "carts.notes_at",
        "GET",
        "/carts/{id}/notes/{at}",
        "pw_gen_golden_crowd::carts::notes_at",
    )
    .with_params(&["id", "at"]),
    Route::new(
        "carts.tags",
        "GET",
        "/carts/{id}/tags",
        "pw_gen_golden_crowd::carts::tags",
    )
    .with_params(&["id"]),
    Route::new(
        "carts.tags_at",
        "GET",
        "/carts/{id}/tags/{at}",
        "pw_gen_golden_crowd::carts::tags_at",
    )
    .with_params(&["id", "at"]),
    Route::new("orders.list", "GET", "/orders", "pw_gen_golden_crowd::orders::list"),
    Route::new(
        "orders.create",
        "POST",
        "/orders",
        "pw_gen_golden_crowd::orders::create",
    ),
    Route::new(
        "orders.delete",
        "DELETE",
        "/orders/{id}",
        "pw_gen_golden_crowd::orders::delete",
    )
    .with_params(&["id"]),
    Route::new("orders.show", "GET", "/orders/{id}", "pw_gen_golden_crowd::orders::show")
        .with_params(&["id"]),
    Route::new(
        "orders.replace",
        "PUT",
        "/orders/{id}",
        "pw_gen_golden_crowd::orders::replace",
    )
    .with_params(&["id"]),
    Route::new(
        "orders.links",
        "GET",
        "/orders/{id}/links",
        "pw_gen_golden_crowd::orders::links",
    )
    .with_params(&["id"]),
    Route::new(
        "orders.links_at",
        "GET",
        "/orders/{id}/links/{at}",
        "pw_gen_golden_crowd::orders::links_at",
    )
    .with_params(&["id", "at"]),
    Route::new(
        "orders.notes",
        "GET",
        "/orders/{id}/notes",
        "pw_gen_golden_crowd::orders::notes",
    )
    .with_params(&["id"]),
    Route::new(
        "orders.notes_at",
        "GET",
        "/orders/{id}/notes/{at}",
        "pw_gen_golden_crowd::orders::notes_at",
    )
    .with_params(&["id", "at"]),
    Route::new(
        "orders.tags",
        "GET",
        "/orders/{id}/tags",
        "pw_gen_golden_crowd::orders::tags",
    )
    .with_params(&["id"]),
    Route::new(
        "orders.tags_at",
        "GET",
        "/orders/{id}/tags/{at}",
        "pw_gen_golden_crowd::orders::tags_at",
    )
    .with_params(&["id", "at"]),
    Route::new("users.list", "GET", "/users", "pw_gen_golden_crowd::users::list"),
    Route::new("users.create", "POST", "/users", "pw_gen_golden_crowd::users::create"),
    Route::new(
        "users.delete",
        "DELETE",
        "/users/{id}",
        "pw_gen_golden_crowd::users::delete",
    )
    .with_params(&["id"]),
    Route::new("users.show", "GET", "/users/{id}", "pw_gen_golden_crowd::users::show")
        .with_params(&["id"]),
    Route::new(
        "users.replace",
        "PUT",
        "/users/{id}",
        "pw_gen_golden_crowd::users::replace",
    )
    .with_params(&["id"]),
    Route::new(
        "users.links",
        "GET",
        "/users/{id}/links",
        "pw_gen_golden_crowd::users::links",
    )
    .with_params(&["id"]),
    Route::new(
        "users.links_at",
        "GET",
        "/users/{id}/links/{at}",
        "pw_gen_golden_crowd::users::links_at",
    )
    .with_params(&["id", "at"]),
    Route::new(
        "users.notes",
        "GET",
        "/users/{id}/notes",
        "pw_gen_golden_crowd::users::notes",
    )
    .with_params(&["id"]),
    Route::new(
        "users.notes_at",
        "GET",
        "/users/{id}/notes/{at}",
        "pw_gen_golden_crowd::users::notes_at",
    )
    .with_params(&["id", "at"]),
    Route::new(
        "users.tags",
        "GET",
        "/users/{id}/tags",
        "pw_gen_golden_crowd::users::tags",
    )
    .with_params(&["id"]),
    Route::new(
        "users.tags_at",
        "GET",
        "/users/{id}/tags/{at}",
        "pw_gen_golden_crowd::users::tags_at",
    )
    .with_params(&["id", "at"]),
    #[cfg(feature = "extra")]
    Route::new(
        "books.extra",
        "GET",
        "/books/extra",
        "pw_gen_golden_crowd::extra::books",
    ),
    #[cfg(feature = "extra")]
    Route::new("zoo", "GET", "/zoo", "pw_gen_golden_crowd::extra::zoo"),
];

/// `/books/{param}/links` and what may follow it.
const BOOKS_PARAM_LINKS: Node = Node::literal("links")
    .leaf(&Leaf::new(&[("GET", at::BOOKS_LINKS)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::BOOKS_LINKS_AT)])));

/// `/books/{param}/notes` and what may follow it.
const BOOKS_PARAM_NOTES: Node = Node::literal("notes")
    .leaf(&Leaf::new(&[("GET", at::BOOKS_NOTES)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::BOOKS_NOTES_AT)])));

/// `/books/{param}/tags` and what may follow it.
const BOOKS_PARAM_TAGS: Node = Node::literal("tags")
    .leaf(&Leaf::new(&[("GET", at::BOOKS_TAGS)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::BOOKS_TAGS_AT)])));

/// `/books/{param}` and what may follow it.
const BOOKS_PARAM: Node = Node::new()
    .leaf(&Leaf::new(&[
        ("DELETE", at::BOOKS_DELETE),
        ("GET", at::BOOKS_SHOW),
        ("PUT", at::BOOKS_REPLACE),
    ]))
    .literals(&[BOOKS_PARAM_LINKS, BOOKS_PARAM_NOTES, BOOKS_PARAM_TAGS]);

/// `/books` and what may follow it.
const BOOKS: Node = Node::literal("books")
    .leaf(&Leaf::new(&[("GET", at::BOOKS_LIST), ("POST", at::BOOKS_CREATE)]))
    .literals(&[
        Node::literal("extra")
            .leaf(&Leaf::new(&[#[cfg(feature = "extra")] ("GET", at::BOOKS_EXTRA)])),
    ])
    .param(&BOOKS_PARAM);

/// `/carts/{param}/links` and what may follow it.
const CARTS_PARAM_LINKS: Node = Node::literal("links")
    .leaf(&Leaf::new(&[("GET", at::CARTS_LINKS)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::CARTS_LINKS_AT)])));

/// `/carts/{param}/notes` and what may follow it.
const CARTS_PARAM_NOTES: Node = Node::literal("notes")
    .leaf(&Leaf::new(&[("GET", at::CARTS_NOTES)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::CARTS_NOTES_AT)])));

/// `/carts/{param}/tags` and what may follow it.
const CARTS_PARAM_TAGS: Node = Node::literal("tags")
    .leaf(&Leaf::new(&[("GET", at::CARTS_TAGS)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::CARTS_TAGS_AT)])));

/// `/carts/{param}` and what may follow it.
const CARTS_PARAM: Node = Node::new()
    .leaf(&Leaf::new(&[
        ("DELETE", at::CARTS_DELETE),
        ("GET", at::CARTS_SHOW),
        ("PUT", at::CARTS_REPLACE),
    ]))
    .literals(&[CARTS_PARAM_LINKS, CARTS_PARAM_NOTES, CARTS_PARAM_TAGS]);

/// `/carts` and what may follow it.
const CARTS: Node = Node::literal("carts")
    .leaf(&Leaf::new(&[("GET", at::CARTS_LIST), ("POST", at::CARTS_CREATE)]))
    .param(&CARTS_PARAM);

/// `/orders/{param}/links` and what may follow it.
const ORDERS_PARAM_LINKS: Node = Node::literal("links")
    .leaf(&Leaf::new(&[("GET", at::ORDERS_LINKS)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::ORDERS_LINKS_AT)])));

/// `/orders/{param}/notes` and what may follow it.
const ORDERS_PARAM_NOTES: Node = Node::literal("notes")
    .leaf(&Leaf::new(&[("GET", at::ORDERS_NOTES)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::ORDERS_NOTES_AT)])));

/// `/orders/{param}/tags` and what may follow it.
const ORDERS_PARAM_TAGS: Node = Node::literal("tags")
    .leaf(&Leaf::new(&[("GET", at::ORDERS_TAGS)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::ORDERS_TAGS_AT)])));

/// `/orders/{param}` and what may follow it.
const ORDERS_PARAM: Node = Node::new()
    .leaf(&Leaf::new(&[
        ("DELETE", at::ORDERS_DELETE),
        ("GET", at::ORDERS_SHOW),
        ("PUT", at::ORDERS_REPLACE),
    ]))
    .literals(&[ORDERS_PARAM_LINKS, ORDERS_PARAM_NOTES, ORDERS_PARAM_TAGS]);

/// `/orders` and what may follow it.
const ORDERS: Node = Node::literal("orders")
    .leaf(&Leaf::new(&[("GET", at::ORDERS_LIST), ("POST", at::ORDERS_CREATE)]))
    .param(&ORDERS_PARAM);

/// `/users/{param}/links` and what may follow it.
const USERS_PARAM_LINKS: Node = Node::literal("links")
    .leaf(&Leaf::new(&[("GET", at::USERS_LINKS)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::USERS_LINKS_AT)])));

/// `/users/{param}/notes` and what may follow it.
const USERS_PARAM_NOTES: Node = Node::literal("notes")
    .leaf(&Leaf::new(&[("GET", at::USERS_NOTES)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::USERS_NOTES_AT)])));

/// `/users/{param}/tags` and what may follow it.
const USERS_PARAM_TAGS: Node = Node::literal("tags")
    .leaf(&Leaf::new(&[("GET", at::USERS_TAGS)]))
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::USERS_TAGS_AT)])));

/// `/users/{param}` and what may follow it.
const USERS_PARAM: Node = Node::new()
    .leaf(&Leaf::new(&[
        ("DELETE", at::USERS_DELETE),
        ("GET", at::USERS_SHOW),
        ("PUT", at::USERS_REPLACE),
    ]))
    .literals(&[USERS_PARAM_LINKS, USERS_PARAM_NOTES, USERS_PARAM_TAGS]);

/// `/users` and what may follow it.
const USERS: Node = Node::literal("users")
    .leaf(&Leaf::new(&[("GET", at::USERS_LIST), ("POST", at::USERS_CREATE)]))
    .param(&USERS_PARAM);

/// What may follow the first slash of a path.
static ROOT: Node = Node::new()
    .literals(&[
        BOOKS,
        CARTS,
        ORDERS,
        USERS,
        Node::literal("zoo")
            .leaf(&Leaf::new(&[#[cfg(feature = "extra")] ("GET", at::ZOO)])),
    ]);

/// What the transport asks which route a request is for.
static TABLE: Table = Table::new(ROUTES, &ROOT, &[]);

/// What `generated!` compares with its own options.
pub const OPTIONS: u64 = 0x5823_dbbf_c6f1_f18d;

/// What each `#[route]` looks up to know that it is in here, as it is now.
pub const FINGERPRINTS: &[u64] = &[
    0x026f_7d0f_458a_2b61, // orders.links_at
    0x03cc_9d14_6811_5e5f, // users.show
    0x04fa_a83d_d873_8555, // orders.notes_at
    0x0b82_9dc1_e6e8_2092, // books.replace
    0x0d57_42cb_7929_03c9, // books.list
    0x120b_5d13_cca2_c640, // orders.create
    0x1231_e2bd_ce51_72b4, // carts.links
    0x1ab1_4d5b_7819_7348, // users.links_at
    0x1c33_a235_4009_b4ab, // users.create
    0x2232_f456_73e1_bcb7, // books.notes
    0x26ba_26ba_a091_b1ee, // orders.tags
    0x2a14_a003_0951_e087, // orders.replace
    #[cfg(feature = "extra")]
    0x32ce_3d3f_f54c_b8c6, // books.extra
    0x381c_a9ad_072a_65a3, // books.tags
    0x480e_412d_52a5_e92e, // books.delete
    0x5159_407d_e9f2_4a06, // carts.tags
    0x62a9_60a3_c085_aa8a, // books.links_at
    0x64ef_f20c_1c82_56e0, // carts.notes
    0x6d34_46b8_a6da_3fe7, // orders.tags_at
    0x738f_9d11_278d_8178, // carts.create
    0x7423_9ee9_767b_48ec, // orders.links
    0x7e08_8394_1204_f293, // books.links
    0x8c50_0115_dbb3_a0b1, // books.create
    0x9382_3713_30c9_c76c, // users.notes_at
    0x9416_5732_d7b0_1c10, // users.tags_at
    0x9faa_cebe_26fb_15e1, // users.links
    0xa2bf_ac05_044b_32f3, // users.list
    0xa72e_dd83_03a1_f2b6, // orders.show
    0xb10f_2a8a_8406_5ce8, // orders.notes
    0xb13d_678c_96fb_3f32, // books.tags_at
    0xb14c_5fa6_5ef3_9933, // carts.notes_at
    0xbdd2_5435_f724_b4b9, // books.show
    0xbeb8_69cb_d8ac_c188, // carts.list
    0xc1c1_56f3_93a1_4d93, // orders.delete
    0xcc84_4134_37a3_6010, // orders.list
    0xd00a_8db2_68b6_2aa9, // carts.delete
    0xd108_af0e_9b0c_4c9f, // carts.links_at
    0xd1f5_9b71_2e16_c475, // carts.replace
    0xd80a_ae95_a8e5_57f6, // books.notes_at
    #[cfg(feature = "extra")]
    0xda02_c2aa_c8ae_5d1b, // zoo
    0xdedf_55f8_1557_847c, // users.replace
    0xed30_d9fc_7fb6_d9dd, // carts.tags_at
    0xf04f_4f16_5323_704d, // users.notes
    0xf1d9_d83f_a9e9_4240, // users.delete
    0xf59a_6497_80a6_80e1, // users.tags
    0xfbf4_4cc1_f0c6_8e4e, // carts.show
];
