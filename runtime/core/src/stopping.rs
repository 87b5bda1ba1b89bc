//! The news that the server is going down, for what would not end by itself.

use tokio::sync::watch;

/// Tells, to whoever asks, whether the server has begun to go down: streams of events and WebSockets end then. All clones are one.
///
/// Exchanges need not ask: what is in flight is finished.
#[derive(Clone, Debug)]
pub struct Stopping(watch::Sender<bool>);

impl Default for Stopping {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Stopping {
    /// It begins. For servers.
    pub fn begin(&self) {
        self.0.send_replace(true);
    }

    /// Whether it has begun.
    pub fn has_begun(&self) -> bool {
        *self.0.borrow()
    }

    /// Until it begins. The future holds on to nothing of the server's but this.
    pub fn begun(&self) -> impl Future<Output = ()> + Send + Sync + use<> {
        let mut receiver = self.0.subscribe();
        // Kept, or the end of the last sender would look like a beginning.
        let sender = self.0.clone();
        async move {
            let _ = receiver.wait_for(|begun| *begun).await;
            drop(sender);
        }
    }
}
