//! The exchange that every transport has: its own body, a reply, and the route's deadline.
//!
//! A transport brings the body and the I/O; what happens between a head that is complete and a reply that is complete stands
//! here, once. It must not know how a body is read or an answer is written. The contract is in `exchange.rs`.

use std::time::Instant;

use crate::recover::{self, Panic};
use crate::{Body, Exchange, HeadBuffer, Problem, Reply, RequestHead};

/// One exchange of a transport whose bodies are `B`. Its head is a [`HeadBuffer`], kept beside it.
///
/// A transport goes through it in this order, for each request:
///
/// 1. It fills the head and calls [`HeadBuffer::find_route`], and gets [`body`](Self::body) ready to be read.
/// 2. [`begin`](Self::begin) notes what the route says of the exchange; the route's own limit, if it has one, goes to the body.
/// 3. It runs the application's chain inside [`Catch`](crate::recover::Catch), and hands what came of it to
///    [`complete`](Self::complete). The reply is then complete, whatever happened.
/// 4. It writes the reply, and sees to what is left of the body.
/// 5. [`recycle`](Self::recycle), and the body's own: the exchange is as new.
///
/// ```
/// use pw_core::recover::Catch;
/// use pw_core::{Body, HeadBuffer, Parts, Problem};
///
/// async fn exchange<B: Body>(
///     head: &HeadBuffer,
///     parts: &mut Parts<B>,
///     chain: impl AsyncFnOnce(&HeadBuffer, &mut Parts<B>) -> Result<(), Problem>,
/// ) {
///     if let Some(limit) = parts.begin(head) {
///         // The transport's own body is told of the limit here.
///         # let _ = limit;
///     }
///     let outcome = Catch::new(chain(head, parts)).await;
///     parts.complete(head, outcome);
/// }
/// ```
///
/// Wrong: `chain(head, parts).await` without the `Catch`. A panic then ends the connection's task, and the client sees its
/// connection die in place of a 500.
#[derive(Debug, Default)]
pub struct Parts<B> {
    /// The request's body.
    pub body: B,
    /// The answer.
    pub reply: Reply,
    deadline: Option<Instant>,
}

impl<B: Body> Exchange for Parts<B> {
    type Head = HeadBuffer;
    type Body = B;

    fn split(&mut self) -> (&mut B, &mut Reply) {
        (&mut self.body, &mut self.reply)
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }
}

impl<B> Parts<B> {
    /// An exchange with this body, as new.
    pub fn new(body: B) -> Self {
        Self {
            body,
            reply: Reply::default(),
            deadline: None,
        }
    }

    /// Starts the exchange of a head whose route was looked for: its timeout begins now. Answers the route's own body limit in
    /// bytes, if it has one.
    pub fn begin(&mut self, head: &HeadBuffer) -> Option<usize> {
        let route = head.route()?;
        self.deadline = route.timeout().and_then(|timeout| Instant::now().checked_add(timeout));
        route.body_limit()
    }

    /// Leaves the reply complete, given what came of the chain: a problem becomes its document, a panic a 500.
    ///
    /// It is apart from running the chain because that borrows all of the exchange for as long as it runs.
    #[inline]
    pub fn complete(&mut self, head: &HeadBuffer, outcome: Result<Result<(), Problem>, Panic>) {
        recover::answer(outcome, head, &mut self.reply);
    }

    /// For transports, where the reply upgrades the connection of a request whose body has not come whole: what comes of it could not
    /// be told from what the other protocol begins with. It is 400 in its place.
    #[cold]
    pub fn refuse_upgrade(&mut self, head: &HeadBuffer) {
        let problem = Problem::bad_request("a request that upgrades its connection has no body");
        problem.closing().answer(head, &mut self.reply);
    }

    /// Makes reply and deadline as new, keeping buffers of up to `keep` bytes. The body is the transport's.
    pub fn recycle(&mut self, keep: usize) {
        self.reply.recycle(keep);
        self.deadline = None;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http::StatusCode;

    use super::*;
    use crate::recover::Catch;
    use crate::route::{Leaf, Node, Route, Table};
    use crate::{Span, Version};

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

    static ROUTES: [Route; 2] = [
        Route::new("plain", "GET", "/plain", "plain"),
        Route::new("bounded", "GET", "/bounded", "bounded")
            .with_body_limit(7)
            .with_timeout(Duration::from_secs(60)),
    ];
    static ROOT: Node = Node::new().literals(&[
        Node::literal("bounded").leaf(&Leaf::new(&[("GET", 1)])),
        Node::literal("plain").leaf(&Leaf::new(&[("GET", 0)])),
    ]);
    static TABLE: Table = Table::new(&ROUTES, &ROOT, &[]);

    fn routed(path: &str) -> HeadBuffer {
        let mut head = HeadBuffer::default();
        let line = format!("GET{path}");
        let (method, path) = (Span::new(0, 3), Span::new(3, line.len()));
        head.start(Version::Http11, &line, method, path, Span::default());
        head.find_route(&TABLE);
        head
    }

    #[test]
    fn what_the_route_says_is_forgotten_with_its_exchange() {
        let mut parts = Parts::<Empty>::default();
        assert_eq!(parts.begin(&routed("/bounded")), Some(7));
        let deadline = parts.deadline().expect("the route has a timeout");
        assert!(deadline > Instant::now() + Duration::from_secs(50));
        parts.recycle(0);
        assert_eq!(parts.deadline(), None);
        for path in ["/plain", "/nothing"] {
            assert_eq!(parts.begin(&routed(path)), None, "{path}");
            assert_eq!(parts.deadline(), None, "{path}");
        }
    }

    #[test]
    fn the_reply_is_complete_whatever_came_of_the_chain() {
        let head = routed("/plain");
        let status = |chain: fn(&mut Reply) -> Result<(), Problem>| {
            let mut parts = Parts::<Empty>::default();
            let outcome = tokio::runtime::Builder::new_current_thread()
                .build()
                .expect("a runtime without drivers")
                .block_on(Catch::new(async { chain(parts.reply()) }));
            parts.complete(&head, outcome);
            parts.reply.status()
        };
        assert_eq!(
            status(|reply| {
                reply.set_status(StatusCode::CREATED);
                Ok(())
            }),
            StatusCode::CREATED
        );
        assert_eq!(status(|_| Err(Problem::not_found())), StatusCode::NOT_FOUND);
        assert_eq!(status(|_| panic!("a test's")), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
