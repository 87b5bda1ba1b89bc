//! Every request has an id, and its answer says which.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};

use http::HeaderName;

use crate::{Exchange, Middleware, Next, Problem, RequestHead};

/// The field that carries the id, in and out.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest inbound id that is taken over, in bytes.
pub const MAX_REQUEST_ID: usize = 128;

/// Gives each request an id: the one it came with, if that is 1 to [`MAX_REQUEST_ID`] printable ASCII bytes, else a new one of
/// 32 hexadecimal digits. The answer carries it, errors included, so it stands outside [`Recover`](crate::Recover).
///
/// Ids are unique, not secret: don't use one as a token.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestId;

impl Middleware for RequestId {
    async fn around<E: Exchange, N: Next<E>>(&self, head: &E::Head, cx: &mut E, next: N) -> Result<(), Problem> {
        match head.field("x-request-id").filter(acceptable) {
            Some(id) => cx.reply().set_request_id(id),
            None => cx.reply().set_fresh_id(&fresh()),
        }
        let outcome = next.run(head, cx).await;
        if let Err(problem) = outcome {
            problem.answer(head, cx.reply());
        }
        cx.reply().carry_request_id();
        Ok(())
    }
}

fn acceptable(id: &&[u8]) -> bool {
    // White space at the ends is no part of a field's value; only HTTP/2 could bring it this far.
    let ends = [id.first(), id.last()];
    (1..=MAX_REQUEST_ID).contains(&id.len())
        && id.iter().all(|byte| matches!(byte, b' '..=b'~'))
        && !ends.contains(&Some(&b' '))
}

/// An id no other request has, in hexadecimal: half of it is random and the thread's own (a counter from zero would give each
/// worker the same ids), the other half begins at random and is counted on.
fn fresh() -> [u8; 32] {
    thread_local! {
        static THREAD: [u8; 16] = hex(random());
        static NEXT: Cell<u64> = Cell::new(random());
    }
    // An odd step visits every value before any comes back, and spreads neighbours over all digits.
    let next = NEXT.replace(NEXT.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
    let mut id = [0; 32];
    let (halves, _) = id.as_chunks_mut();
    halves[0] = THREAD.with(|thread| *thread);
    halves[1] = hex(next);
    id
}

/// Random by way of the operating system: what seeds every `HashMap`.
fn random() -> u64 {
    RandomState::new().hash_one(0_u8)
}

/// The two digits of each byte.
static PAIRS: [[u8; 2]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    pairs
};

fn hex(number: u64) -> [u8; 16] {
    let mut digits = [0; 16];
    for (pair, byte) in digits.as_chunks_mut().0.iter_mut().zip(number.to_be_bytes()) {
        *pair = PAIRS[usize::from(byte)];
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inbound_ids_are_taken_over_when_they_are_harmless() {
        assert!(acceptable(&&b"abc-1 ~"[..]));
        for bad in [
            &b""[..],
            b"a\tb",
            b" a",
            b"a\r\nb",
            b"a\x7f",
            "caf\u{e9}".as_bytes(),
            &[b'a'; 129],
        ] {
            assert!(!acceptable(&bad), "{bad:?}");
        }
        assert!(acceptable(&&[b'a'; 128][..]));
    }

    #[test]
    fn two_threads_never_share_ids() {
        let ids = || (0..1000).map(|_| fresh()).collect::<Vec<_>>();
        let other = std::thread::spawn(ids).join().unwrap();
        let mut all = [ids(), other].concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 2000);
    }
}
