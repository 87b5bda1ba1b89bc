//! How much of their answers the streams of an HTTP/2 connection hold: what was taken of a file or a stream, and has not left.
//!
//! hyper asks for a piece before the client has room for any, and `h2` takes more for each stream that has a window than the socket
//! will for long. A client that opens a hundred streams and lets nothing through would have all of that held for it. So all streams
//! together have some room, and where that is taken a stream is asked for more only once what it gave before has left.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// Bytes that the streams of a connection may hold together, however few they are.
const ROOM: usize = 128 * 1024;

/// What a connection's streams hold.
#[derive(Debug, Default)]
pub(crate) struct Held(AtomicUsize);

/// One of the streams.
#[derive(Debug)]
pub(crate) struct Share(Arc<Own>);

#[derive(Debug)]
struct Own {
    all: Arc<Held>,
    held: AtomicUsize,
    /// Who waits for that to have left.
    waiting: Mutex<Option<Waker>>,
}

/// A piece that is held, for as long as this is.
#[derive(Debug)]
pub(crate) struct Hold {
    own: Arc<Own>,
    bytes: usize,
}

impl Share {
    pub(crate) fn new(all: &Arc<Held>) -> Self {
        Self(Arc::new(Own {
            all: all.clone(),
            held: AtomicUsize::new(0),
            waiting: Mutex::default(),
        }))
    }

    /// Ready once the stream may have another piece: while there is room, how much; and if it holds nothing itself, be there room or
    /// not, so that none waits for others.
    pub(crate) fn poll_room(&self, task: &Context<'_>) -> Poll<usize> {
        let Own { all, held, waiting } = &*self.0;
        let room = ROOM.saturating_sub(all.0.load(Ordering::Relaxed));
        if room == 0 {
            let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            if held.load(Ordering::Relaxed) > 0 {
                *waiting = Some(task.waker().clone());
                return Poll::Pending;
            }
        }
        Poll::Ready(room)
    }

    /// Ready once all that the stream gave has left.
    pub(crate) fn poll_left(&self, task: &Context<'_>) -> Poll<()> {
        let Own { held, waiting, .. } = &*self.0;
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if held.load(Ordering::Relaxed) > 0 {
            *waiting = Some(task.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// Holds a piece, which is not empty.
    pub(crate) fn hold(&self, bytes: usize) -> Hold {
        let own = self.0.clone();
        own.held.fetch_add(bytes, Ordering::Relaxed);
        own.all.0.fetch_add(bytes, Ordering::Relaxed);
        Hold { own, bytes }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let Own { all, held, waiting } = &*self.own;
        all.0.fetch_sub(self.bytes, Ordering::Relaxed);
        if held.fetch_sub(self.bytes, Ordering::Relaxed) > self.bytes {
            return;
        }
        // Whoever has found the lock free after this has seen it, too.
        let waits = waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(waits) = waits {
            waits.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Woken(AtomicBool);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_stream_waits_for_its_own_where_there_is_no_room() {
        let all = Arc::<Held>::default();
        let (one, two) = (Share::new(&all), Share::new(&all));
        let woken = Arc::<Woken>::default();
        let waker = Waker::from(woken.clone());
        let task = &Context::from_waker(&waker);
        assert_eq!(one.poll_room(task), Poll::Ready(ROOM));
        let first = one.hold(ROOM - 1);
        assert_eq!(one.poll_room(task), Poll::Ready(1));
        let second = one.hold(2);
        assert_eq!(one.poll_room(task), Poll::Pending);
        assert_eq!(two.poll_room(task), Poll::Ready(0), "it holds nothing");
        let third = two.hold(ROOM);
        drop(first);
        assert_eq!(one.poll_room(task), Poll::Pending);
        assert!(!woken.0.load(Ordering::Relaxed), "it still holds something");
        drop(second);
        assert!(woken.0.load(Ordering::Relaxed));
        assert_eq!(one.poll_room(task), Poll::Ready(0));
        assert_eq!(two.poll_room(task), Poll::Pending);
        assert_eq!(two.poll_left(task), Poll::Pending);
        assert_eq!(one.poll_left(task), Poll::Ready(()));
        woken.0.store(false, Ordering::Relaxed);
        drop(third);
        assert!(woken.0.load(Ordering::Relaxed));
        assert_eq!(two.poll_left(task), Poll::Ready(()));
        assert_eq!(two.poll_room(task), Poll::Ready(ROOM));
    }
}
