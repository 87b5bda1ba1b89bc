//! Written by `cargo xtask generate`: do not edit. The routes of `pw-gen-golden-shop`.

// A build without any transport uses little of this.
#![allow(dead_code)]

use std::time::Duration;

use polywire::codegen::{Leaf, Node, Route, Table};

polywire::if_hyper! {
    mod hyper; // gone? Run `cargo xtask generate`
}

polywire::if_fast! {
    mod fast; // gone? Run `cargo xtask generate`
}

const _: () = assert!(
    ::accounts::generated::DIGEST == 0x8ea4_fa2e_6487_5630,
    "the routes of `accounts` have changed: run `cargo xtask generate`"
);

/// The application: what stands around and behind its 35 routes.
pub struct Routes {
    chain: crate::Chain,
    state: crate::Shop,
}

impl Routes {
    /// The chain around every handler, and the state that handlers borrow.
    pub fn new(chain: crate::Chain, state: crate::Shop) -> Self {
        Self { chain, state }
    }
}

/// Where each route stands in `ROUTES`.
mod at {
    pub(super) const INDEX: usize = 0;
    pub(super) const ACCOUNTS_LIMIT: usize = 1;
    pub(super) const ACCOUNTS_SHOW: usize = 2;
    pub(super) const AGENT: usize = 3;
    pub(super) const ECHO: usize = 4;
    pub(super) const GENERIC: usize = 5;
    pub(super) const HEAD: usize = 6;
    pub(super) const LENGTH: usize = 7;
    pub(super) const NAMED: usize = 8;
    pub(super) const NOTE: usize = 9;
    pub(super) const ONE: usize = 10;
    pub(super) const QUERY: usize = 11;
    pub(super) const RAW: usize = 12;
    pub(super) const TWO: usize = 13;
    pub(super) const RAW_NAME: usize = 14;
    pub(super) const ITEMS_FORM: usize = 15;
    pub(super) const ITEMS_SHOW: usize = 16;
    pub(super) const ITEMS_PUT: usize = 17;
    pub(super) const ITEMS_SLASH: usize = 18;
    pub(super) const ITEMS_WAIT: usize = 19;
    pub(super) const BROWSE: usize = 20;
    pub(super) const PURGE: usize = 21;
    pub(super) const ELSEWHERE: usize = 22;
    pub(super) const INLINE_ROUTE: usize = 23;
    pub(super) const BELOW_ROUTE: usize = 24;
    pub(super) const DEEP_ROUTE: usize = 25;
    pub(super) const PAGE: usize = 26;
    #[cfg(all(feature = "admin", feature = "search"))]
    pub(super) const ADMIN_SEARCH: usize = 27;
    #[cfg(all(feature = "admin", not(feature = "search")))]
    pub(super) const ADMIN_NOTHING: usize = 27;
    #[cfg(feature = "admin")]
    pub(super) const ADMIN: usize = 27
        + cfg!(all(feature = "admin", feature = "search")) as usize
        + cfg!(all(feature = "admin", not(feature = "search"))) as usize;
    #[cfg(feature = "search")]
    pub(super) const SEARCH_FORM: usize = 27
        + cfg!(all(feature = "admin", feature = "search")) as usize
        + cfg!(feature = "admin") as usize;
    #[cfg(feature = "search")]
    pub(super) const SEARCH: usize = 28
        + cfg!(all(feature = "admin", feature = "search")) as usize
        + cfg!(feature = "admin") as usize;
    #[cfg(not(unix))]
    pub(super) const PLATFORM: usize = 27
        + cfg!(all(feature = "admin", feature = "search")) as usize
        + cfg!(all(feature = "admin", not(feature = "search"))) as usize
        + cfg!(feature = "admin") as usize + 2 * cfg!(feature = "search") as usize;
    #[cfg(unix)]
    pub(super) const ACCOUNTS_UNIX: usize = 27
        + cfg!(all(feature = "admin", feature = "search")) as usize
        + cfg!(all(feature = "admin", not(feature = "search"))) as usize
        + cfg!(feature = "admin") as usize + 2 * cfg!(feature = "search") as usize;
    #[cfg(unix)]
    pub(super) const PLATFORM: usize = 28
        + cfg!(all(feature = "admin", feature = "search")) as usize
        + cfg!(all(feature = "admin", not(feature = "search"))) as usize
        + cfg!(feature = "admin") as usize + 2 * cfg!(feature = "search") as usize;
}

