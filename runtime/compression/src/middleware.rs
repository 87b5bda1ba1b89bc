//! The middleware: what is compressed, and what its fields then say.

use http::StatusCode;
use http::header::{ACCEPT_ENCODING, ACCEPT_RANGES, CONTENT_ENCODING, ETAG, VARY};
use pw_core::{ContentStream, Exchange, FieldValue, Middleware, Next, Problem, Reply, RequestHead};

use crate::Coding;
use crate::accept::negotiate;
use crate::body::Compressed;
use crate::eligible::{is_eligible, values};
use crate::encoder::compress;

/// Shorter answers of known length are left alone, unless an application says otherwise: 1 KiB. They leave in one packet as they are.
pub const MIN_LENGTH: u64 = 1024;

/// Longer content is compressed while it is sent.
const AT_ONCE: u64 = 256 * 1024;

/// Compresses answers to clients that accept it: with `zstd` (behind a feature), `br` or `gzip`, what the client likes best, and of
/// equals in this order.
///
/// It compresses what gains by it: text, JSON, XML, JavaScript, WebAssembly, SVG, fonts that are not compressed. Never what is short,
/// encoded already, a part (206), or says `cache-control: no-transform` or a digest of its bytes; and server-sent events only
/// [when asked](Self::with_events). It stands outside of all that makes content, static files among it, and outside of
/// [`Recover`](pw_core::Recover) if errors are to be compressed.
///
/// Content in memory is compressed at once up to 256 KiB, and has a length; what is longer, a stream, or in a file, is compressed while it
/// is sent, in steps between which others have their turn. What a stream gives leaves at once. While it is open, a stream costs about
/// 400 KiB of memory with `gzip`; with `zstd` from 100 KiB on and with `br` from 400 KiB on, and a little over 1 MiB in the end.
///
/// `vary: accept-encoding` stands on all that could have been compressed. A strong entity tag becomes weak on what is compressed:
/// `If-None-Match` works as before, and `If-Match` with such a tag does not. HEAD is answered with the fields that GET has, but for
/// the length of what it would have to compress to know.
///
/// ```
/// use pw_compression::Compression;
/// use pw_core::{Recover, RequestId};
/// type Chain = (RequestId, (Compression, Recover));
/// fn chain() -> Chain {
///     (RequestId, (Compression::new(), Recover))
/// }
/// ```
///
/// Wrong: around answers that hold a secret and, beside it, what somebody else may have put into the request. Whoever sees their length
/// can guess the secret, TLS or not (the attack is called BREACH). Such a handler says `cache-control: no-transform`.
#[derive(Clone, Copy, Debug)]
pub struct Compression {
    codings: &'static [Coding],
    min_length: u64,
    events: bool,
}

impl Default for Compression {
    fn default() -> Self {
        Self::new()
    }
}

impl Compression {
    /// All codings there are, for what is no shorter than [`MIN_LENGTH`].
    pub const fn new() -> Self {
        Self {
            codings: Coding::ALL,
            min_length: MIN_LENGTH,
            events: false,
        }
    }

    /// These codings only, the best first.
    ///
    /// # Panics
    /// One of them stands there twice.
    pub const fn codings(mut self, codings: &'static [Coding]) -> Self {
        assert!(codings.len() <= Coding::ALL.len(), "each coding stands there once");
        self.codings = codings;
        self
    }

    /// Leaves alone what is shorter, in bytes, and knows it. An answer without content is never compressed.
    pub const fn min_length(mut self, bytes: u64) -> Self {
        self.min_length = if bytes == 0 { 1 } else { bytes };
        self
    }

    /// Compresses server-sent events, too. Each client then costs what an open stream does for as long as it listens; ten thousand of
    /// them some gigabytes.
    pub const fn with_events(mut self) -> Self {
        self.events = true;
        self
    }
}

impl Middleware for Compression {
    async fn around<E: Exchange, N: Next<E>>(&self, head: &E::Head, cx: &mut E, next: N) -> Result<(), Problem> {
        next.run(head, cx).await?;
        let reply = cx.reply();
        if reply.status() == StatusCode::NOT_MODIFIED {
            revalidate(head, reply);
            return Ok(());
        }
        if !is_eligible(reply, self.min_length, self.events) {
            return Ok(());
        }
        vary(reply);
        let Some(coding) = negotiate(head.values(ACCEPT_ENCODING.as_str()), self.codings) else {
            return Ok(());
        };
        reply.insert(CONTENT_ENCODING, FieldValue::from_static(coding.name()));
        // Ranges are of what is not compressed.
        reply.remove(&ACCEPT_RANGES);
        weaken(reply);
        let short = !reply.is_elsewhere() && reply.length().is_some_and(|length| length <= AT_ONCE);
        if short && head.method() != "HEAD" {
            let compressed = compress(coding, reply.content()).await?;
            reply.set_content(compressed);
        } else {
            let content = reply.take();
            reply.set_stream(ContentStream::from_source(Compressed::new(content, coding)));
        }
        Ok(())
    }
}

/// Says that the answer depends on what the client accepts.
fn vary(reply: &mut Reply) {
    let name = ACCEPT_ENCODING.as_str().as_bytes();
    if !values(reply, &VARY).any(|value| value == b"*" || value.eq_ignore_ascii_case(name)) {
        reply.append(VARY, FieldValue::from_static("accept-encoding"));
    }
}

/// Makes a strong entity tag weak: what it stood for has other bytes now.
fn weaken(reply: &mut Reply) {
    let Some(tag) = reply.field(&ETAG).filter(|tag| tag.starts_with(b"\"")) else {
        return;
    };
    let weak = [b"W/", tag].concat();
    if let Ok(weak) = FieldValue::from_bytes(&weak) {
        reply.insert(ETAG, weak);
    }
}

/// 304 says what 200 would have said (RFC 9110 15.4.5): a client that has the compressed answer knows it by its weak tag.
fn revalidate(head: &impl RequestHead, reply: &mut Reply) {
    vary(reply);
    let Some(tag) = reply.field(&ETAG).filter(|tag| tag.starts_with(b"\"")) else {
        return;
    };
    let weak = [b"W/", tag].concat();
    let mut known = head.values("if-none-match");
    if known.any(|line| line.windows(weak.len()).any(|part| part == weak)) {
        weaken(reply);
    }
}
