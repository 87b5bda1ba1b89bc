//! The end of a connection: the last answer arrives before the socket goes (RFC 9112 9.6).

use std::cell::RefCell;
use std::future::poll_fn;
use std::task::{Poll, ready};

use crate::wire::Wire;
use crate::worker::Shared;

/// Writes what waits, shuts our side, and reads what the client still sends until it ends or the linger has passed, so that no
/// reset overtakes the answer. A client that does not take the answer is given up.
pub(crate) async fn close(wire: &RefCell<Wire>, shared: &Shared, unread: bool) {
    let still_sending = poll_fn(|task| {
        let wire = &mut *wire.borrow_mut();
        if ready!(wire.poll_flush(task)).is_err() {
            return Poll::Ready(None);
        }
        if wire.ended {
            return Poll::Ready(Some(false));
        }
        if unread || !wire.input.is_empty() || shared.is_draining() {
            return Poll::Ready(Some(true));
        }
        // Where everything was read and nothing more has come, the socket can go at once.
        Poll::Ready(Some(
            matches!(wire.poll_fill(task), Poll::Ready(Ok(count)) if count > 0),
        ))
    })
    .await;
    match still_sending {
        None => return wire.borrow_mut().abort(),
        Some(false) => return,
        Some(true) => {}
    }
    let until = shared.clock.read().after(shared.config.timeouts.linger);
    poll_fn(|task| {
        let wire = &mut *wire.borrow_mut();
        if wire.poll_until(until).is_ready() || ready!(wire.poll_shutdown(task)).is_err() {
            return Poll::Ready(());
        }
        loop {
            wire.input.clear();
            match ready!(wire.poll_fill(task)) {
                Ok(count) if count > 0 => {}
                _ => return Poll::Ready(()),
            }
        }
    })
    .await;
}
