//! The end of a connection: the last answer arrives before the socket goes (RFC 9112 9.6).

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll, ready};

use pw_server::Abort;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::Config;
use crate::clock::{Alarm, Moment};
use crate::wire::{Wire, lock};

/// Writes what waits, shuts our side, and reads what the client still sends until it ends or the linger has passed, so that no
/// reset overtakes the answer.
pub(crate) async fn close<I: AsyncRead + AsyncWrite + Abort + Unpin>(
    wire: &Mutex<Wire<I>>,
    config: &Config,
    mut alarm: Alarm,
) {
    let flushed = poll_fn(|task| {
        let wire = &mut *lock(wire);
        match wire.poll_flush(task) {
            Poll::Pending => poll_stalled(wire, &mut alarm, config, task),
            Poll::Ready(flushed) => Poll::Ready(flushed.is_ok()),
        }
    })
    .await;
    if !flushed {
        lock(wire).io.abort();
        return;
    }
    if !still_sending(wire).await {
        return;
    }
    let until = Moment::now().after(config.timeouts.linger);
    poll_fn(|task| {
        if alarm.poll(until, task).is_ready() {
            return Poll::Ready(());
        }
        let wire = &mut *lock(wire);
        if ready!(Pin::new(&mut wire.io).poll_shutdown(task)).is_err() {
            return Poll::Ready(());
        }
        loop {
            let waiting = wire.input.bytes().len();
            wire.input.consume(waiting);
            match ready!(wire.poll_fill(task)) {
                Ok(count) if count > 0 => {}
                _ => return Poll::Ready(()),
            }
        }
    })
    .await;
}

fn poll_stalled<I>(wire: &Wire<I>, alarm: &mut Alarm, config: &Config, task: &mut Context<'_>) -> Poll<bool> {
    let since = wire.stalled.unwrap_or_else(Moment::now);
    alarm.poll(since.after(config.timeouts.write), task).map(|()| false)
}

/// Whether the client may be sending still: where everything was read and nothing more has come, the socket can go at once.
async fn still_sending<I: AsyncRead + AsyncWrite + Unpin>(wire: &Mutex<Wire<I>>) -> bool {
    poll_fn(|task| {
        let wire = &mut *lock(wire);
        if wire.ended {
            return Poll::Ready(false);
        }
        if wire.needs_linger() {
            return Poll::Ready(true);
        }
        Poll::Ready(matches!(wire.poll_fill(task), Poll::Ready(Ok(count)) if count > 0))
    })
    .await
}
