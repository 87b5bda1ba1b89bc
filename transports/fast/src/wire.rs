//! A connection's stream and buffers while it is served, shared by the batch and the body that a handler reads.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::rc::Rc;
use std::task::{Context, Poll, Waker, ready};

use crate::buffers::SMALL;
use crate::clock::Moment;
use crate::connection::Connection;
use crate::input::Input;
use crate::io::Io;
use crate::output::Output;
use crate::worker::Shared;

/// How much is read ahead of a handler that has its whole request.
const AHEAD: usize = 4 << 10;

/// See the module.
pub(crate) struct Wire {
    /// There while a connection is served.
    connection: Option<Box<Connection>>,
    pub(crate) input: Input,
    output: Output,
    /// A body is to come, or the rest of one.
    pub(crate) in_body: bool,
    /// When the body is late, and who waits for it. A handler may poll its reader with a waker of its own, and then only once
    /// that is woken.
    late: Option<(Moment, Waker)>,
    /// The client has shut its side.
    pub(crate) ended: bool,
    /// Since when the client takes no output.
    stalled: Option<Moment>,
    pub(crate) shared: Rc<Shared>,
}

impl Wire {
    pub(crate) fn new(shared: Rc<Shared>) -> Rc<RefCell<Self>> {
        Rc::new(RefCell::new(Self {
            connection: None,
            input: Input::default(),
            output: Output::default(),
            in_body: false,
            late: None,
            ended: false,
            stalled: None,
            shared,
        }))
    }

    /// Reads the first of a batch from a stream that is not served yet. Ready: whether anything came.
    pub(crate) fn poll_begin(&mut self, io: &mut Io, task: &mut Context<'_>) -> Poll<bool> {
        let filled = ready!(self.input.poll_fill(io, task, &self.shared.buffers));
        Poll::Ready(matches!(filled, Ok(count) if count > 0))
    }

    /// From now on this connection is served.
    pub(crate) fn open(&mut self, connection: Option<Box<Connection>>) {
        self.connection = connection;
    }

    /// Gives the connection up, and everything that was kept of it.
    pub(crate) fn close(&mut self) -> Option<Box<Connection>> {
        self.input.recycle(&self.shared.buffers);
        self.output.recycle(&self.shared.buffers);
        self.end_body();
        self.ended = false;
        self.stalled = None;
        self.connection.take()
    }

    /// Makes buffers in advance.
    pub(crate) fn prewarm(&mut self) {
        self.input.prewarm(&self.shared.buffers);
        self.output(SMALL);
    }

    /// Where answers go, with room for this many bytes.
    #[inline]
    pub(crate) fn output(&mut self, size: usize) -> &mut Vec<u8> {
        self.output.buffer(size, &self.shared.buffers)
    }

    /// Throws away what was not sent, once the stream is dropped.
    pub(crate) fn abort(&mut self) {
        if let Some(connection) = &mut self.connection {
            connection.io.abort();
        }
    }

    /// Ready once the time has come; otherwise the task is woken then.
    pub(crate) fn poll_until(&self, at: Moment) -> Poll<()> {
        if at <= self.shared.clock.now() {
            return Poll::Ready(());
        }
        if let Some(connection) = &self.connection {
            connection.wake_at(at);
        }
        Poll::Pending
    }

    /// Ready once the time has come and the body is late; otherwise whoever polls is woken then.
    pub(crate) fn poll_until_late(&mut self, at: Moment, task: &Context<'_>) -> Poll<()> {
        if self.poll_until(at).is_ready() {
            return Poll::Ready(());
        }
        match &mut self.late {
            Some((late, reader)) if reader.will_wake(task.waker()) => *late = at,
            late => *late = Some((at, task.waker().clone())),
        }
        Poll::Pending
    }

    /// Wakes who reads a body that is late.
    pub(crate) fn wake_late(&mut self) {
        if let Some((_, reader)) = self.late.take_if(|(at, _)| *at <= self.shared.clock.now()) {
            reader.wake();
        }
    }

    /// The body has come, or is given up.
    pub(crate) fn end_body(&mut self) {
        self.in_body = false;
        self.late = None;
    }

