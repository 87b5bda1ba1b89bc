//! What serving takes beside the socket: head, exchange, parser, input and output, kept by a worker from batch to batch.

use std::cell::RefCell;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use pw_core::HeadBuffer;
use pw_h1::{HeadParser, Verdict};

use crate::body::RequestBody;
use crate::buffers::{LARGEST, SMALL};
use crate::connection::Connection;
use crate::service::Exchange;
use crate::shelf::Shelf;
use crate::wire::Wire;
use crate::worker::Shared;

/// A head that took more than this is not kept room for.
const HEAD: usize = 16 << 10;

/// See the module. It stays in its box, so a head never moves while its exchange lives.
pub(crate) struct Kit {
    pub(crate) head: HeadBuffer,
    pub(crate) exchange: Exchange,
    pub(crate) parser: HeadParser,
    /// On the head that is answered.
    pub(crate) verdict: Option<Verdict>,
    pub(crate) wire: Rc<RefCell<Wire>>,
}

impl Kit {
    fn new(shared: &Rc<Shared>) -> Box<Self> {
        let wire = Wire::new(shared.clone());
        Box::new(Self {
            head: HeadBuffer::default(),
            exchange: Exchange::new(RequestBody::new(wire.clone())),
            parser: HeadParser::default(),
            verdict: None,
            wire,
        })
    }

    /// Reads what a batch begins with. Ready: whether anything came; then the connection is served from here.
    pub(crate) fn poll_open(&mut self, connection: &mut Option<Box<Connection>>, task: &mut Context<'_>) -> Poll<bool> {
        let ours = connection.as_mut().expect("there is one to serve");
        let wire = &mut *self.wire.borrow_mut();
        if !ready!(wire.poll_begin(&mut ours.io, task)) {
            return Poll::Ready(false);
        }
        self.head.set_peer(ours.peer);
        wire.open(connection.take());
        Poll::Ready(true)
    }

    /// Forgets what has come of a head, be it an empty line.
    pub(crate) fn start_over(&mut self) {
        self.parser = HeadParser::default();
    }

    /// Makes the exchange as new.
    #[inline(always)]
    pub(crate) fn recycle_exchange(&mut self) {
        self.exchange.body.recycle();
        self.exchange.recycle(LARGEST);
    }
}

/// The pool.
#[derive(Default)]
pub(crate) struct Kits(Shelf<Box<Kit>>);

impl Kits {
    /// One that nobody uses, or a new one.
    pub(crate) fn take(&self, shared: &Rc<Shared>) -> Box<Kit> {
        self.0.take().unwrap_or_else(|| Kit::new(shared))
    }

    /// Takes one back whose connection has been closed or handed on, and whose exchange is as new.
    #[inline]
    pub(crate) fn give_back(&self, mut kit: Box<Kit>) {
        kit.head.trim(HEAD);
        self.0.put(kit);
    }

    /// Makes kits in advance, with buffers for requests and answers of usual size.
    pub(crate) fn prewarm(&self, count: usize, shared: &Rc<Shared>) {
        for _ in 0..count {
            let mut kit = Kit::new(shared);
            kit.head.reserve(1 << 10, 32);
            kit.exchange.reply.reserve(1 << 10);
            kit.wire.borrow_mut().prewarm();
            self.give_back(kit);
            // For its body.
            shared.buffers.give_back(Vec::with_capacity(SMALL));
        }
    }

    /// Drops some that nobody has needed lately. Whether more than a few are left.
    pub(crate) fn trim(&self, few: usize) -> bool {
        self.0.trim(few)
    }

    /// How many nobody uses.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets them all: they know the worker, which knows them.
    pub(crate) fn clear(&self) {
        self.0.clear();
    }
}
