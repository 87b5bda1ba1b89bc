//! One request and its answer, on any transport.

use std::future::Future;
use std::time::Instant;

use crate::{Problem, Reply, RequestHead, Trailers};

/// One exchange: the request's body on one side, the answer on the other. Its head stands beside it and is borrowed for
/// as long as the exchange lives, so that a handler may hold `Path<&str>` and `&mut impl Exchange` at once.
///
/// Handlers ask for it as `&mut impl Exchange` when an extractor and a return value are not enough:
///
/// ```
/// use pw_core::{Body, Exchange, Problem};
/// async fn shout(cx: &mut impl Exchange) -> Result<(), Problem> {
///     let (body, reply) = cx.split();
///     let text = body.read(1024).await?;
///     reply.buffer().extend(text.iter().map(u8::to_ascii_uppercase));
///     Ok(())
/// }
/// ```
///
/// Wrong: `let text = cx.body().read(1024).await?; cx.reply().buffer().extend(text);`. The text is borrowed from all of
/// `cx`, so the reply can't be reached while it lives (E0499); [`split`](Self::split) borrows the halves apart.
pub trait Exchange: 'static {
    /// The transport's head.
    type Head: RequestHead;
    /// The transport's body.
    type Body: Body;

    /// The body and the reply, borrowed apart.
    fn split(&mut self) -> (&mut Self::Body, &mut Reply);

    /// The answer under construction.
    fn reply(&mut self) -> &mut Reply {
        self.split().1
    }

    /// The request's body.
    fn body(&mut self) -> &mut Self::Body {
        self.split().0
    }

    /// When the route's timeout ends this exchange, if it has one: work that can be cut short may look at it.
    fn deadline(&self) -> Option<Instant>;
}

/// The body of a request, read when somebody asks for it: whole, or piece by piece as it comes.
///
/// ```
/// use pw_core::{Body, Exchange, Problem};
/// async fn count(cx: &mut impl Exchange) -> Result<String, Problem> {
///     let mut bytes = 0;
///     while let Some(piece) = cx.body().chunk().await? {
///         bytes += piece.len();
///     }
///     Ok(bytes.to_string())
/// }
/// ```
///
/// Wrong: reading in a middleware with a small limit "to have a look", and leaving the rest to the handler. A body above
/// that limit may then be gone for the handler, too: state the most that you can live with.
pub trait Body: 'static {
    /// The whole body.
    ///
    /// Reading is idempotent: whoever asks second (a handler after a middleware that read a form) gets the same bytes.
    /// The smallest of `limit` and the route's own limit wins.
    ///
    /// # Errors
    /// 413 above the limit, at once where the length was declared; 408 when the client is too slow; 400 when the body
    /// was cut short or breaks its framing. 500 where pieces of it were taken with [`chunk`](Self::chunk) before.
    fn read(&mut self, limit: usize) -> impl Future<Output = Result<&[u8], Problem>>;

    /// The next piece of the body, which is not empty, or `None` at its end. Of a body that was [read](Self::read) before, all of it
    /// and then its end.
    ///
    /// No more is kept than the piece: a client sends no faster than this is called. The route's limit holds for all of them
    /// together; a client is too slow by the time it was waited for, not by what the handler took between.
    ///
    /// # Errors
    /// As for `read`. What has been given before is then a part, and no more comes.
    fn chunk(&mut self) -> impl Future<Output = Result<Option<&[u8]>, Problem>>;

    /// The fields behind the body, once it has been read to its end: once [`read`](Self::read) has succeeded, or [`chunk`](Self::chunk)
    /// has told the end. They stay. Before that, and of a body that broke off, there are none.
    ///
    /// Which come is up to the client, and HTTP/1.0, and bodies of a declared length on HTTP/1.1, have none. They are never part of
    /// the head.
    ///
    /// ```
    /// use pw_core::{Body, Exchange, Problem};
    /// async fn store(cx: &mut impl Exchange) -> Result<(), Problem> {
    ///     let mut sum = 0u64;
    ///     while let Some(piece) = cx.body().chunk().await? {
    ///         sum = piece.iter().fold(sum, |sum, &byte| sum.wrapping_add(byte.into()));
    ///     }
    ///     match cx.body().trailers().field("x-sum") {
    ///         Some(told) if *told != *sum.to_string().as_bytes() => Err(Problem::bad_request("the sum is another")),
    ///         _ => Ok(()),
    ///     }
    /// }
    /// ```
    ///
    /// Wrong: asking before the last `chunk`, as in `let sum = cx.body().trailers().field("x-sum");` at the beginning: they come last,
    /// so there are none yet. Ask where the loop has ended.
    ///
    /// A body without any, which this gives unless it is implemented, is [`Trailers::none`].
    fn trailers(&self) -> &Trailers {
        Trailers::none()
    }
}
