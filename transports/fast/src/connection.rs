//! A connection: its stream, and what is known of it while nothing comes.

use std::net::SocketAddr;
use std::rc::Rc;
use std::task::{Context, Poll};

use pw_server::{FRESH, Place};

use crate::alarms::Seat;
use crate::clock::Moment;
use crate::io::Io;
use crate::worker::Shared;

/// A connection, as it is handed from its task to a batch and back.
pub(crate) struct Connection {
    pub(crate) io: Io,
    pub(crate) peer: SocketAddr,
    seat: Seat,
    /// The alarms know its task.
    seated: bool,
    /// Nothing has come yet.
    fresh: bool,
    /// Since when nothing has come.
    since: Moment,
    shared: Rc<Shared>,
    /// Given back behind the socket, whose descriptor it stands for.
    _place: Option<Place>,
}

impl Connection {
    /// A new one. It is boxed, so that it changes hands as a pointer.
    pub(crate) fn new(shared: Rc<Shared>, io: Io, peer: SocketAddr, place: Option<Place>) -> Box<Self> {
        let seat = shared.take_seat();
        Box::new(Self {
            io,
            peer,
            seat,
            seated: false,
            fresh: true,
            since: shared.clock.now(),
            shared,
            _place: place,
        })
    }

    /// Its task, told whenever it is polled.
    pub(crate) fn sit(&mut self, task: &Context<'_>) {
        if !self.seated {
            self.shared.alarms.sit(self.seat, task);
            self.seated = true;
        }
    }

    /// Has the task woken at that time, at the latest.
    pub(crate) fn wake_at(&self, at: Moment) {
        self.shared.alarms.add(self.seat, at);
    }

    /// From now on nothing comes. The task is woken when that has been so for too long.
    pub(crate) fn begin_silence(&mut self) {
        let now = self.shared.clock.now();
        (self.since, self.fresh) = (now, false);
        self.shared.alarms.set(self.seat, self.shared.keep_alive(now));
    }

    /// Ready once nothing has come for too long.
    pub(crate) fn poll_silence(&self) -> Poll<()> {
        let shared = &self.shared;
        let first_byte = shared.config.timeouts.first_byte;
        let due = match self.fresh {
            true if shared.is_draining() => self.since.after(FRESH.min(first_byte)),
            true => self.since.after(first_byte),
            false => shared.keep_alive(self.since),
        };
        if due <= shared.clock.now() {
            return Poll::Ready(());
        }
        shared.alarms.set(self.seat, due);
        Poll::Pending
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.give_seat_back(self.seat);
    }
}
