//! An application whose handler does what the path says, a letter at a time: it yields, reads, answers, panics, fails. It waits for nothing but
//! the client.

use std::panic::resume_unwind;

use http::{HeaderName, StatusCode};
use pw_conformance::draw::Draw;
use pw_core::route::{Leaf, Node};
use pw_core::{
    Body, Exchange, FieldValue, Match, Middleware, Next, Path, Problem, Recover, RequestHead, RequestId, Route, Table,
    codegen,
};

static ROUTES: [Route; 2] = [
    Route::new("get", "GET", "/do/{steps}", "behaviour").with_params(&["steps"]),
    Route::new("post", "POST", "/do/{steps}", "behaviour")
        .with_params(&["steps"])
        .with_body_limit(1500),
];
static ROOT: Node =
    Node::new().literals(&[Node::literal("do").param(&Node::new().leaf(&Leaf::new(&[("GET", 0), ("POST", 1)])))]);
static TABLE: Table = Table::new(&ROUTES, &ROOT, &[]);

/// The end of the chain.
pub(crate) struct Behaviour;

impl Behaviour {
    /// A path for a behaviour that is drawn.
    pub(crate) fn path(draw: &mut Draw<'_>) -> String {
        const STEPS: &[u8] = b"tuyrrpowbsfcnvxe";
        let steps: String = (0..draw.below(6)).map(|_| char::from(*draw.pick(STEPS))).collect();
        format!("/do/a{steps}")
    }
}

impl<E: Exchange> Next<E> for Behaviour {
    async fn run(self, head: &E::Head, cx: &mut E) -> Result<(), Problem> {
        if !matches!(codegen::found(head), Match::Route(_)) {
            return codegen::unrouted(head, cx.reply());
        }
        let Path(steps): Path<&str> = codegen::head(head)?;
        for step in steps.chars() {
            take(step, head, cx).await?;
        }
        Ok(())
    }
}

/// One step of a behaviour. Letters that are none mean nothing.
async fn take<E: Exchange>(step: char, head: &E::Head, cx: &mut E) -> Result<(), Problem> {
    let (body, reply) = cx.split();
    match step {
        'y' => tokio::task::yield_now().await,
        'r' => {
            let body = body.read(usize::MAX).await?;
            reply.buffer().extend_from_slice(body);
        }
        // What can't be read is no reason not to answer.
        'p' => match body.read(10).await {
            Ok(body) => reply.buffer().extend_from_slice(body),
            Err(problem) => reply.buffer().extend_from_slice(problem.status().as_str().as_bytes()),
        },
        'w' => reply.buffer().extend_from_slice(&[b'w'; 300]),
        'b' => reply.buffer().extend_from_slice(&[b'b'; 17_000]),
        's' => reply.set_content(&b"shared"[..]),
        'o' => reply.set_content(vec![b'o'; 40_000]),
        'f' => reply.append(HeaderName::from_static("x-field"), FieldValue::from(7)),
        'n' => reply.set_status(StatusCode::NO_CONTENT),
        't' => reply.set_status(StatusCode::RESET_CONTENT),
        'u' => reply.set_status(StatusCode::NOT_MODIFIED),
        'c' => reply.close_connection(),
        'v' => {
            let seen = format!("{} {} {:?}", head.method(), head.path(), head.version());
            reply.buffer().extend_from_slice(seen.as_bytes());
        }
        // Without the hook, which under a fuzzer ends the process.
        'x' => resume_unwind(Box::new("this handler does")),
        'e' => return Err(Problem::internal("this handler fails")),
        _ => {}
    }
    Ok(())
}

/// The application on `pw-hyper`.
pub(crate) struct OnHyper;

impl pw_hyper::Service for OnHyper {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &pw_hyper::Head, cx: &mut pw_hyper::Exchange) -> Result<(), Problem> {
        (RequestId, Recover).around(head, cx, Behaviour).await
    }
}

/// The application on `pw-fast`.
pub(crate) struct OnFast;

impl pw_fast::Service for OnFast {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &pw_fast::Head, cx: &mut pw_fast::Exchange) -> Result<(), Problem> {
        (RequestId, Recover).around(head, cx, Behaviour).await
    }
}
