//! Whose turn it is: what a connection is told of the content that it sends, and of the streams that it has.
//!
//! A client that takes nothing must not be kept for ever, and one that waits for us must not be sent away. Only what makes an answer
//! knows which of both it is.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use http::HeaderMap;
use pw_core::may_trail;

use crate::clock::{Moment, SharedMoment};
use crate::held::{Held, Hold, Share};

/// A stream that leaves over HTTP/1, as its connection sees it.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// It has nothing to give.
    waits: AtomicBool,
    /// What it gave behind its content.
    trailers: OnceLock<HeaderMap>,
    framed: bool,
    /// hyper holds some of what it gave.
    behind: AtomicBool,
    /// It has broken off, and waits until hyper holds nothing.
    leaving: AtomicBool,
}

impl Flow {
    /// Of a stream whose end is told by chunks or a length: `framed`; or by that of the connection.
    pub(crate) fn new(framed: bool) -> Self {
        Self {
            framed,
            ..Self::default()
        }
    }

    /// Whether an end that is missing is seen to be.
    pub(crate) fn is_framed(&self) -> bool {
        self.framed
    }

    /// Whether the stream has nothing to give at the moment.
    pub(crate) fn waits(&self) -> bool {
        self.waits.load(Ordering::Relaxed)
    }

    /// Whether hyper holds some of what the stream gave. True: the connection's task is to be woken, as the stream waits for that.
    pub(crate) fn note_behind(&self, behind: bool) -> bool {
        self.behind.store(behind, Ordering::Relaxed);
        !behind && self.leaving.swap(false, Ordering::Relaxed)
    }

    /// Ready once hyper holds nothing of it.
    fn poll_left(&self) -> Poll<()> {
        let behind = self.behind.load(Ordering::Relaxed);
        self.leaving.store(behind, Ordering::Relaxed);
        if behind { Poll::Pending } else { Poll::Ready(()) }
    }

    /// What is to be sent behind the last chunk, of which this is known before it is written.
    pub(crate) fn trailers(&self) -> Option<&HeaderMap> {
        self.trailers.get()
    }
}

/// The exchanges of an HTTP/2 connection: in how many of them it is our turn.
#[derive(Debug)]
pub(crate) struct Turns {
    ours: AtomicUsize,
    /// When that last changed.
    changed: SharedMoment,
    held: Arc<Held>,
}

impl Turns {
    /// Of a connection without exchanges.
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            ours: AtomicUsize::new(0),
            changed: SharedMoment::now(),
            held: Arc::default(),
        })
    }

    /// Since when everything has waited for the client; `None` while anything waits for us.
    pub(crate) fn theirs_since(&self) -> Option<Moment> {
        (self.ours.load(Ordering::Relaxed) == 0).then(|| self.changed.get())
    }
}

/// One of them. It is our turn when it begins, and theirs once it is dropped: also a client that resets a stream drops it.
#[derive(Debug)]
pub(crate) struct Turn {
    turns: Arc<Turns>,
    ours: bool,
}

impl Turn {
    /// Begins one.
    pub(crate) fn begin(turns: &Arc<Turns>) -> Self {
        let mut turn = Self {
            turns: turns.clone(),
            ours: false,
        };
        turn.set(true);
        turn
    }

    /// What the exchange will hold of its answer.
    pub(crate) fn share(&self) -> Share {
        Share::new(&self.turns.held)
    }

    /// Whether it is our turn now.
    pub(crate) fn set(&mut self, ours: bool) {
        if ours != self.ours {
            self.ours = ours;
            self.turns.changed.touch();
            match ours {
                true => self.turns.ours.fetch_add(1, Ordering::Relaxed),
                false => self.turns.ours.fetch_sub(1, Ordering::Relaxed),
            };
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.set(false);
    }
}

/// Who is told how far content has come.
#[derive(Debug)]
pub(crate) enum Told {
    /// An HTTP/1 connection. `trailers`: its client takes some, and the content is sent in chunks.
    Http1 {
        flow: Arc<Flow>,
        trailers: bool,
    },
    Http2(Turn, Share),
}

impl Told {
    /// Whether the content has nothing to give at the moment.
    pub(crate) fn waits(&mut self, waits: bool) {
        match self {
            Self::Http1 { flow, .. } => flow.waits.store(waits, Ordering::Relaxed),
            Self::Http2(turn, _) => turn.set(waits),
        }
    }

    /// Ready once more may be asked for.
    pub(crate) fn poll_room(&self, task: &Context<'_>) -> Poll<()> {
        match self {
            Self::Http1 { .. } => Poll::Ready(()),
            Self::Http2(_, share) => share.poll_room(task).map(|_| ()),
        }
    }

    /// Ready once what was given has left: hyper throws away what it holds of a stream that fails, and HTTP/2's reset what is queued.
    pub(crate) fn poll_left(&self, task: &Context<'_>) -> Poll<()> {
        match self {
            Self::Http1 { flow, .. } => flow.poll_left(),
            Self::Http2(_, share) => share.poll_left(task),
        }
    }

    /// A piece is on its way, which is not empty.
    pub(crate) fn hold(&self, bytes: usize) -> Option<Hold> {
        match self {
            Self::Http1 { .. } => None,
            Self::Http2(_, share) => Some(share.hold(bytes)),
        }
    }

    /// Hands trailers on, where the content itself can't carry them: hyper sends none on HTTP/1 that were not announced. Those that
    /// may not be one are left out on either.
    pub(crate) fn trail(&self, mut trailers: HeaderMap) -> Option<HeaderMap> {
        match self {
            Self::Http2(..) => {
                let wrong: Vec<_> = trailers
                    .keys()
                    .filter(|name| !may_trail(name.as_str().as_bytes()))
                    .cloned()
                    .collect();
                for name in wrong {
                    trailers.remove(name);
                }
                (!trailers.is_empty()).then_some(trailers)
            }
            Self::Http1 { flow, trailers: taken } => {
                if *taken {
                    // They come once.
                    let _ = flow.trailers.set(trailers);
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_waits_for_its_client_when_every_exchange_does() {
        let turns = Turns::new();
        assert!(turns.theirs_since().is_some());
        let (mut one, two) = (Turn::begin(&turns), Turn::begin(&turns));
        one.set(false);
        one.set(false);
        assert_eq!(turns.theirs_since(), None);
        drop(two);
        assert!(turns.theirs_since().is_some());
        one.set(true);
        assert_eq!(turns.theirs_since(), None);
        drop(one);
        assert!(turns.theirs_since().is_some());
    }
}
