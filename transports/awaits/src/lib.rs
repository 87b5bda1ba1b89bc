//! An application whose handlers await what people use most: a database pool of `sqlx`'s and a client of `reqwest`'s. Both are made once, on the
//! runtime the server is started on, and used from wherever handlers run: on `pw-fast` that is another runtime on another thread.
//!
//! `cargo test` here (a workspace of its own) runs it on every transport. The same without these two crates is in the suite of
//! `pw-conformance`.

use std::net::SocketAddr;
use std::sync::Arc;

use pw_core::route::{Leaf, Node};
use pw_core::{
    Exchange, HeadBuffer, Match, Middleware, Next, Path, Problem, Recover, RequestId, Respond, Route, Table, codegen,
};
use sqlx::SqlitePool;
use sqlx::sqlite::SqlitePoolOptions;

static ROUTES: [Route; 3] = [
    Route::new("count", "GET", "/count/{name}", "awaits::count").with_params(&["name"]),
    Route::new("fetch", "GET", "/fetch/{name}", "awaits::fetch").with_params(&["name"]),
    Route::new("plain", "GET", "/plain/{name}", "awaits::plain").with_params(&["name"]),
];
static ROOT: Node = Node::new().literals(&[
    Node::literal("count").param(&Node::new().leaf(&Leaf::new(&[("GET", 0)]))),
    Node::literal("fetch").param(&Node::new().leaf(&Leaf::new(&[("GET", 1)]))),
    Node::literal("plain").param(&Node::new().leaf(&Leaf::new(&[("GET", 2)]))),
]);
static TABLE: Table = Table::new(&ROUTES, &ROOT, &[]);

/// The application.
#[derive(Debug)]
pub struct Application {
    pool: SqlitePool,
    client: reqwest::Client,
    /// Where `/fetch` fetches from.
    origin: SocketAddr,
}

impl Application {
    /// Builds it on the runtime that is entered, with a database in memory. `/fetch` asks `origin`.
    ///
    /// # Errors
    /// The database can't be made.
    pub async fn new(origin: SocketAddr) -> Result<Arc<Self>, sqlx::Error> {
        // One connection: each would have a database in memory of its own. Handlers wait for it in turns.
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .connect("sqlite::memory:")
            .await?;
        sqlx::query("create table seen (name text primary key, count integer not null)")
            .execute(&pool)
            .await?;
        Ok(Arc::new(Self {
            pool,
            client: reqwest::Client::new(),
            origin,
        }))
    }

    /// How often a name was asked for, this time included.
    async fn count(&self, name: &str) -> Result<i64, sqlx::Error> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query("insert into seen values (?, 1) on conflict (name) do update set count = count + 1")
            .bind(name)
            .execute(&mut *transaction)
            .await?;
        let count = sqlx::query_scalar("select count from seen where name = ?")
            .bind(name)
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(count)
    }

    /// What the origin says of a name.
    async fn fetch(&self, name: &str) -> Result<String, reqwest::Error> {
        let response = self
            .client
            .get(format!("http://{}/plain/{name}", self.origin))
            .send()
            .await?;
        response.error_for_status()?.text().await
    }
}

/// The end of the chain.
struct Handlers<'a>(&'a Application);

impl<E: Exchange> Next<E> for Handlers<'_> {
    async fn run(self, head: &E::Head, cx: &mut E) -> Result<(), Problem> {
        match codegen::found(head) {
            Match::Route(0) => {
                let Path(name): Path<&str> = codegen::head(head)?;
                self.0.count(name).await?.to_string().respond(cx.reply())
            }
            Match::Route(1) => {
                let Path(name): Path<&str> = codegen::head(head)?;
                self.0.fetch(name).await?.respond(cx.reply())
            }
            Match::Route(2) => {
                let Path(name): Path<&str> = codegen::head(head)?;
                format!("plain {name}").respond(cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }
}

/// The application on `pw-hyper`.
#[derive(Debug)]
pub struct OnHyper(pub Arc<Application>);

impl pw_hyper::Service for OnHyper {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &HeadBuffer, cx: &mut pw_hyper::Exchange) -> Result<(), Problem> {
        (RequestId, Recover).around(head, cx, Handlers(&self.0)).await
    }
}

/// The application on `pw-fast`.
#[derive(Debug)]
pub struct OnFast(pub Arc<Application>);

impl pw_fast::Service for OnFast {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &HeadBuffer, cx: &mut pw_fast::Exchange) -> Result<(), Problem> {
        (RequestId, Recover).around(head, cx, Handlers(&self.0)).await
    }
}
