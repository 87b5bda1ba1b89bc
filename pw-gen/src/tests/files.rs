//! Small source trees, and the files they make.

use expect_test::expect;

use super::SourceTree;

#[test]
fn an_application_of_one_file() {
    let tree = SourceTree::new(
        r#"
//- src/main.rs
use polywire::prelude::*;
polywire::generated! { state: Db }

#[route(GET, "/")]
async fn index() -> &'static str { "ok" }

#[route(GET, "/users/{id}", timeout = "500ms")]
async fn show_user(Path(id): Path<u64>, State(db): State<'_, Db>) -> Json<User> { todo!() }

#[route(POST, "/users", body_limit = "64 KiB")]
async fn create_user(head: &impl RequestHead, Json(user): Json<User>) -> StatusCode { todo!() }

#[route("PURGE", "/cache/{*path}")]
async fn purge(cx: &mut impl Exchange, Path(path): Path<&str>) -> Result<(), Problem> { todo!() }

#[cfg(feature = "admin")]
mod admin {
    #[polywire::route(GET, "/admin", name = "admin.index")]
    pub(super) async fn index() {}
    #[cfg(unix)]
    #[polywire::route(POST, "/admin", name = "admin.post")]
    pub(super) async fn post() {}
}

#[cfg(unix)]
#[route(GET, "/pid")]
async fn pid() {}
#[cfg(not(unix))]
#[route(GET, "/pid", name = "pid")]
async fn no_pid() {}
"#,
    );
    expect![[r#"
        //! Written by `cargo xtask generate`: do not edit. The routes of `app`.

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

        /// The application: what stands around and behind its 8 routes.
        pub struct Routes {
            chain: polywire::DefaultChain,
            state: crate::Db,
        }

        impl Routes {
            /// The default chain, and the state that handlers borrow.
            pub fn new(state: crate::Db) -> Self {
                Self {
                    chain: polywire::DefaultChain::default(),
                    state,
                }
            }
        }

        /// Where each route stands in `ROUTES`.
        mod at {
            pub(super) const INDEX: usize = 0;
            pub(super) const PURGE: usize = 1;
            pub(super) const CREATE_USER: usize = 2;
            pub(super) const SHOW_USER: usize = 3;
            #[cfg(all(feature = "admin", unix))]
            pub(super) const ADMIN_POST: usize = 4;
            #[cfg(feature = "admin")]
            pub(super) const ADMIN_INDEX: usize = 4
                + cfg!(all(feature = "admin", unix)) as usize;
            #[cfg(not(unix))]
            pub(super) const PID: usize = 4 + cfg!(feature = "admin") as usize;
            #[cfg(unix)]
            pub(super) const PID: usize = 4 + cfg!(all(feature = "admin", unix)) as usize
                + cfg!(feature = "admin") as usize;
        }

        /// Every route, by pattern and method.
        static ROUTES: &[Route] = &[
            Route::new("index", "GET", "/", "app::index"),
            Route::new("purge", "PURGE", "/cache/{*path}", "app::purge").with_params(&["path"]),
            Route::new("create_user", "POST", "/users", "app::create_user")
                .with_body_limit(65_536),
            Route::new("show_user", "GET", "/users/{id}", "app::show_user")
                .with_params(&["id"])
                .with_timeout(Duration::from_millis(500)),
            #[cfg(all(feature = "admin", unix))]
            Route::new("admin.post", "POST", "/admin", "app::admin::post"),
            #[cfg(feature = "admin")]
            Route::new("admin.index", "GET", "/admin", "app::admin::index"),
            #[cfg(not(unix))]
            Route::new("pid", "GET", "/pid", "app::no_pid"),
            #[cfg(unix)]
            Route::new("pid", "GET", "/pid", "app::pid"),
        ];

        /// `/users` and what may follow it.
        const USERS: Node = Node::literal("users")
            .leaf(&Leaf::new(&[("POST", at::CREATE_USER)]))
            .param(&Node::new().leaf(&Leaf::new(&[("GET", at::SHOW_USER)])));

        /// What may follow the first slash of a path.
        static ROOT: Node = Node::new()
            .slash(&Leaf::new(&[("GET", at::INDEX)]))
            .literals(&[
                Node::literal("admin")
                    .leaf(&Leaf::new(&[
                        #[cfg(feature = "admin")]
                        ("GET", at::ADMIN_INDEX),
                        #[cfg(all(feature = "admin", unix))]
                        ("POST", at::ADMIN_POST),
                    ])),
                Node::literal("cache").rest(&Leaf::new(&[("PURGE", at::PURGE)])),
                Node::literal("pid")
                    .leaf(&Leaf::new(&[
                        #[cfg(not(unix))]
                        ("GET", at::PID),
                        #[cfg(unix)]
                        ("GET", at::PID),
                    ])),
                USERS,
            ]);

        /// What the transport asks which route a request is for.
        static TABLE: Table = Table::new(ROUTES, &ROOT, &["PURGE"]);

        /// What `generated!` compares with its own options.
        pub const OPTIONS: u64 = 0xc1da_73b6_23a0_dd3c;

        /// What each `#[route]` looks up to know that it is in here, as it is now.
        pub const FINGERPRINTS: &[u64] = &[
            #[cfg(all(feature = "admin", unix))]
            0x20ae_a5cf_d4ae_31f6, // admin.post
            0x4117_b460_e81e_49c4, // index
            #[cfg(feature = "admin")]
            0x55c5_7c4a_d754_6290, // admin.index
            0x7ceb_4dcf_4c3a_837e, // create_user
            0xb47f_2950_4460_0cdf, // purge
            #[cfg(not(unix))]
            0xd4a4_41cd_476e_06e6, // pid
            0xe8db_0276_fb65_4440, // show_user
            #[cfg(unix)]
            0xefb0_bd63_ad1d_eb74, // pid
        ];
    "#]]
    .assert_eq(&tree.file("mod.rs"));
    expect![[r#"
        //! Written by `cargo xtask generate`: do not edit. The handlers of `app` on the hyper transport.

        use std::time::Duration;

        use polywire::codegen::hyper::{Exchange, Head, Service};
        use polywire::codegen::{
            self, Exchange as _, Match, Middleware, Next, Problem, Respond, Table,
        };

        use super::{Routes, TABLE, at};

        impl Service for Routes {
            fn table(&self) -> &'static Table {
                &TABLE
            }

            async fn call(&self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
                Middleware::around(&self.chain, head, cx, Handlers(self)).await
            }
        }

        /// The end of the chain: the handler of the route that was found.
        struct Handlers<'a>(&'a Routes);

        impl Next<Exchange> for Handlers<'_> {
            async fn run(self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
                match codegen::found(head) {
                    Match::Route(at::INDEX) => {
                        let answer = crate::index().await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                        Respond::respond_to(answer, head, cx.reply())
                    }
                    Match::Route(at::PURGE) => {
                        let answer = crate::purge(cx, codegen::head(head)?).await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                        Respond::respond_to(answer, head, cx.reply())
                    }
                    Match::Route(at::CREATE_USER) => {
                        let (body, reply) = cx.split();
                        let last = codegen::body();
                        let bytes = codegen::read(body, last.wants_body(head)?).await?;
                        let answer = crate::create_user(head, last.make(head, bytes)?).await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                        Respond::respond_to(answer, head, reply)
                    }
                    Match::Route(at::SHOW_USER) => {
                        let handler = async {
                            let answer = crate::show_user( // src/main.rs; moved or gone? Run `cargo xtask generate`
                                codegen::head(head)?,
                                codegen::state(&self.0.state),
                            )
                            .await;
                            Respond::respond_to(answer, head, cx.reply())
                        };
                        codegen::within(Duration::from_millis(500), handler).await
                    }
                    #[cfg(all(feature = "admin", unix))]
                    Match::Route(at::ADMIN_POST) => {
                        let answer = crate::admin::post().await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                        Respond::respond_to(answer, head, cx.reply())
                    }
                    #[cfg(feature = "admin")]
                    Match::Route(at::ADMIN_INDEX) => {
                        let answer = crate::admin::index().await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                        Respond::respond_to(answer, head, cx.reply())
                    }
                    #[cfg(not(unix))]
                    Match::Route(at::PID) => {
                        let answer = crate::no_pid().await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                        Respond::respond_to(answer, head, cx.reply())
                    }
                    #[cfg(unix)]
                    Match::Route(at::PID) => {
                        let answer = crate::pid().await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                        Respond::respond_to(answer, head, cx.reply())
                    }
                    _ => codegen::unrouted(head, cx.reply()),
                }
            }
        }
    "#]].assert_eq(&tree.file("hyper.rs"));
    // The other transports' binders are the same text, but for the name in the header and the path.
    let fast = tree.file("hyper.rs").replacen("hyper", "fast", 2);
    assert_eq!(tree.file("fast.rs"), fast);
    assert!(!fast.contains("hyper"));
}
