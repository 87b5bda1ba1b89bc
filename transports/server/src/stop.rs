//! When a server is to stop: the first signal drains, the second ends the drain.

use std::io;

use tokio::sync::mpsc;

/// A source of stop signals.
#[derive(Debug)]
pub struct Stop(mpsc::UnboundedReceiver<()>);

/// Sends stop signals by hand.
#[derive(Clone, Debug)]
pub struct StopHandle(mpsc::UnboundedSender<()>);

impl Stop {
    /// Signals given by hand. Dropping every handle is no signal.
    pub fn by_hand() -> (StopHandle, Self) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (StopHandle(sender), Self(receiver))
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
        let (handle, stop) = Self::by_hand();
        for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
            let mut stream = signal(kind)?;
            let handle = handle.clone();
            tokio::spawn(async move {
                while stream.recv().await.is_some() {
                    handle.stop();
                }
            });
        }
        Ok(stop)
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
        if self.0.recv().await.is_none() {
            std::future::pending().await
        }
    }
}

impl StopHandle {
    /// Gives a signal: the first drains the server, the second ends the drain.
    pub fn stop(&self) {
        // The server may have ended by itself; then there is nothing to stop.
        let _ = self.0.send(());
    }
}