/// Every route, by pattern and method.
static ROUTES: &[Route] = &[
    Route::new("index", "GET", "/", "pw_gen_golden_shop::index"),
    Route::new("accounts.limit", "GET", "/accounts", "pw_gen_golden_accounts::limit"),
    Route::new(
        "accounts.show",
        "GET",
        "/accounts/{id}",
        "pw_gen_golden_accounts::users::show",
    )
    .with_params(&["id"]),
    Route::new("agent", "GET", "/args/agent", "pw_gen_golden_shop::args::agent"),
    Route::new("echo", "POST", "/args/echo", "pw_gen_golden_shop::args::echo"),
    Route::new(
        "generic",
        "POST",
        "/args/generic/{name}",
        "pw_gen_golden_shop::args::generic",
    )
    .with_params(&["name"])
    .with_timeout(Duration::from_secs(3600)),
    Route::new("head", "GET", "/args/head/{id}", "pw_gen_golden_shop::args::head")
        .with_params(&["id"]),
    Route::new("length", "POST", "/args/length", "pw_gen_golden_shop::args::length"),
    Route::new(
        "named",
        "GET",
        "/args/named/{street}/{city}",
        "pw_gen_golden_shop::args::named",
    )
    .with_params(&["street", "city"]),
    Route::new("note", "POST", "/args/note/{id}", "pw_gen_golden_shop::args::note")
        .with_params(&["id"])
        .with_body_limit(64),
    Route::new("one", "GET", "/args/one/{id}", "pw_gen_golden_shop::args::one")
        .with_params(&["id"]),
    Route::new("query", "GET", "/args/query", "pw_gen_golden_shop::args::query"),
    Route::new("raw", "POST", "/args/raw/{name}", "pw_gen_golden_shop::args::raw")
        .with_params(&["name"]),
    Route::new("two", "GET", "/args/two/{a}/{b}", "pw_gen_golden_shop::args::two")
        .with_params(&["a", "b"]),
    Route::new("raw-name", "GET", "/args/type", "pw_gen_golden_shop::args::r#type"),
    Route::new(
        "items.form",
        "GET",
        "/catalog/items/new",
        "pw_gen_golden_shop::catalog::items::form",
    ),
    Route::new(
        "items.show",
        "GET",
        "/catalog/items/{id}",
        "pw_gen_golden_shop::catalog::items::show",
    )
    .with_params(&["id"])
    .with_timeout(Duration::from_secs(5)),
    Route::new(
        "items.put",
        "PUT",
        "/catalog/items/{id}",
        "pw_gen_golden_shop::catalog::items::put",
    )
    .with_params(&["id"])
    .with_body_limit(8)
    .with_timeout(Duration::from_secs(120)),
    Route::new(
        "items.slash",
        "GET",
        "/catalog/items/{id}/",
        "pw_gen_golden_shop::catalog::items::slash",
    )
    .with_params(&["id"]),
    Route::new(
        "items.wait",
        "POST",
        "/catalog/items/{id}/wait",
        "pw_gen_golden_shop::catalog::items::wait",
    )
    .with_params(&["id"])
    .with_timeout(Duration::from_millis(20)),
    Route::new(
        "browse",
        "GET",
        "/catalog/{*path}",
        "pw_gen_golden_shop::catalog::browse",
    )
    .with_params(&["path"]),
    Route::new(
        "purge",
        "PURGE",
        "/catalog/{*path}",
        "pw_gen_golden_shop::catalog::purge",
    )
    .with_params(&["path"]),
    Route::new(
        "elsewhere",
        "GET",
        "/elsewhere",
        "pw_gen_golden_shop::elsewhere::elsewhere",
    ),
    Route::new(
        "inline_route",
        "GET",
        "/inline",
        "pw_gen_golden_shop::inline::inline_route",
    ),
    Route::new(
        "below_route",
        "GET",
        "/inline/below",
        "pw_gen_golden_shop::inline::below::below_route",
    ),
    Route::new(
        "deep_route",
        "GET",
        "/inline/deep",
        "pw_gen_golden_shop::inline::deep::deep_route",
    ),
    Route::new("page", "GET", "/{page}", "pw_gen_golden_shop::conditions::page")
        .with_params(&["page"]),
    #[cfg(all(feature = "admin", feature = "search"))]
    Route::new(
        "admin.search",
        "GET",
        "/admin/search",
        "pw_gen_golden_shop::conditions::admin::search",
    ),
    #[cfg(all(feature = "admin", not(feature = "search")))]
    Route::new(
        "admin.nothing",
        "GET",
        "/admin/search",
        "pw_gen_golden_shop::conditions::admin::nothing",
    ),
    #[cfg(feature = "admin")]
    Route::new("admin", "GET", "/admin", "pw_gen_golden_shop::conditions::admin::admin"),
    #[cfg(feature = "search")]
    Route::new(
        "search.form",
        "GET",
        "/search",
        "pw_gen_golden_shop::conditions::search_form",
    ),
    #[cfg(feature = "search")]
    Route::new("search", "SEARCH", "/search", "pw_gen_golden_shop::conditions::search"),
    #[cfg(not(unix))]
    Route::new(
        "platform",
        "GET",
        "/platform",
        "pw_gen_golden_shop::conditions::other_platform",
    ),
    #[cfg(unix)]
    Route::new("accounts.unix", "GET", "/accounts/unix", "pw_gen_golden_accounts::unix"),
    #[cfg(unix)]
    Route::new(
        "platform",
        "GET",
        "/platform",
        "pw_gen_golden_shop::conditions::platform",
    ),
];

