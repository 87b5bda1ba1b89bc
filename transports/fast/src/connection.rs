//! A connection: its stream, and what is known of it while nothing comes.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::Bytes;
use pw_core::{UpgradeTask, Upgraded};
use pw_server::{FRESH, Place};

use crate::alarms::Seat;
use crate::clock::Moment;
use crate::io::Io;
use crate::worker::Shared;

/// A connection, as it is handed from its task to a batch and back.
pub(crate) struct Connection {
    pub(crate) io: Io,
    pub(crate) peer: SocketAddr,
    held: Held,
    /// The alarms know its task.
    seated: bool,
    /// Nothing has come yet.
    fresh: bool,
    /// Since when nothing has come.
    since: Moment,
}

/// What a connection holds of its worker and its server, given back behind the socket.
pub(crate) struct Held {
    seat: Seat,
    shared: Rc<Shared>,
    _place: Option<Place>,
}

impl Connection {
    /// A new one. It is boxed, so that it changes hands as a pointer.
    pub(crate) fn new(shared: Rc<Shared>, io: Io, peer: SocketAddr, place: Option<Place>) -> Box<Self> {
        let seat = shared.take_seat();
        Box::new(Self {
            io,
            peer,
            seated: false,
            fresh: true,
            since: shared.clock.now(),
            held: Held {
                seat,
                shared,
                _place: place,
            },
        })
    }

    /// Its task, told whenever it is polled.
    pub(crate) fn sit(&mut self, task: &Context<'_>) {
        if !self.seated {
            self.held.shared.alarms.sit(self.held.seat, task);
            self.seated = true;
        }
    }

    /// Has the task woken at that time, at the latest.
    pub(crate) fn wake_at(&self, at: Moment) {
        self.held.shared.alarms.add(self.held.seat, at);
    }

    /// From now on nothing comes. The task is woken when that has been so for too long.
    pub(crate) fn begin_silence(&mut self) {
        let shared = &self.held.shared;
        let now = shared.clock.now();
        (self.since, self.fresh) = (now, false);
        shared.alarms.set(self.held.seat, shared.keep_alive(now));
    }

    /// Ready once nothing has come for too long.
    pub(crate) fn poll_silence(&self) -> Poll<()> {
        let shared = &self.held.shared;
        let first_byte = shared.config.timeouts.first_byte;
        let due = match self.fresh {
            true if shared.is_draining() => self.since.after(FRESH.min(first_byte)),
            true => self.since.after(first_byte),
            false => shared.keep_alive(self.since),
        };
        if due <= shared.clock.now() {
            return Poll::Ready(());
        }
        shared.alarms.set(self.held.seat, due);
        Poll::Pending
    }

    /// Hands the stream to what the connection was upgraded to, with what had come `ahead`.
    pub(crate) fn upgrade(self, upgrade: UpgradeTask, ahead: Bytes) -> Box<Upgrade> {
        let Self { io, peer, held, .. } = self;
        let stopping = held.shared.config.stopping.clone();
        let running = upgrade.run(Upgraded::new(io, ahead, peer, stopping));
        Box::new(Upgrade { running, _held: held })
    }
}

/// What a connection was upgraded to. Nothing is left of HTTP.
pub(crate) struct Upgrade {
    running: Pin<Box<dyn Future<Output = ()> + Send>>,
    _held: Held,
}

impl Upgrade {
    /// Ready once it has ended.
    pub(crate) fn poll(&mut self, task: &mut Context<'_>) -> Poll<()> {
        self.running.as_mut().poll(task)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.shared.give_seat_back(self.seat);
    }
}
