//! An application without a route, which documentation runs its examples against.

use pw_core::route::{Node, Table};
use pw_core::{Middleware, Next, Problem, codegen};
use pw_hyper::{Exchange, Head, Service};

use crate::DefaultChain;

/// Answers 404 to everything.
#[derive(Default)]
pub struct Nothing {
    chain: DefaultChain,
}

static ROOT: Node = Node::new();
static TABLE: Table = Table::new(&[], &ROOT, &[]);

impl Nothing {
    /// The application.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Service for Nothing {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        self.chain.around(head, cx, Unrouted).await
    }
}

struct Unrouted;

impl Next<Exchange> for Unrouted {
    async fn run(self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        use pw_core::Exchange as _;
        codegen::unrouted(head, cx.reply())
    }
}
