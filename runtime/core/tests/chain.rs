//! The chain around a handler, on an exchange of no transport: order, request ids, recovery.

use std::cell::RefCell;
use std::time::Instant;

use pw_core::{
    Body, FieldValue, HeadBuffer, Middleware, Next, Problem, Recover, Reply, RequestHead, RequestId, X_REQUEST_ID,
};

#[derive(Default)]
struct Head(HeadBuffer);

impl RequestHead for Head {
    fn buffer(&self) -> &HeadBuffer {
        &self.0
    }
}

#[derive(Default)]
struct Empty;

impl Body for Empty {
    async fn read(&mut self, _: usize) -> Result<&[u8], Problem> {
        Ok(&[])
    }

    async fn chunk(&mut self) -> Result<Option<&[u8]>, Problem> {
        Ok(None)
    }
}

#[derive(Default)]
struct Exchange {
    body: Empty,
    reply: Reply,
}

impl pw_core::Exchange for Exchange {
    type Head = Head;
    type Body = Empty;

    fn split(&mut self) -> (&mut Empty, &mut Reply) {
        (&mut self.body, &mut self.reply)
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }
}

struct Handler<F>(F);

impl<F: FnOnce(&mut Reply) -> Result<(), Problem>> Next<Exchange> for Handler<F> {
    async fn run(self, _: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        // The chain must get over a handler that waits.
        tokio::task::yield_now().await;
        (self.0)(&mut cx.reply)
    }
}

/// What a chain makes of a handler, where the request came with an id or without.
fn outcome(
    chain: impl Middleware,
    id: Option<&str>,
    handler: impl FnOnce(&mut Reply) -> Result<(), Problem>,
) -> (Result<(), Problem>, Reply) {
    let (mut head, mut exchange) = (Head::default(), Exchange::default());
    if let Some(id) = id {
        head.0.push_field("x-request-id", id.as_bytes());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let result = runtime.block_on(chain.around(&head, &mut exchange, Handler(handler)));
    (result, exchange.reply)
}

fn default_chain() -> impl Middleware {
    (RequestId, Recover)
}

fn id(reply: &Reply) -> &str {
    std::str::from_utf8(reply.field(&X_REQUEST_ID).expect("every answer has one")).unwrap()
}

thread_local! {
    static SEEN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

fn see(what: impl Into<String>) {
    SEEN.with_borrow_mut(|seen| seen.push(what.into()));
}

/// Notes when it is entered and left.
struct Noted(&'static str);

impl Middleware for Noted {
    async fn around<E: pw_core::Exchange, N: Next<E>>(
        &self,
        head: &E::Head,
        cx: &mut E,
        next: N,
    ) -> Result<(), Problem> {
        see(format!("into {}", self.0));
        let outcome = next.run(head, cx).await;
        see(format!("out of {}", self.0));
        outcome
    }
}

#[test]
fn the_first_is_the_outermost_however_pairs_are_nested() {
    let handler = |_: &mut Reply| {
        see("handler");
        Ok(())
    };
    let expected = [
        "into a", "into b", "into c", "handler", "out of c", "out of b", "out of a",
    ];
    let (right, left, flat) = (
        (Noted("a"), (Noted("b"), Noted("c"))),
        ((Noted("a"), Noted("b")), ((), Noted("c"))),
        ((), Noted("a"), (), (), (Noted("b"), Noted("c"), ()), (), (), ()),
    );
    outcome(flat, None, handler).0.unwrap();
    assert_eq!(SEEN.take(), expected);
    outcome(right, None, handler).0.unwrap();
    assert_eq!(SEEN.take(), expected);
    outcome(left, None, handler).0.unwrap();
    assert_eq!(SEEN.take(), expected);
}

#[test]
fn without_recover_a_problem_is_the_transports() {
    let (result, reply) = outcome((), None, |_| Err(Problem::not_found()));
    assert_eq!(result.unwrap_err().status(), 404);
    assert_eq!(reply.status(), 200, "nobody wrote it");
}

#[test]
fn an_answer_carries_the_requests_id_or_a_new_one() {
    let (result, reply) = outcome(default_chain(), Some("mine"), |_| Ok(()));
    assert!(result.is_ok());
    assert_eq!(id(&reply), "mine");
    for bad in ["", " a", &"x".repeat(129)] {
        let (_, reply) = outcome(default_chain(), Some(bad), |_| Ok(()));
        assert!(id(&reply).len() == 32 && id(&reply).bytes().all(|b| b.is_ascii_hexdigit()));
    }
    let (_, reply) = outcome(default_chain(), Some("mine"), |reply| {
        reply.append(X_REQUEST_ID, FieldValue::from_static("the handler's"));
        Ok(())
    });
    assert_eq!(id(&reply), "mine");
    assert_eq!(reply.fields().count(), 1);
    // Twice in one chain: the application's own, and that of what it is composed with.
    let (_, reply) = outcome((RequestId, default_chain()), Some("mine"), |_| Ok(()));
    assert_eq!(id(&reply), "mine");
    assert_eq!(reply.fields().count(), 1);
}

#[test]
fn an_error_takes_the_place_of_what_was_written_and_keeps_the_id() {
    let (result, reply) = outcome(default_chain(), Some("mine"), |reply| {
        reply.insert(http::header::ETAG, FieldValue::from_static("\"1\""));
        reply.buffer().extend_from_slice(b"half an answ");
        Err(Problem::bad_request("no"))
    });
    assert!(result.is_ok(), "it is answered");
    assert_eq!((reply.status().as_u16(), id(&reply)), (400, "mine"));
    assert_eq!(reply.field(&http::header::ETAG), None);
    assert!(
        reply
            .content()
            .starts_with(b"{\"type\":\"urn:polywire:problem:bad-request\"")
    );
    // An outer middleware's error, where nothing recovers: the id stands outside.
    let (_, reply) = outcome(RequestId, Some("mine"), |_| Err(Problem::not_found()));
    assert_eq!((reply.status().as_u16(), id(&reply)), (404, "mine"));
}

#[test]
fn a_panic_is_a_500_that_says_nothing_of_it() {
    for panic in [|| panic!("a secret"), || std::panic::panic_any(7)] {
        let (result, reply) = outcome(default_chain(), Some("mine"), move |reply| {
            reply.buffer().extend_from_slice(b"a secret");
            panic()
        });
        assert!(result.is_ok(), "it is answered");
        assert_eq!((reply.status().as_u16(), id(&reply)), (500, "mine"));
        let document = String::from_utf8(reply.content().to_vec()).unwrap();
        assert!(
            document.contains("internal-server-error") && !document.contains("secret"),
            "{document}"
        );
    }
}
