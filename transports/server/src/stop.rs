//! When a server is to stop: the first signal drains, the second ends the drain.

use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};

use tokio::sync::mpsc;

/// A source of stop signals.
#[derive(Debug)]
pub struct Stop(Source);

#[derive(Debug)]
enum Source {
    Hand(mpsc::UnboundedReceiver<()>),
    /// SIGTERM and SIGINT.
    #[cfg(unix)]
    Signals([tokio::signal::unix::Signal; 2]),
}

/// Sends stop signals by hand.
#[derive(Clone, Debug)]
pub struct StopHandle(mpsc::UnboundedSender<()>);

impl Stop {
    /// Signals given by hand. Dropping every handle is no signal.
    pub fn by_hand() -> (StopHandle, Self) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (StopHandle(sender), Self(Source::Hand(receiver)))
    }

    /// SIGTERM and SIGINT (Ctrl-C).
    ///
    /// # Errors
    /// The process can't listen to signals.
    ///
    /// # Panics
    /// There is no tokio runtime.
    #[cfg(unix)]
    pub fn on_signals() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?];
        Ok(Self(Source::Signals(signals)))
    }

    /// Ctrl-C.
    ///
    /// # Errors
    /// The process can't listen to signals.
    ///
    /// # Panics
    /// There is no tokio runtime.
    #[cfg(not(unix))]
    pub fn on_signals() -> io::Result<Self> {
        let (handle, stop) = Self::by_hand();
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                handle.stop();
            }
        });
        Ok(stop)
    }

    /// The next signal; never, if there can't be one any more.
    pub(crate) async fn next(&mut self) {
        poll_fn(|task| self.poll_next(task)).await
    }

    fn poll_next(&mut self, task: &mut Context<'_>) -> Poll<()> {
        let came = match &mut self.0 {
            Source::Hand(signals) => matches!(signals.poll_recv(task), Poll::Ready(Some(()))),
            #[cfg(unix)]
            Source::Signals(signals) => signals.iter_mut().any(|signal| signal.poll_recv(task).is_ready()),
        };
        if came { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl StopHandle {
    /// Gives a signal: the first drains the server, the second ends the drain.
    pub fn stop(&self) {
        // The server may have ended by itself; then there is nothing to stop.
        let _ = self.0.send(());
    }
}