    /// Reads once, behind what waits. `Ready(Ok(0))`: the client has shut its side.
    pub(crate) fn poll_fill(&mut self, task: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let io = &mut self.connection.as_mut().expect("a connection is served").io;
        let count = ready!(self.input.poll_fill(io, task, &self.shared.buffers))?;
        self.ended |= count == 0;
        Poll::Ready(Ok(count))
    }

    /// As [`poll_fill`](Self::poll_fill), to another place.
    pub(crate) fn poll_read(
        &mut self,
        task: &mut Context<'_>,
        buffer: &mut impl bytes::BufMut,
    ) -> Poll<io::Result<usize>> {
        let io = &mut self.connection.as_mut().expect("a connection is served").io;
        let count = ready!(io.poll_read(task, buffer))?;
        self.ended |= count == 0;
        Poll::Ready(Ok(count))
    }

    /// Writes what waits. An error: the client is gone, or has taken nothing for too long.
    pub(crate) fn poll_flush(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.output.is_empty() {
            return Poll::Ready(Ok(()));
        }
        self.poll_write_all(task, &[], &mut 0)
    }

    /// Writes what waits and then `content` from `sent` on. Errors as [`poll_flush`](Self::poll_flush).
    #[inline(never)]
    pub(crate) fn poll_write_all(
        &mut self,
        task: &mut Context<'_>,
        content: &[u8],
        sent: &mut usize,
    ) -> Poll<io::Result<()>> {
        let io = &mut self.connection.as_mut().expect("a connection is served").io;
        let mut progress = false;
        let written = self.output.poll_write_all(io, task, content, sent, &mut progress);
        self.poll_patience(written, progress)
    }

    /// Whether [`poll_send_file`](Self::poll_send_file) is worth trying.
    pub(crate) fn can_send_files(&self) -> bool {
        cfg!(target_os = "linux") && matches!(&self.connection, Some(connection) if connection.io.is_socket())
    }

    /// Writes what waits, and then lets the kernel send `count` bytes of a file. Ready: how many it took; none is the file's end. Errors
    /// as [`poll_flush`](Self::poll_flush), and as [`Io::poll_send_file`].
    pub(crate) fn poll_send_file(
        &mut self,
        task: &mut Context<'_>,
        file: &File,
        offset: u64,
        count: usize,
    ) -> Poll<io::Result<usize>> {
        let io = &mut self.connection.as_mut().expect("a connection is served").io;
        let mut progress = false;
        let sent = match self.output.poll_flush_corked(io, task, &mut progress) {
            Poll::Ready(Ok(())) => io.poll_send_file(task, file, offset, count),
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => Poll::Pending,
        };
        self.poll_patience(sent, progress)
    }

    /// What was tried to be written has been, or not: a client that takes nothing is waited for, but not for ever.
    fn poll_patience<T>(&mut self, written: Poll<io::Result<T>>, progress: bool) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let since = match self.stalled {
            Some(since) if !progress => since,
            _ => *self.stalled.insert(self.shared.clock.read()),
        };
        ready!(self.poll_until(since.after(self.shared.config.timeouts.write)));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Reads a little ahead where nobody else reads, so that a client that has gone is noticed. An error: it has.
    #[inline(never)]
    pub(crate) fn poll_ahead(&mut self, task: &mut Context<'_>) -> io::Result<()> {
        while !self.ended && self.input.bytes().len() < AHEAD {
            match self.poll_fill(task) {
                Poll::Ready(filled) => filled?,
                Poll::Pending => break,
            };
        }
        Ok(())
    }

    /// Gives buffers back that nothing is in: what is under way may take hours, and needs them now and then.
    pub(crate) fn rest(&mut self) {
        self.input.rest(&self.shared.buffers);
        self.output.rest(&self.shared.buffers);
    }

    /// How many bytes wait to be written.
    pub(crate) fn waiting(&self) -> usize {
        self.output.len()
    }

    /// Whether a client may send more before it has taken what waits for it.
    pub(crate) fn has_room(&self) -> bool {
        self.output.is_empty() || self.output.len() < self.shared.config.limits.output
    }

    /// Shuts our side.
    pub(crate) fn poll_shutdown(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let io = &mut self.connection.as_mut().expect("a connection is served").io;
        io.poll_shutdown(task)
    }
}