/// `/accounts` and what may follow it.
const ACCOUNTS: Node = Node::literal("accounts")
    .leaf(&Leaf::new(&[("GET", at::ACCOUNTS_LIMIT)]))
    .literals(&[
        Node::literal("unix")
            .leaf(&Leaf::new(&[#[cfg(unix)] ("GET", at::ACCOUNTS_UNIX)])),
    ])
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::ACCOUNTS_SHOW)])));

/// `/admin` and what may follow it.
const ADMIN: Node = Node::literal("admin")
    .leaf(&Leaf::new(&[#[cfg(feature = "admin")] ("GET", at::ADMIN)]))
    .literals(&[
        Node::literal("search")
            .leaf(&Leaf::new(&[
                #[cfg(all(feature = "admin", feature = "search"))]
                ("GET", at::ADMIN_SEARCH),
                #[cfg(all(feature = "admin", not(feature = "search")))]
                ("GET", at::ADMIN_NOTHING),
            ])),
    ]);

/// `/args` and what may follow it.
const ARGS: Node = Node::literal("args")
    .literals(&[
        Node::literal("agent").leaf(&Leaf::new(&[("GET", at::AGENT)])),
        Node::literal("echo").leaf(&Leaf::new(&[("POST", at::ECHO)])),
        Node::literal("generic")
            .param(&Node::new().leaf(&Leaf::new(&[("POST", at::GENERIC)]))),
        Node::literal("head")
            .param(&Node::new().leaf(&Leaf::new(&[("GET", at::HEAD)]))),
        Node::literal("length").leaf(&Leaf::new(&[("POST", at::LENGTH)])),
        Node::literal("named")
            .param(
                &Node::new()
                    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::NAMED)]))),
            ),
        Node::literal("note")
            .param(&Node::new().leaf(&Leaf::new(&[("POST", at::NOTE)]))),
        Node::literal("one")
            .param(&Node::new().leaf(&Leaf::new(&[("GET", at::ONE)]))),
        Node::literal("query").leaf(&Leaf::new(&[("GET", at::QUERY)])),
        Node::literal("raw")
            .param(&Node::new().leaf(&Leaf::new(&[("POST", at::RAW)]))),
        Node::literal("two")
            .param(
                &Node::new()
                    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::TWO)]))),
            ),
        Node::literal("type").leaf(&Leaf::new(&[("GET", at::RAW_NAME)])),
    ]);

/// `/catalog/items/{param}` and what may follow it.
const CATALOG_ITEMS_PARAM: Node = Node::new()
    .leaf(&Leaf::new(&[("GET", at::ITEMS_SHOW), ("PUT", at::ITEMS_PUT)]))
    .slash(&Leaf::new(&[("GET", at::ITEMS_SLASH)]))
    .literals(&[Node::literal("wait").leaf(&Leaf::new(&[("POST", at::ITEMS_WAIT)]))]);

/// `/catalog/items` and what may follow it.
const CATALOG_ITEMS: Node = Node::literal("items")
    .literals(&[Node::literal("new").leaf(&Leaf::new(&[("GET", at::ITEMS_FORM)]))])
    .param(&CATALOG_ITEMS_PARAM);

