//! The spans that are open, and in which order a thread has entered them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tracing::Metadata;
use tracing::span::Id;

/// Spans are spread over as many maps, so that threads seldom wait for each other.
const SHARDS: usize = 16;

/// No two spans of a process have the same, whichever subscriber they belong to.
static NEXT: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// The spans this thread is in, the innermost last.
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// The open spans of one subscriber.
#[derive(Debug, Default)]
pub(super) struct Spans([Mutex<HashMap<u64, Span>>; SHARDS]);

#[derive(Debug)]
struct Span {
    metadata: &'static Metadata<'static>,
    parent: Option<u64>,
    /// Its values as pairs.
    pairs: String,
    /// Handles, and spans inside.
    references: usize,
}

impl Spans {
    pub(super) fn open(&self, metadata: &'static Metadata<'static>, parent: Option<u64>, pairs: String) -> Id {
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let parent = parent.filter(|parent| self.with(*parent, |span| span.references += 1).is_some());
        let span = Span {
            metadata,
            parent,
            pairs,
            references: 1,
        };
        self.shard(id).insert(id, span);
        Id::from_u64(id)
    }

    pub(super) fn record(&self, id: &Id, write: impl FnOnce(&mut String)) {
        self.with(id.into_u64(), |span| write(&mut span.pairs));
    }

    pub(super) fn reference(&self, id: &Id) {
        self.with(id.into_u64(), |span| span.references += 1);
    }

    /// Drops a reference, and with the last the span and its reference to its parent. Whether it was the last.
    pub(super) fn close(&self, id: &Id) -> bool {
        let mut closing = Some(id.into_u64());
        let mut closed = false;
        while let Some(id) = closing {
            let mut shard = self.shard(id);
            let Some(span) = shard.get_mut(&id) else {
                break;
            };
            span.references -= 1;
            if span.references > 0 {
                break;
            }
            closing = shard.remove(&id).and_then(|span| span.parent);
            closed = true;
        }
        closed
    }

    pub(super) fn enter(&self, id: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(id.into_u64()));
    }

    pub(super) fn exit(&self, id: &Id) {
        // Not always the innermost: guards may be dropped in any order.
        ENTERED.with_borrow_mut(|entered| {
            if let Some(at) = entered.iter().rposition(|entered| *entered == id.into_u64()) {
                entered.remove(at);
            }
        });
    }

    /// The innermost span of this thread.
    pub(super) fn current(&self) -> Option<(u64, &'static Metadata<'static>)> {
        ENTERED.with_borrow(|entered| {
            entered
                .iter()
                .rev()
                .find_map(|&id| self.with(id, |span| (id, span.metadata)))
        })
    }

    /// A span and those around it as text, from the outside in, each followed by a space.
    pub(super) fn text(&self, innermost: Option<u64>) -> String {
        let mut text = String::new();
        let mut next = innermost;
        while let Some(id) = next {
            next = self
                .with(id, |span| {
                    let pairs = match &*span.pairs {
                        "" => String::new(),
                        pairs => format!("{{{pairs}}}"),
                    };
                    text.insert_str(0, &format!("{}{pairs} ", span.metadata.name()));
                    span.parent
                })
                .flatten();
        }
        text
    }

    fn with<R>(&self, id: u64, then: impl FnOnce(&mut Span) -> R) -> Option<R> {
        self.shard(id).get_mut(&id).map(then)
    }

    fn shard(&self, id: u64) -> MutexGuard<'_, HashMap<u64, Span>> {
        let shard = &self.0[id as usize % SHARDS];
        shard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> &'static Metadata<'static> {
        static CALLSITE: tracing::callsite::DefaultCallsite = tracing::callsite::DefaultCallsite::new(&META);
        static META: Metadata<'static> = tracing::metadata! {
            name: "span",
            target: "test",
            level: tracing::Level::INFO,
            fields: &[],
            callsite: &CALLSITE,
            kind: tracing::metadata::Kind::SPAN,
        };
        &META
    }

    fn count(spans: &Spans) -> usize {
        (0..SHARDS as u64).map(|id| spans.shard(id).len()).sum()
    }

    #[test]
    fn a_span_lives_as_long_as_what_is_in_it() {
        let spans = Spans::default();
        let outer = spans.open(metadata(), None, "id=7".to_owned());
        let inner = spans.open(metadata(), Some(outer.into_u64()), String::new());
        spans.reference(&inner);
        assert!(!spans.close(&outer));
        assert_eq!(spans.text(Some(inner.into_u64())), "span{id=7} span ");
        assert!(!spans.close(&inner));
        assert_eq!(count(&spans), 2);
        assert!(spans.close(&inner));
        assert_eq!(count(&spans), 0);
        assert_eq!(spans.text(Some(inner.into_u64())), "");
    }
}
