//! An application without a route, which documentation runs its examples against.

use pw_core::route::{Node, Table};
use pw_core::{Exchange, Middleware, Next, Problem, codegen};

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

macro_rules! bind {
    ($transport:ident) => {
        impl $transport::Service for Nothing {
            fn table(&self) -> &'static Table {
                &TABLE
            }

            async fn call(&self, head: &$transport::Head, cx: &mut $transport::Exchange) -> Result<(), Problem> {
                self.chain.around(head, cx, Unrouted).await
            }
        }
    };
}

#[cfg(feature = "transport-hyper")]
bind!(pw_hyper);
#[cfg(feature = "transport-fast")]
bind!(pw_fast);

struct Unrouted;

impl<E: Exchange> Next<E> for Unrouted {
    async fn run(self, head: &E::Head, cx: &mut E) -> Result<(), Problem> {
        codegen::unrouted(head, cx.reply())
    }
}