/// `/catalog` and what may follow it.
const CATALOG: Node = Node::literal("catalog")
    .rest(&Leaf::new(&[("GET", at::BROWSE), ("PURGE", at::PURGE)]))
    .literals(&[CATALOG_ITEMS]);

/// `/inline` and what may follow it.
const INLINE: Node = Node::literal("inline")
    .leaf(&Leaf::new(&[("GET", at::INLINE_ROUTE)]))
    .literals(&[
        Node::literal("below").leaf(&Leaf::new(&[("GET", at::BELOW_ROUTE)])),
        Node::literal("deep").leaf(&Leaf::new(&[("GET", at::DEEP_ROUTE)])),
    ]);

/// What may follow the first slash of a path.
static ROOT: Node = Node::new()
    .slash(&Leaf::new(&[("GET", at::INDEX)]))
    .literals(&[
        ACCOUNTS,
        ADMIN,
        ARGS,
        CATALOG,
        Node::literal("elsewhere").leaf(&Leaf::new(&[("GET", at::ELSEWHERE)])),
        INLINE,
        Node::literal("platform")
            .leaf(&Leaf::new(&[
                #[cfg(not(unix))]
                ("GET", at::PLATFORM),
                #[cfg(unix)]
                ("GET", at::PLATFORM),
            ])),
        Node::literal("search")
            .leaf(&Leaf::new(&[
                #[cfg(feature = "search")]
                ("GET", at::SEARCH_FORM),
                #[cfg(feature = "search")]
                ("SEARCH", at::SEARCH),
            ])),
    ])
    .param(&Node::new().leaf(&Leaf::new(&[("GET", at::PAGE)])));

/// What the transport asks which route a request is for.
static TABLE: Table = Table::new(
    ROUTES,
    &ROOT,
    &["PURGE", #[cfg(feature = "search")] "SEARCH"],
);

/// What `generated!` compares with its own options.
pub const OPTIONS: u64 = 0x58a5_f901_003d_6bfd;

/// What each `#[route]` looks up to know that it is in here, as it is now.
pub const FINGERPRINTS: &[u64] = &[
    0x000c_9ef6_4495_8767, // browse
    0x0cf3_f75c_f90f_e0b2, // index
    0x1810_e820_1558_7d24, // named
    0x217e_bbc2_c121_f461, // head
    0x267a_0785_bdb1_0066, // elsewhere
    0x32fd_4b34_7078_eb91, // agent
    0x376f_28e8_39e0_5d56, // query
    0x472f_017d_93d0_05e7, // raw
    0x4a65_107b_3441_5304, // items.form
    0x59bb_8302_bb1a_9456, // page
    0x6394_ca71_4582_0d7c, // raw-name
    #[cfg(feature = "search")]
    0x6583_0873_a320_d6be, // search
    0x7369_ef78_21bc_717f, // one
    #[cfg(unix)]
    0x7aac_c02b_33f0_bc83, // platform
    #[cfg(all(feature = "admin", not(feature = "search")))]
    0xa2a0_9747_6e69_6158, // admin.nothing
    0xb54a_0ff1_0953_59c7, // deep_route
    #[cfg(feature = "admin")]
    0xbd2c_c0ef_baf5_98c4, // admin
    #[cfg(all(feature = "admin", feature = "search"))]
    0xbf24_9f42_bf0e_7e76, // admin.search
    0xc63f_2113_77a9_b8bb, // purge
    #[cfg(not(unix))]
    0xc6dc_c126_8e3f_ab42, // platform
    0xc86f_f6cc_7576_333f, // generic
    0xcc3c_0a9e_4441_b734, // length
    0xd30d_9c6e_5593_b238, // echo
    0xd69e_1be8_64a2_fc7c, // items.slash
    0xd835_98b7_917b_4eb1, // items.wait
    0xeb00_836c_5720_921f, // two
    #[cfg(feature = "search")]
    0xec9d_5bc1_c56e_fb13, // search.form
    0xf22f_a95f_aeda_0e55, // below_route
    0xf250_c468_9df5_acce, // inline_route
    0xf36f_00b5_0507_ab04, // items.show
    0xf7b5_8169_dda8_368a, // items.put
    0xff15_27b3_d3c8_d8ae, // note
];
